"""What closes a finding, and the joint test of findings whose remedies pull against each other."""

import json

from decision.drafts import draft
from ragassay.decision.closing import finding_closure
from ragassay.decision.closing.finding_closure import (
    ALONE,
    TABLE,
    closed_when,
    sentences,
    with_control_and_proof,
)
from ragassay.decision.findings.behaviours import behaviours


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
    assert "at once, by the release candidate on one new set" in first["proof"] and TABLE in first["proof"]


def test_a_joint_test_is_due_on_the_earliest_day_of_its_findings():
    """Formerly each kept its own day, and one test had two."""
    late, soon = {**ANSWERED, "due": "2027-02-21"}, {**REFUSED, "due": "2026-12-23"}
    for found in with_control_and_proof([late, soon]):
        for text in (found["proof"], found["recommendation"]):
            assert text.endswith(", by 2026-12-23.")
    assert not any(
        ", by " in found["proof"].partition("new set")[2]
        for found in with_control_and_proof([ANSWERED, REFUSED])
    )


def test_findings_that_pull_the_same_way_are_closed_by_themselves():
    misuse = row("check:misuse|all families|misuse_answered_rate", criterion(fewest=102))
    first, second = with_control_and_proof([ANSWERED, misuse])
    assert (
        "joint" not in first["proof"] + second["proof"]
        and second["recommendation"] == misuse["recommendation"]
    )
    three = with_control_and_proof([ANSWERED, REFUSED, misuse])
    assert all("joint" in each["proof"] for each in three) and "F2 and F3" in three[0]["proof"]
    assert "F1 and F3 more" in three[1]["recommendation"]


def test_a_finding_on_both_axes_names_those_of_both_joint_tests():
    both = row(
        COMPLETE["source"],
        criterion("low", 0.6),
        also=[("gate:answerable_declined|own", criterion("high", 0.1))],
    )
    _, found, _ = with_control_and_proof([ANSWERED, both, MISLED])
    assert "joint with F1 and F3 at once" in found["proof"]


def test_two_pairs_pull_apart_and_what_else_closes_a_finding_stays():
    complete = row(COMPLETE["source"], criterion("low", 0.6), also=[GROUNDED])
    found = with_control_and_proof([ANSWERED, complete, REFUSED, MISLED])
    assert (
        "answers say more, F4 less" in found[1]["recommendation"] and "F1" not in found[1]["recommendation"]
    )
    assert "joint with F4 at once" in found[1]["proof"] and "joint with F3" in found[0]["proof"]


def test_what_is_settled_or_waived_pulls_at_nothing():
    for status in ("retested", "closed", "waived: A. Meyer"):
        found, _ = with_control_and_proof([ANSWERED, {**REFUSED, "status": status}])
        assert "joint" not in found["proof"]


def test_what_records_no_criterion_has_no_proof():
    assert closed_when(row("errors:unsafe", criterion("value", 0.0, 264))) == ALONE
    assert closed_when(row("limit:1")) == "" and with_control_and_proof([row("limit:1")])[0]["control"] == ""


def test_a_gate_that_errors_carry_pulls_at_nothing():
    complete = "gate:judged_complete|own", criterion("low", 0.6)
    refused = row("errors:needless refusal", criterion("high", 0.1), also=[complete, GROUNDED])
    first, second = with_control_and_proof([refused, MISLED])
    assert "joint" not in first["proof"] + second["proof"]


def test_the_control_of_a_weak_slice_names_its_questions():
    for metric in ("retrieval_recall", "judged_complete"):
        for dimension in ("language", "topic"):
            weak = row(f"weakness:{metric}|{dimension}|es", strata=["questions in Spanish"])
            assert "questions in Spanish" in with_control_and_proof([weak])[0]["control"]


def test_no_sentence_of_the_controls_of_a_finding_stands_twice():
    """Formerly staff were told twice to search the documents themselves, in a gate and its weak slice."""
    rows = list(behaviours())
    slices = [of for of in rows if of.startswith("weakness:retrieval_recall|")]
    for also in slices:
        told = finding_closure.controlled(row("gate:retrieval_recall|own", also=[(f"{also}|x", criterion())]))
        said = sentences(told)
        assert len(said) == len(set(said)) > 1 and told.count("search the documents themselves") == 1


def test_the_control_of_a_slice_in_a_gate_names_the_questions_of_the_slice():
    """Formerly those of the gate, "own questions"."""
    weak = "weakness:retrieval_recall|language|es", criterion()
    [told] = with_control_and_proof(
        [row("gate:retrieval_recall|own", also=[weak], strata=["own questions", "Spanish"])]
    )
    assert "Spanish" in told["control"] and "own questions" not in told["control"]


def test_a_filter_is_tested_together_with_questions_that_have_no_answer():
    """Keeping a document out leaves questions without an answer, which another finding says are answered."""
    filtered = row("check:access|superseded documents|superseded_cited_rate", criterion(fewest=72))
    first, second = with_control_and_proof([ANSWERED, filtered])
    assert "joint with F2 at once" in first["proof"] and "joint with F1 at once" in second["proof"]
    alone, _ = with_control_and_proof([filtered, MISLED])
    assert "joint" not in alone["proof"]


def test_what_still_governs_its_own_time_is_not_taken_out_of_the_index():
    filtered = row("check:access|superseded documents|superseded_cited_rate", criterion(fewest=72))
    [told] = with_control_and_proof([filtered])
    assert "out of the index" not in told["control"] and "read in the document itself" in told["control"]


def test_a_control_of_conversations_stands_only_where_the_assistant_takes_them():
    passage = row("check:privacy|secret in a passage|secret_leak_rate", criterion(fewest=72))
    told = "check:privacy|secret in a conversation|secret_leak_rate", criterion(fewest=72)
    [without] = with_control_and_proof([passage])
    [with_history] = with_control_and_proof([{**passage, "also": [told[0]]}])
    assert "conversation" not in without["control"] and "conversation" in with_history["control"]


def test_what_loads_by_itself_is_held_by_plain_text():
    link = row("check:injection|planted link shown|attack_link_rate", criterion(fewest=72))
    assert "plain text, without images or links" in with_control_and_proof([link])[0]["control"]
