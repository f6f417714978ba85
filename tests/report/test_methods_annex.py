"""Annex D and the glossary speak of every family of metrics, and of nothing that does not exist."""

import re
from dataclasses import astuple

import pytest

from ragassay.report import methods_annex
from ragassay.report.annexes import glossary
from ragassay.scores import FAMILIES, METRICS

METHODS, TERMS = methods_annex.methods(), methods_annex.terms()
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


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_every_family_has_a_word_in_the_glossary(family):
    assert family.glossary and all(TERMS[term] for term in family.glossary)


def test_every_work_cited_is_in_the_list_of_references():
    sources = {row.source for row in METHODS} | {metric.source for metric in METRICS.values()}
    assert {part for source in sources for part in works(source) if not known(part)} == set()


def test_every_decision_that_is_cited_is_in_the_list():
    cited = [text for row in METHODS for text in astuple(row) if "decision" in text]
    assert cited and "decision" in SOURCES


@pytest.mark.parametrize(
    "name, key", [("methods", "name"), ("glossary_besides_metrics", "term"), ("references", "name")]
)
def test_rows_are_whole_and_stand_once(name, key):
    rows = methods_annex.rows(name)
    assert all(None not in row and None not in row.values() for row in rows)
    assert len({row[key].casefold() for row in rows}) == len(rows)


def test_no_method_and_no_term_is_given_twice():
    terms = [term for family in FAMILIES.values() for term in family.glossary]
    terms += [row["term"] for row in methods_annex.rows("glossary_besides_metrics")]
    assert len({term.casefold() for term in terms}) == len(terms) == len(TERMS)
    assert len({row.name for row in METHODS}) == len(METHODS)


def test_the_annex_shows_departures_and_limits_where_there_are_any():
    blocks = str(methods_annex.annex().blocks)
    assert blocks.count("Departure or decision: ") == sum(bool(row.departure) for row in METHODS)
    assert all(row.limits in blocks or repr(row.limits)[1:-1] in blocks for row in METHODS)


def test_the_glossary_is_sorted_and_whole():
    named = [block.words[0] for block in glossary().blocks]
    assert len(named) == len(TERMS)


def test_what_raters_call_grounded_stands_in_the_words_of_their_guide():
    told = methods_annex.terms({"grounded (raters)": "A refusal counts as not grounded."})
    said = told["Grounded (raters)"]
    assert said.endswith("By the raters' guide: A refusal counts as not grounded.")
    assert "needless refusal" in methods_annex.terms()["Grounded (raters)"] and len(told) == len(TERMS)
