"""Sentences parted into subject, verb and rest; and sentences that are better left alone."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.clause_parsing import cut, part

NONE = frozenset({"purchases", "credit", "statements", "fees"})


@pytest.mark.parametrize("sentence, subject, verb", EXAMPLES["clause parsing: parted"])
def test_parted(sentence, subject, verb):
    clause = part(sentence, NONE)
    assert clause is not None and (clause.subject, clause.verb) == (subject, verb)


@pytest.mark.parametrize("sentence", EXAMPLES["clause parsing: left alone"])
def test_left_alone(sentence):
    assert part(sentence, NONE) is None


@pytest.mark.parametrize("sentence, asked", EXAMPLES["clause parsing: asked"])
def test_asked(sentence, asked):
    clause = part(sentence, NONE)
    assert clause is not None and clause.ask("X") == asked


@pytest.mark.parametrize("rest, kept", EXAMPLES["clause parsing: cut"])
def test_cut(rest, kept):
    assert cut(rest) == kept
