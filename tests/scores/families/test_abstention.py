"""Abstention: whether the assistant declines, and whether it should."""

import pytest
from word_tools import WordTools

from ragassay.scores.families.abstention import abstains, abstention_correct, should_have_abstained
from ragassay.scores.sample import Sample

TOOLS = WordTools()
REFUSAL, ANSWER = "I could not find this.", "The fee is 5."


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_declining_is_seen_and_named():
    assert abstains(sample_of(REFUSAL), TOOLS) == (1.0, [{"rule": "en: I could not find"}])
    assert abstains(sample_of(ANSWER), TOOLS) == (0.0, [{"rule": None}])


@pytest.mark.parametrize(
    "answer, answerable, wrongly_answered, right",
    [
        (REFUSAL, True, 0.0, 0.0),
        (REFUSAL, False, 0.0, 1.0),
        (ANSWER, True, 0.0, 1.0),
        (ANSWER, False, 1.0, 0.0),
    ],
)
def test_the_decision(answer, answerable, wrongly_answered, right):
    sample = sample_of(answer, answerable=answerable)
    assert should_have_abstained(sample, TOOLS)[0] == wrongly_answered
    assert abstention_correct(sample, TOOLS)[0] == right
