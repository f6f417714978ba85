"""Patterns of rules and duties: one sentence each, and look-alikes that give nothing."""

import pytest

from ragassay.cases.rule_questions.clause_parsing import part
from ragassay.cases.rule_questions.duty_patterns import PATTERNS

SMALL = frozenset(["errors", "applications"])


def made(family, sentence):
    clause = part(sentence, SMALL)
    return clause and PATTERNS[family](clause)


@pytest.mark.parametrize(
    "family, sentence, question, key",
    [
        (
            "fee",
            "A dealer must pay to the bank a filing fee of $40 for each form.",
            "what filing fee must a dealer pay to the bank for each form",
            "$40",
        ),
        ("fee", "A dealer must pay a fee to the bank.", None, None),
        ("fee", "A dealer must pay a filing fee of $40 where it: (a) sells.", None, None),
        (
            "frequency",
            "A dealer must review its limits at least annually.",
            "how often must a dealer review its limits",
            "at least annually",
        ),
        ("frequency", "A dealer must review its limits.", None, None),
        (
            "recipient",
            "A dealer must notify the Regulator of any change to its name.",
            "whom must a dealer notify of any change to its name",
            "the Regulator",
        ),
        ("recipient", "A dealer must notify the Regulator in writing.", None, None),
        (
            "form",
            "Applications must be made in writing.",
            "in what form must applications be made",
            "in writing",
        ),
        ("form", "Returns are presented in English.", "in what language are Returns presented", "in English"),
        (
            "reason",
            "A dealer should keep a log of calls in order to trace its errors.",
            "why should a dealer keep a log of calls",
            "in order to trace its errors",
        ),
        ("reason", "A dealer must take reasonable steps to ensure that it knows its clients.", None, None),
        ("reason", "A card cannot be registered, because foreign payments are declined.", None, None),
        (
            "purpose",
            "The purpose of the test is to find gaps in the rules.",
            "what is the purpose of the test",
            "to find gaps in the rules",
        ),
        ("purpose", "The purpose of the test is described below.", None, None),
    ],
)
def test_patterns(family, sentence, question, key):
    assert made(family, sentence) == (None if question is None else (question, key))
