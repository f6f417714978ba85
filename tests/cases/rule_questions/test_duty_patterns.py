"""Patterns of rules and duties: one sentence each, and look-alikes that give nothing."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.clause_parsing import part
from ragassay.cases.rule_questions.duty_patterns import PATTERNS

SMALL = frozenset(["errors", "applications"])


def made(family, sentence):
    clause = part(sentence, SMALL)
    return clause and PATTERNS[family](clause)


@pytest.mark.parametrize("family, sentence, question, key", EXAMPLES["duty patterns: patterns"])
def test_patterns(family, sentence, question, key):
    assert made(family, sentence) == (None if question is None else (question, key))
