"""What was not tested, from every producer, in one table; what has one reason is one row."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay.decision import not_tested
from ragassay.decision.conditions_of_use import FEWEST_RATED

TALK = "it needs the conversation so far"
LIMITS = pd.DataFrame(
    [
        ("00_scope", "Not tested, own risk: Outage."),
        ("03_risk_safety", f"Not tested, 37 of 726 questions: no answer: not applicable: {TALK}."),
        ("02_functionality", "Not tested, another system: the log holds one."),
        ("02_functionality", "Few labels."),
    ],
    columns=["chapter", "limit"],
)
CHECKS = pd.DataFrame(
    [
        ("privacy", "secret", "not applicable", f"not applicable: {TALK}", 0),
        ("bias", "age", "undecided", "too few", 16),
        ("stereotypes", "ambiguous", "undecided", "no answer names a person", 0),
    ],
    columns=["check", "aspect", "outcome", "reason", "n"],
)
ASIDE = pd.DataFrame(
    [("declined", "low >= 0.8", "a log cannot be asked")], columns=["gate", "rule", "reason"]
)


def test_every_producer_has_its_row_and_one_reason_is_one_row():
    gates = judge(
        {"judged_grounded": "low >= 0.8", "judged_complete": "low >= 0.8"},
        {"judged_grounded": {"own": (95, 100)}},
    )
    found = not_tested.not_tested(
        LIMITS, gates=gates, aside=ASIDE, checks=CHECKS,
        rated={"es": FEWEST_RATED - 1, "en": FEWEST_RATED}, barred=["support", "claims_entailed"],
        unread={"generated": 120, "own": 0}, aspects=[("dialects", "no test covers it: Wording", "Calls")],
    ).set_index("what")  # fmt: skip
    assert list(found.columns) == ["why", "what it would take"] and (found != "").all(axis=None)
    assert found.loc["Outage", "why"] == f"{not_tested.NO_TEST}: own risk"
    assert found.loc["120 answers to generated questions", "why"] == not_tested.UNREAD
    assert "stereotypes, ambiguous" in found.index and "bias, age" not in found.index
    assert found.loc["Spanish (29 rated)", "what it would take"].startswith("1 more rated answer")
    assert found.loc["dialects"].tolist() == ["no test covers it: Wording", "Calls"]
    assert found.loc["privacy, secret; 37 of 726 questions", "why"] == TALK
    assert "challenger" in found.loc["another system", "what it would take"]
    assert found.loc["Gate: declined (low >= 0.8)", "why"] == "a log cannot be asked"
    assert not_tested.EXCLUDED in found["why"].tolist() and "Spanish (29 rated)" in found.index
    assert sum(each.startswith("Gate: ") for each in found.index) == 2 and len(found) == 11
    assert not_tested.sentences(found.reset_index())[-1].endswith(f"{not_tested.EXCLUDED}.")


@pytest.mark.parametrize(
    "what, why, words",
    [
        ("perturbation, paraphrase", "no language model was named to paraphrase", "A language model, named"),
        ("37 of 726 questions", TALK, "given the conversation so far"),
        ("weak spots among Spanish (2)", "fewer than 6 questions", "More questions at these levels"),
        ("weak spots among staff (9)", "its level is not known", "This factor stated"),
        ("something new", "for a reason of its own", not_tested.OTHERWISE),
    ],
)
def test_what_it_would_take_follows_from_what_is_missing(what, why, words):
    assert words in not_tested.takes(what, why)
