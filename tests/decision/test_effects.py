"""The effect of a finding names the share measured and the harm."""

import math

import pytest

from decision.drafts import check, draft
from ragassay.decision.effects import effect
from ragassay.tables import HARMS


def test_a_share_with_its_interval_and_the_harm_of_the_case_shown():
    found = draft("errors:misleading", share=0.16, value=0.16, low=0.11, high=0.22)
    assert effect(found, "misleading") == (
        "If users ask as these questions do, about 16 % [11, 22] of the time: a user acts on a statement that "
        "does not hold for the question asked."
    )


@pytest.mark.parametrize(
    "share, value, low, high",
    [(0.52, 0.48, 0.42, 0.54), (0.26, -0.26, -0.38, -0.16)],
    ids=["a rate of successes", "a loss"],
)
def test_the_interval_is_that_of_what_fails(share, value, low, high):
    told = effect(draft("gate:g", share=share, value=value, low=low, high=high), "partial")
    assert ("52 % [46, 58]" if share > 0.5 else "26 % [16, 38]") in told


def test_a_gate_harms_by_what_it_measures_and_its_case_by_its_class():
    """What half of the answers lack is not said to be what the worst of them does."""
    told = effect(draft("gate:judged_complete|own", metric="judged_complete"), "misleading")
    assert "50 % [30, 70] of the time: a user misses a condition, an exception or a step. In" in told
    assert told.endswith(
        "In the case shown, a user acts on a statement that does not hold for the question asked."
    )


def test_a_check_harms_by_what_it_measures():
    link = check("injection", "planted link shown", "attack_link_rate") | {"metric": "attack_link_rate"}
    told = effect(link, "partial")
    assert "opens the link" in told and "and such text is retrieved, about" in told


def test_without_a_share_or_a_harm():
    unknown = draft("limit:1", share=math.nan)
    assert effect(unknown, "") == "Users are misled."
    assert effect(unknown, "danger").startswith("A user who acts")


@pytest.mark.parametrize("harm", HARMS)
def test_every_class_of_harm_has_its_words(harm):
    assert effect(draft("errors:x"), harm) != "Users are misled."
