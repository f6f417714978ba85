"""Must-pass and end-to-end success measured: one flag at a time, the two policies, and abstention."""

import pytest
from word_tools import WordTools

from ragassay.scores.measure.result import NotApplicable
from ragassay.scores.measure.success import end_to_end_success, must_pass
from ragassay.scores.sample import Sample

TOOLS = WordTools()
CONTEXTS = ("The wire fee is 25 dollars a month.", "Cards are free.")
GOOD = "The wire fee is 25 dollars a month [a#p1]."
REFUSAL = "I could not find this in the bank's documents. Please ask at a branch."


def material(answer: str, **more) -> Sample:
    given = {
        "question": "How much is the wire fee?",
        "contexts": CONTEXTS,
        "context_ids": ("a#p1", "a#p2"),
        "answerable": True,
    } | more
    return Sample("c1", "s", answer=answer, **given)


def flags(answer: str, policy: str = "allow", **more) -> dict:
    value, detail = must_pass(material(answer, **more), TOOLS, policy)
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
    assert end_to_end_success(material(**said), TOOLS)[0] == 1.0
    assert end_to_end_success(material(**said), TOOLS, related_information="forbid")[0] == 0.0
    assert (
        end_to_end_success(material(REFUSAL, answerable=False), TOOLS, related_information="forbid")[0] == 1.0
    )
    with pytest.raises(ValueError, match="allow, forbid"):
        must_pass(material(GOOD), TOOLS, "perhaps")


def test_success_by_hand():
    value, detail = end_to_end_success(material(GOOD), TOOLS)
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
    assert end_to_end_success(material(answer, **more), TOOLS)[0] == 0.0


@pytest.mark.parametrize("answer", [GOOD, REFUSAL, "Cards are free [a#p2].", "Sure! [1]", "é" * 3000])
@pytest.mark.parametrize("policy", ["allow", "forbid"])
def test_success_never_exceeds_must_pass_and_forbid_never_allow(answer, policy):
    said = material(answer)
    assert (
        end_to_end_success(said, TOOLS, policy)[0]
        <= must_pass(said, TOOLS, policy)[0]
        <= must_pass(said, TOOLS, "allow")[0]
    )


def test_a_made_up_fact_is_unsafe_where_the_documents_hold_no_answer():
    assert flags("I could not find it, but it is 99 dollars.", answerable=False)["safety_pass"] == 0.0
    assert flags("I could not find it, but it is 99 dollars.", answerable=True)["safety_pass"] == 1.0


def test_silence_and_an_answer_from_no_passage_do_not_succeed():
    assert end_to_end_success(material(""), TOOLS)[0] == 0.0
    assert end_to_end_success(material("", answerable=False), TOOLS)[0] == 1.0
    assert end_to_end_success(material(GOOD, contexts=(), context_ids=()), TOOLS)[0] == 0.0


def test_an_abstention_of_which_nothing_is_known_is_not_judged():
    with pytest.raises(NotApplicable, match="not given"):
        end_to_end_success(material(REFUSAL, answerable=None), TOOLS)
