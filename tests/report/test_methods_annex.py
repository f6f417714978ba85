"""The annex of methods speaks of what the chapters name, and of nothing that does not exist."""

import re
from dataclasses import astuple

import pytest

from ragassay.report import methods_annex
from ragassay.report.blocks import Chapter, Table, paragraph, plain
from ragassay.scores import FAMILIES, METRICS

METHODS = methods_annex.methods()
SOURCES = {row["name"] for row in methods_annex.rows("references")}


def works(source: str) -> list[str]:
    """The works a source names, each apart from the section it is cited for: `Hybrid 2.8; decision 13` names two."""
    return [part for part in re.split(r"\s*;\s*", source) if not part.startswith("measured in ")]


def known(part: str) -> bool:
    """Whether the list of references begins as this part does."""
    return any(part == name or part.startswith((f"{name} ", f"{name},", f"{name};")) for name in SOURCES)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_every_family_has_a_method_with_its_source_and_its_limits(family):
    assert family.methods
    assert all(row.meaning and row.source and row.limits for row in family.methods)


def test_every_work_cited_is_in_the_list_of_references():
    sources = {row.source for row in METHODS} | {metric.source for metric in METRICS.values()}
    assert {part for source in sources for part in works(source) if not known(part)} == set()


def test_every_decision_that_is_cited_is_in_the_list():
    cited = [text for row in METHODS for text in astuple(row) if "decision" in text]
    assert cited and "decision" in SOURCES


@pytest.mark.parametrize("name, key", [("methods", "name"), ("references", "name")])
def test_rows_are_whole_and_stand_once(name, key):
    rows = methods_annex.rows(name)
    assert all(None not in row and None not in row.values() for row in rows)
    assert len({row[key].casefold() for row in rows}) == len(rows)


def test_no_method_is_given_twice():
    assert len({row.name for row in METHODS}) == len(METHODS)


def test_only_the_measures_that_the_chapters_name_stand_there():
    body = [Chapter("1", "Answers", "a", [paragraph("Retrieval recall is high.")])]
    table, *rest = methods_annex.annex(body).blocks
    assert isinstance(table, Table) and [plain(row[0]) for row in table.rows] == ["retrieval recall"]
    assert not any(isinstance(block, Table) for block in methods_annex.annex([]).blocks)
    printed = str(rest)
    assert all(row["name"] in printed for row in methods_annex.rows("methods"))
