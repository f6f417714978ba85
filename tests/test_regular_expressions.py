"""Every regular expression of the package takes time in proportion to a text's length, however bad the text.

`make hostile` feeds each a megabyte (tests/hostile/megabytes.py).
"""

import re

import pytest

from regular_expressions import Use, every_use
from time_of_patterns import flaw, worst_runs

SHORT, LONG = 5_000, 10_000  # characters


@pytest.fixture(scope="module")
def patterns() -> list[Use]:
    return every_use()


def test_the_patterns_of_every_kind_of_place_are_collected(patterns):
    where = {
        use.where.rpartition(".")[0] if ":" not in use.where else use.where.partition(":")[0]
        for use in patterns
    }
    assert len(patterns) > 450
    assert {
        "ragassay.report.cell_outputs",  # names of a module
        "ragassay.scores.personal_data.personal_data_search",  # in a tuple
        "ragassay.models.toxic_terms",  # made by a cached function
        "ragassay.cases.rule_questions.steps_and_tables",  # given in place
        "ragassay.documents.sentence_splitting",
    } <= where


def test_patterns_that_a_loop_only_ever_matches_are_tried_at_the_start(patterns):
    anchored = {use.anchored for use in patterns if use.where.endswith("literals.LIST_STARTS")}
    searched = {use.anchored for use in patterns if use.where.endswith("personal_data_patterns.PATTERNS")}
    assert (anchored, searched) == ({True}, {False})


@pytest.mark.parametrize("pattern, anchored", [(r"\d+(?:,\d+)?%", False), (r"a+a+b", True)])
def test_a_quadratic_pattern_is_found(pattern, anchored):
    use = Use("here", re.compile(pattern), anchored)
    assert flaw(use, SHORT, again=5_000)


def test_a_linear_pattern_is_none():
    assert not flaw(Use("here", re.compile(r"(?<!\d)\d+(?:,\d+)?%"), False), SHORT)


def test_the_worst_runs_are_of_two_kinds(patterns):
    first, second = worst_runs(patterns[0])
    assert first != second


def test_every_pattern_is_linear(patterns):
    assert [found for use in patterns if (found := flaw(use, SHORT))] == []


@pytest.mark.slow
def test_every_pattern_is_linear_in_long_texts(patterns):
    assert [found for use in patterns if (found := flaw(use, LONG))] == []
