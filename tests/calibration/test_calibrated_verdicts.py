"""Verdicts on every scored answer, and their counts."""

import pandas as pd
from labelled_scores import tables

from ragassay.calibration import calibrated_verdicts, calibration_pipeline

ABSENT = calibration_pipeline.uncalibrated("groundedness", "grounded", 0.1, "the labels are too few")


def test_verdicts_fit_their_table(rng):
    from ragassay import tables as declared

    scores, human = tables(90, rng)
    labelled = calibration_pipeline.join_labels(scores, human, "groundedness", "grounded", 1)
    found = calibration_pipeline.calibrate(labelled, "groundedness", "grounded")
    table = declared.check("verdicts", calibrated_verdicts.verdicts(found, scores))
    assert len(table) == 90 and set(table.decision) <= {"accept", "reject", "review"}


def test_no_verdicts_have_the_columns_of_verdicts(rng):
    from ragassay import tables as declared

    scores, human = tables(90, rng)
    found = calibration_pipeline.calibrate(
        calibration_pipeline.join_labels(scores, human, "groundedness", "grounded", 1),
        "groundedness",
        "grounded",
    )
    empty = declared.check("verdicts", calibrated_verdicts.verdicts(ABSENT, scores))
    assert empty.empty and list(empty) == list(calibrated_verdicts.verdicts(found, scores))


def test_decisions_by_hand():
    counts = calibrated_verdicts.count_decisions(
        pd.DataFrame({"decision": ["accept", "review", "accept", "accept"]})
    )
    assert counts.to_numpy().tolist() == [["accept", 3, 0.75], ["reject", 0, 0.0], ["review", 1, 0.25]]


def test_no_decision_has_no_share():
    counts = calibrated_verdicts.count_decisions(calibrated_verdicts.verdicts(ABSENT, pd.DataFrame()))
    assert counts["n"].tolist() == [0, 0, 0] and counts["share"].isna().all()


def test_what_users_get_is_counted_by_their_questions_and_refusals_are_left_to_people():
    """Formerly generated questions counted too, 72 % accepted beside 41 %, and refusals nowhere."""
    ids = [f"c{n}" for n in range(6)]
    cases = pd.DataFrame({"case_id": ids, "origin": ["own"] * 3 + ["generated"] * 3})
    rows = pd.DataFrame({"case_id": ids, "system": "s", "metric": "m"})
    decided = rows.drop(index=2).assign(decision="accept", probability=0.9)
    alike = calibrated_verdicts.like_users(decided, rows, cases)
    assert alike["decision"].tolist() == ["accept", "accept", "review"] and alike["scored"].sum() == 2
    made = cases.assign(origin="generated")
    everything = calibrated_verdicts.like_users(decided, rows, made)
    assert len(everything) == 6
    assert calibrated_verdicts.like_users(decided.head(0), rows, cases).empty
