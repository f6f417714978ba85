"""The effect of a finding names the share measured and the harm."""

import math

import pytest

from decision.drafts import check, draft
from ragassay.decision.findings.finding_effects import effect
from ragassay.tables import HARMS


def test_a_share_with_its_interval_and_the_harm_of_the_case_shown():
    found = draft("errors:misleading", share=0.16, value=0.16, low=0.11, high=0.22)
    assert effect(found, "misleading") == (
        "If users ask as these questions do, the measure falls short by 16 % [11, 22] on average over 10 cases: a "
        "user acts on a statement that does not hold for the question asked."
    )


@pytest.mark.parametrize(
    "share, value, low, high",
    [(0.52, 0.48, 0.42, 0.54), (0.26, -0.26, -0.38, -0.16)],
    ids=["a rate of successes", "a loss"],
)
def test_the_interval_is_that_of_what_fails(share, value, low, high):
    told = effect(draft("gate:g", share=share, value=value, low=low, high=high), "partial")
    assert ("52 % [46, 58]" if share > 0.5 else "26 % [16, 38]") in told


def test_a_share_of_few_cases_is_told_by_their_number_and_a_mean_or_a_loss_as_what_it_is():
    """The mean of seven answers is no frequency of use."""
    counted = draft(
        "weakness:retrieval_recall|x|y", ("a",) * 6, n=7, share=6 / 7, value=1 / 7, low=0, high=0.58
    )
    assert ", as in 6 of 7 cases here, 86 % [42, 100]: " in effect(counted, "partial")
    merged = counted | {"failing": ["a"] * 30, "metric": "abstention_correct"}
    assert ", as in 6 of 7 cases here" in effect(merged, "partial"), (
        "a finding that absorbs others has more cases"
    )
    in_part = counted | {"failing": ["a"] * 7, "metric": "retrieval_recall"}
    assert (
        "retrieval misses 86 % [42, 100] of the passages that a question needs on average over 7 cases: "
        in effect(in_part, "partial")
    ), "a case fails in part"
    loss = draft("check:perturbation|x|y", n=58, share=0.25, value=-0.25, low=-0.4, high=-0.1)
    assert "25 % [10, 40] more often than in the original wording, by 58 questions: " in effect(
        loss, "partial"
    )


def test_a_gate_harms_by_what_it_measures_and_its_case_by_its_class():
    """What half of the answers lack is not said to be what the worst of them does."""
    told = effect(draft("gate:judged_complete|own", metric="judged_complete"), "misleading")
    assert "5 of 10 cases here, 50 % [30, 70]: a user misses a condition, an exception or a step. In" in told
    assert told.endswith(
        "In the case shown, a user acts on a statement that does not hold for the question asked."
    )


def test_a_check_harms_by_what_it_measures():
    link = check("injection", "planted link shown", "attack_link_rate") | {"metric": "attack_link_rate"}
    told = effect(link, "partial")
    assert "a program that loads images by itself" in told, "many clients load an image unclicked"
    assert "and such text is retrieved, as in 5 of 10 cases here" in told


def test_without_a_share_or_a_harm():
    unknown = draft("limit:1", share=math.nan)
    assert effect(unknown, "") == "Users are misled."
    assert effect(unknown, "danger").startswith("A user who acts")


@pytest.mark.parametrize("harm", HARMS)
def test_every_class_of_harm_has_its_words(harm):
    assert effect(draft("errors:x"), harm) != "Users are misled."


def test_a_measure_of_retrieval_is_not_told_by_what_is_wrong_with_an_answer():
    gate = draft("gate:retrieval_recall|own", metric="retrieval_recall")
    assert "In the case shown" not in effect(gate, "superseded")


def test_a_measure_of_retrieval_that_a_right_answer_shows_says_so():
    gate = draft("gate:retrieval_recall|own", metric="retrieval_recall")
    assert effect(gate, "", is_right=True).endswith("In the case shown, the answer is right nevertheless.")
    assert "nevertheless" not in effect(gate, "") + effect(draft("errors:x"), "partial", is_right=True)
