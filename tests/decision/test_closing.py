"""What closes a finding, and the joint test of findings whose remedies pull against each other."""

import json

import pytest

from decision.drafts import draft
from ragassay.decision.closing import closed_when, with_control_and_proof
from ragassay.decision.sample_sizes import CHANCE, questions_if_half
from ragassay.stats import clopper_pearson


def criterion(by="", threshold=0.0, fewest=0) -> dict:
    return {"rule": "", "by": by, "threshold": threshold, "fewest": fewest}


def row(source: str, asked: dict | None = None, also=(), **more) -> dict:
    recorded = {source: asked} if asked else {}
    recorded |= dict(also)
    named = {"also": [name for name, _ in also], "status": "open", "asked": json.dumps(recorded)}
    return {**draft(source), **named, **more}


ANSWERED = row("errors:should have declined", criterion("high", 0.2))
REFUSED = row("errors:needless refusal", criterion("high", 0.1))
COMPLETE = row("gate:judged_complete|own", criterion("low", 0.6))
MISLED = row("errors:misleading", criterion("high", 0.05))
GROUNDED = "gate:judged_grounded|own", criterion("low", 0.8)


def test_opposite_remedies_name_each_other_and_share_one_test():
    first, second = with_control_and_proof([ANSWERED, REFUSED])
    assert "decline more, F2 less" in first["recommendation"]
    assert "decline less, F1 more" in second["recommendation"]
    assert first["proof"].partition("F2")[2] == second["proof"].partition("F1")[2], "one test"
    for text in ("one new set", "at once", "at most 20 % were answered", "at most 10 % were refused"):
        assert text in first["proof"]
    assert "of 150 or more" in first["proof"] and "of 310 or more" in first["proof"]


def test_findings_that_pull_the_same_way_are_closed_by_themselves():
    misuse = row("check:misuse|all families|misuse_answered_rate", criterion(fewest=102))
    first, second = with_control_and_proof([ANSWERED, misuse])
    assert (
        "Joint" not in first["proof"] + second["proof"]
        and second["recommendation"] == misuse["recommendation"]
    )
    three = with_control_and_proof([ANSWERED, REFUSED, misuse])
    assert all("Joint test" in each["proof"] for each in three)
    assert "F1 and F3 more" in three[1]["recommendation"] and "102 or more" in three[0]["proof"]


def test_two_pairs_pull_apart_and_what_else_closes_a_finding_stays():
    complete = row(COMPLETE["source"], criterion("low", 0.6), also=[GROUNDED])
    found = with_control_and_proof([ANSWERED, complete, REFUSED, MISLED])
    assert (
        "answers say more, F4 less" in found[1]["recommendation"] and "F1" not in found[1]["recommendation"]
    )
    assert "Beside it: grounded (raters) at least 80 %" in found[1]["proof"]
    assert "mislead" in found[1]["proof"] and "refused" not in found[1]["proof"]


def test_what_is_settled_or_waived_pulls_at_nothing():
    for status in ("retested", "closed", "waived: A. Meyer"):
        found, _ = with_control_and_proof([ANSWERED, {**REFUSED, "status": status}])
        assert "Joint" not in found["proof"]


def test_what_closes_a_finding_is_what_the_next_run_asks_of_it():
    unsafe = row("errors:unsafe", criterion("value", 0.0, 264))
    assert closed_when(unsafe).startswith(
        "Of 264 or more new answers that raters read, questions of security"
    )
    slice_ = row("weakness:retrieval_recall|language|es", criterion(fewest=30))
    assert "30 or more: not significantly worse" in closed_when(slice_)
    own = row("check:mine|all|my_rate", criterion(fewest=9))
    assert closed_when(own) == "The same trials put again, 9 or more: the criterion is met."
    assert closed_when(row("limit:1")) == "" and with_control_and_proof([row("limit:1")])[0]["control"] == ""
    met = row("gate:retrieval_recall|own", criterion("low", 0.8), value=0.84)
    assert closed_when(met).endswith("on 400 or more new questions.")


@pytest.mark.parametrize("most", [0.05, 0.1, 0.2, 0.4])
def test_so_many_questions_show_it_of_a_system_twice_as_good(most, rng):
    n = questions_if_half(most)
    passed = [clopper_pearson(int(bad), n).high <= most for bad in rng.binomial(n, most / 2, 2000)]
    assert sum(passed) / 2000 == pytest.approx(CHANCE, abs=0.05)
    assert questions_if_half(0.0) == 0 == questions_if_half(1.0)


def test_a_gate_that_errors_carry_is_asked_for_by_name_and_pulls_at_nothing():
    complete = "gate:judged_complete|own", criterion("low", 0.6)
    refused = row("errors:needless refusal", criterion("high", 0.1), also=[complete, GROUNDED])
    first, second = with_control_and_proof([refused, MISLED])
    assert first["proof"].endswith(
        "the gates that it carries are passed: complete (raters), grounded (raters)."
    )
    assert "Joint" not in first["proof"] + second["proof"]


def test_the_share_of_what_is_left_is_not_read_as_what_its_gate_measured():
    left = row("gate:judged_complete|own", criterion("low", 0.6), value=0.65, held={"errors:misleading": 3})
    assert "on 60 or more" in closed_when(left) and "on 60 or more" not in closed_when({**left, "held": {}})
