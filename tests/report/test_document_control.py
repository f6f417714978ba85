"""The annexes: methods of what the chapters name and of nothing that does not exist; what held the run."""

import re
from types import SimpleNamespace

import pytest

from ragassay.report import document_control
from ragassay.report.blocks import Chapter, Table, paragraph, plain
from ragassay.report.decision_words import read_rows
from ragassay.scores import FAMILIES, METRICS

METHODS = document_control.methods()
SOURCES = {row["name"] for row in read_rows("references")}


def works(source: str) -> list[str]:
    """The works a source names, each apart from its section: `Hybrid 2.8; decision 13` names two."""
    return [part for part in re.split(r"\s*;\s*", source) if not part.startswith("measured in ")]


def known(part: str) -> bool:
    """Whether the list of references begins as this part does."""
    return any(part == name or part.startswith((f"{name} ", f"{name},", f"{name};")) for name in SOURCES)


def test_every_family_has_a_method_with_its_source_and_its_limits():
    assert {name for row in METHODS for name in row.families.split()} == set(FAMILIES)
    assert all(row.meaning and row.source and row.limits for row in METHODS if row.families)


def test_every_work_and_decision_that_is_cited_is_in_the_list_of_references():
    sources = {row.source for row in METHODS} | {metric.source for metric in METRICS.values()}
    assert {part for source in sources for part in works(source) if not known(part)} == set()
    assert "decision" in SOURCES and any("decision" in text for row in METHODS for text in row)


def test_only_the_measures_that_the_chapters_name_stand_there():
    no_run = SimpleNamespace(manifest={})
    body = [Chapter("1", "Answers", "a", [paragraph("Retrieval recall is high.")])]
    table, *rest = document_control.methods_annex(no_run, body).blocks
    assert isinstance(table, Table) and [plain(row[0]) for row in table.rows] == ["retrieval recall"]
    assert not any(isinstance(block, Table) for block in document_control.methods_annex(no_run, []).blocks)
    assert all(row["name"] in str(rest) for row in read_rows("methods"))


@pytest.mark.parametrize("assistant, said", [("writes refused", "writes refused"), ("", "no assistant was")])
def test_policies_and_every_attempt_are_shown(assistant, said):
    network = {"policy": "P", "assistant": assistant, "attempts": [{"address": "x.org:80"}]}
    run = SimpleNamespace(manifest={"network": network}, content=lambda name: None, states=[])
    chapter = document_control.environment_annex(run, [])
    rows = {plain(name): plain(value) for name, value in chapter.blocks[0].rows}
    assert rows["Network policy"] == "P" and "x.org:80" in rows["Attempts to reach the network"]
    assert said in rows["The assistant's own process"]
