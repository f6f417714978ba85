"""Success: levels, flags, both together, the policy on related information, one flag at a time; the completeness
checklist: each type of answer by hand, what does not apply, what is refused."""

import pytest
from word_tools import WordTools

from ragassay.scores.families.success import (
    CUTS,
    completeness_checklist,
    end_to_end_success,
    level,
    must_pass,
)
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample


@pytest.mark.parametrize(
    "value, found", [(0, 1), (0.25, 2), (0.5, 3), (0.89, 3), (0.9, 4), (0.99, 4), (1, 5)]
)
def test_levels_by_hand(value, found):
    assert level(value, CUTS["groundedness"]) == found


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


def points(**given) -> dict[str, float | None]:
    given["contexts"] = tuple(given.get("contexts", ()))
    value, detail = completeness_checklist(Sample("c1", "s", **given), TOOLS)
    found = {record["point"]: record["score"] for record in detail}
    applied = [score for score in found.values() if score is not None]
    assert value == sum(applied) / len(applied), "the value is the share of the points that apply"
    return found


@pytest.mark.parametrize(
    "answer, exceptions",
    [
        ("The refund period is 30 days, unless the refund is for a defect.", 1.0),
        ("The refund period is 30 days.", 0.0),
    ],
)
def test_a_short_fact_tells_its_exception(answer, exceptions):
    contexts = [
        "The refund period is 30 days. The refund period is 90 days unless the refund is for a defect."
    ]
    question = "What is the refund period for a defect?"
    assert points(answer=answer, question=question, contexts=contexts, answer_type="short_fact") == {
        "main_fact": 1.0,
        "critical_exceptions": exceptions,
    }


def test_the_reference_answer_decides_the_main_fact_and_its_numbers():
    given = {
        "question": "What is the fee?",
        "contexts": ["The fee is 5."],
        "reference_answer": "Yes. The fee is 5 dollars.",
    }
    assert points(answer="The fee is 5 dollars.", **given)["main_fact"] == 1.0
    assert points(answer="The fee is 6 dollars.", **given)["main_fact"] == 0.0
    given["reference_answer"] = "5 dollars."  # no sentence: its words suffice
    told = "For each transfer to another bank abroad customers of this account pay us {} dollars."
    assert [points(answer=told.format(n), **given)["main_fact"] for n in (5, 6)] == [1.0, 0.0]


def test_an_instruction_keeps_the_order_of_its_steps():
    contexts = ["Open the app. Choose the card. Press freeze."]
    given = {"question": "How do I freeze my card?", "contexts": contexts, "answer_type": "instruction"}
    right = points(answer="1. Open the app.\n2. Choose the card.\n3. Press freeze.", **given)
    wrong = points(answer="1. Press freeze.\n2. Choose the card.\n3. Open the app.", **given)
    loose = points(answer="Open the app. Choose the card. Press freeze.", **given)
    assert (right["ordered_steps"], right["order_kept"]) == (1.0, 1.0)
    assert (wrong["ordered_steps"], wrong["order_kept"]) == (1.0, 0.0)
    assert (loose["ordered_steps"], loose["order_kept"]) == (0.0, None)


def test_each_part_is_answered_and_drawn_together():
    given = {
        "question": "What is the wire fee, and who may refund cards?",
        "contexts": ["The wire fee is 5. Tellers may refund cards."],
    }
    both = points(
        answer="The wire fee is 5. Tellers may refund cards. So ask a teller for 5.",
        answer_type="multi_step",
        **given,
    )
    one = points(answer="The wire fee is 5.", answer_type="multi_step", **given)
    assert both == {"each_part": 1.0, "final_composition": 1.0, "ordered_steps": None}
    assert one == {"each_part": 0.0, "final_composition": 0.0, "ordered_steps": None}


def test_terms_are_defined_and_differences_told():
    contexts = ["A freeze is a block that can be undone. A cancellation is final."]
    given = {
        "question": "What is the difference between a freeze and a cancellation?",
        "contexts": contexts,
        "answer_type": "definition",
    }
    told = points(answer="A freeze is a block, while a cancellation is final.", **given)
    assert told == {"defines_terms": 1.0, "differences": 1.0}
    assert points(answer="Cards have a freeze.", **given) == {"defines_terms": 0.0, "differences": 0.0}


def test_a_refusal_says_so_shows_a_way_and_makes_nothing_up():
    given = {"question": "What is the rate of Ann Lee?", "contexts": ["Cards are free."], "answerable": False}
    good = points(answer="I could not find this in the documents. Please ask at a branch.", **given)
    bad = points(answer="The rate is 7 percent.", **given)
    assert good == {"says_not_found": 1.0, "next_step": 1.0, "no_fabricated_facts": 1.0}
    assert bad == {"says_not_found": 0.0, "next_step": 0.0, "no_fabricated_facts": 0.0}


@pytest.mark.parametrize(
    "changed, error, reason",
    [
        ({"answer": "I could not find this."}, NotApplicable, "abstained"),
        ({"contexts": ()}, NotApplicable, "no passage"),
        ({"answer_type": "essay"}, ValueError, "answer_type must be one of"),
        ({"question": "Why?", "answer_type": "definition"}, NotApplicable, "no point of the checklist"),
    ],
)
def test_the_checklist_refuses(changed, error, reason):
    given = {"answer": "Five it is.", "question": "What is the fee?", "contexts": ("The fee.",)} | changed
    with pytest.raises(error, match=reason):
        completeness_checklist(Sample("c1", "s", **given), TOOLS)
