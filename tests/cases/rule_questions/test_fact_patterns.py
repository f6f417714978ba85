"""One sentence per pattern, its question and its key fact; and look-alikes that must give none."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.clause_parsing import part
from ragassay.cases.rule_questions.english_sentences import PATTERNS
from ragassay.cases.rule_questions.fact_patterns import vague

SMALL = frozenset(
    ["errors", "limits", "wages", "credit", "complaints", "purchases", "approval", "complaint", "smallest"]
)


def made(family, sentence):
    clause = part(sentence, SMALL)
    return clause and PATTERNS[family](clause)


@pytest.mark.parametrize("family, sentence, question, key", EXAMPLES["fact patterns: pattern"])
def test_pattern(family, sentence, question, key):
    assert made(family, sentence) == ((question, key) if question else None)


@pytest.mark.parametrize(
    "subject", ["the period", "the same withdrawal", "trying to use it", "a ninth", "the second"]
)
def test_vague(subject):
    assert vague(subject)


@pytest.mark.parametrize("subject", ["the fee", "a withdrawal", "the period of notice"])
def test_clear(subject):
    assert not vague(subject)
