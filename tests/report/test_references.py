"""Annex D and the glossary speak of every family of metrics, and of nothing that does not exist."""

import re

import pytest

from ragassay.report import references
from ragassay.report.annexes import glossary
from ragassay.scores import METRICS

FAMILIES = sorted({metric.family for metric in METRICS.values()})
METHODS, TERMS, SOURCES = (
    references.rows("methods"),
    references.rows("glossary"),
    {row["name"] for row in references.rows("references")},
)


def works(source: str) -> list[str]:
    """The works a source names, each apart from the section it is cited for: `Hybrid 2.8; FORMULAS 13` names two."""
    return [part for part in re.split(r"\s*;\s*", source) if not part.startswith("measured in ")]


def known(part: str) -> bool:
    """Whether the list of references begins as this part does."""
    return any(part == name or part.startswith((f"{name} ", f"{name},", f"{name};")) for name in SOURCES)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_method_with_its_source_and_its_limits(family):
    rows = [row for row in METHODS if family in row["families"].split()]
    assert rows and all(row["meaning"] and row["source"] and row["limits"] for row in rows)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_word_in_the_glossary(family):
    assert any(family in row["families"].split() and row["meaning"] for row in TERMS)


def test_no_row_names_a_family_that_is_not_there():
    assert {family for row in [*METHODS, *TERMS] for family in row["families"].split()} == set(FAMILIES)


@pytest.mark.parametrize(
    "source", sorted({row["source"] for row in METHODS} | {metric.source for metric in METRICS.values()})
)
def test_every_work_cited_is_in_the_list_of_references(source):
    assert [part for part in works(source) if not known(part)] == []


def test_every_decision_of_formulas_that_is_cited_is_in_the_list():
    cited = [text for row in METHODS for text in row.values() if "FORMULAS" in text]
    assert cited and "FORMULAS" in SOURCES


@pytest.mark.parametrize(
    "rows, key", [(METHODS, "name"), (TERMS, "term"), (references.rows("references"), "name")]
)
def test_rows_are_whole_and_stand_once(rows, key):
    assert all(None not in row and None not in row.values() for row in rows)
    assert len({row[key].casefold() for row in rows}) == len(rows)


def test_the_annex_shows_departures_and_limits_where_there_are_any():
    blocks = str(references.annex().blocks)
    assert blocks.count("Departure or decision: ") == sum(bool(row["departure"]) for row in METHODS)
    assert all(row["limits"] in blocks or repr(row["limits"])[1:-1] in blocks for row in METHODS)


def test_the_glossary_is_sorted_and_whole():
    (table,) = glossary().blocks
    assert len(table.rows) == len(TERMS)
