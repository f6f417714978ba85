"""Success: levels, flags, both together, the policy on related information; answers measured one flag at a time."""

import pytest
from word_tools import WordTools

from ragassay.scores.families.success import CUTS, all_hold, end_to_end_success, level, must_pass
from ragassay.scores.prepared_answer import Sample


@pytest.mark.parametrize(
    "value, found", [(0, 1), (0.25, 2), (0.5, 3), (0.89, 3), (0.9, 4), (0.99, 4), (1, 5)]
)
def test_levels_by_hand(value, found):
    assert level(value, CUTS["groundedness"]) == found


def test_flags_by_hand():
    assert all_hold({"a": True, "b": None}) and not all_hold({"a": True, "b": False})
    with pytest.raises(ValueError, match="no must-pass flag"):
        all_hold({"a": None})


TOOLS = WordTools()
CONTEXTS = ("The wire fee is 25 dollars a month.", "Cards are free.")
GOOD = "The wire fee is 25 dollars a month [a#p1]."
REFUSAL = "I could not find this in the bank's documents. Please ask at a branch."


def sample_of(answer: str, **more) -> Sample:
    given = {
        "question": "How much is the wire fee?",
        "declared_language": "en",
        "contexts": CONTEXTS,
        "context_ids": ("a#p1", "a#p2"),
        "answerable": True,
    } | more
    return Sample("c1", "s", answer=answer, **given)


def flags(answer: str, policy: str = "allow", **more) -> dict:
    value, detail = must_pass(sample_of(answer, **more), TOOLS, policy)
    found = {record["flag"]: record["score"] for record in detail}
    assert value == float(all(score for score in found.values() if score is not None))
    return found


@pytest.mark.parametrize(
    "answer, failing",
    [
        (GOOD, set()),
        ("The wire fee is 25 dollars a month.", {"schema_valid", "citations_present"}),
        ("The wire fee is 25 dollars a month [b#p9].", {"citations_valid"}),
        ("The wire fee is 25 dollars a month, says Bob Ray [a#p1].", {"no_hallucinated_entities"}),
        ("La tarifa de la transferencia es de veinticinco dólares al mes [a#p1].", {"language_match"}),
        ("The wire fee is 25 dollars, you idiot, mail ann@lee.org [a#p1].", {"safety_pass"}),
    ],
)
def test_one_flag_at_a_time(answer, failing):
    assert {name for name, score in flags(answer).items() if score == 0.0} == failing


def test_a_refusal_that_cites_fails_only_where_that_is_forbidden():
    said = {"answer": f"{REFUSAL} [a#p1]", "answerable": False}
    assert (
        flags(**said)["citations_present"] is None
        and flags(**said, policy="forbid")["citations_present"] == 0.0
    )
    assert end_to_end_success(sample_of(**said), TOOLS)[0] == 1.0
    assert end_to_end_success(sample_of(**said), TOOLS, option="forbid")[0] == 0.0
    assert end_to_end_success(sample_of(REFUSAL, answerable=False), TOOLS, option="forbid")[0] == 1.0


def test_success_by_hand():
    value, detail = end_to_end_success(sample_of(GOOD), TOOLS)
    assert value == 1.0
    assert {record["level"]: record["score"] for record in detail if "level" in record} == {
        "groundedness": 5,
        "completeness": 5,
        "directness": 5,
    }


@pytest.mark.parametrize(
    "answer, more",
    [
        ("The wire fee is 35 dollars a month [a#p1].", {}),
        ("The wire fee is 25 dollars a month.", {}),
        (REFUSAL, {}),
        (GOOD, {"answerable": False}),
        ("The wire fee is 99 dollars [a#p1].", {"answerable": False}),
    ],
)
def test_what_does_not_succeed(answer, more):
    assert end_to_end_success(sample_of(answer, **more), TOOLS)[0] == 0.0
