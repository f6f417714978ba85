"""Both stages together: by hand, the promise kept in simulation, the halves disjoint, refusals stated."""

import numpy as np
import pandas as pd
import pytest

from ragassay.calibration import conformal, pipeline
from ragassay.errors import LabelError


def scored(n, rng, slope=4.0):
    value = rng.normal(size=n)
    label = (rng.random(n) < 1 / (1 + np.exp(-slope * value))).astype(int)
    return pd.DataFrame(
        {
            "case_id": [f"c{i:04d}" for i in range(n)],
            "system": "bank",
            "value": value,
            "level": label,
            "label": label,
        }
    )


def tables(n, rng):
    rows = scored(n, rng)
    scores = rows[["case_id", "system", "value"]].assign(
        metric="groundedness", state="scored", reason="", detail="[]"
    )
    human = rows[["case_id", "system"]].assign(
        dimension="grounded", rater="m1", label=rows.label.astype(float), scale="0-1"
    )
    return scores, human


def test_the_halves_are_disjoint_and_whole(rng):
    found = pipeline.calibrate(scored(101, rng), "groundedness", "grounded")
    both = list(found.fitting.case_id) + list(found.held_out.case_id)
    assert len(set(both)) == len(both) == 101


def test_q_hat_is_the_kth_smallest_of_the_held_out_half(rng):
    found = pipeline.calibrate(scored(80, rng), "groundedness", "grounded", alpha=0.2)
    misfit = np.sort(np.abs(found.held_out.label - found.held_out.probability))
    assert found.q_hat == pytest.approx(misfit[int(np.ceil((len(misfit) + 1) * 0.8)) - 1])


def test_a_case_is_judged_by_the_others(rng):
    found = pipeline.calibrate(scored(60, rng), "groundedness", "grounded")
    misfit = conformal.nonconformity(found.held_out.probability, found.held_out.label)
    own = conformal.threshold(np.delete(misfit, 7), 0.1)
    assert found.held_out.prediction_set[7] == conformal.sets(found.held_out.probability[[7]], own)[0]


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_measured_coverage_keeps_the_promise(alpha):
    """600 simulated engagements of 80 labels: the mean measured coverage is at least nominal, less 3 standard errors, and not far above."""
    shares = []
    for seed in range(600):
        rows = scored(80, np.random.default_rng(seed))
        held = pipeline.calibrate(rows, "m", "d", alpha=alpha, seed=seed, kinds=("logistic",)).held_out
        shares.append(
            np.mean([label in found for found, label in zip(held.prediction_set, held.label, strict=True)])
        )
    error = 3 * np.std(shares) / np.sqrt(len(shares))
    assert 1 - alpha - error <= np.mean(shares) <= 1 - alpha + 1 / 40 + error


def test_verdicts_fit_their_table(rng):
    from ragassay import tables as declared

    scores, human = tables(90, rng)
    labelled = pipeline.join_labels(scores, human, "groundedness", "grounded", 1)
    found = pipeline.calibrate(labelled, "groundedness", "grounded")
    table = declared.check("verdicts", pipeline.verdicts(found, scores))
    assert len(table) == 90 and set(table.decision) <= {"accept", "reject", "review"}


def test_too_few_labels_leave_every_set_full(rng):
    found = pipeline.calibrate(scored(30, rng), "m", "d", alpha=0.05)
    assert np.isinf(found.q_hat)
    assert all(each == [0, 1] for each in found.held_out.prediction_set)


def test_the_comparison_says_why_a_pair_cannot_be_calibrated(rng):
    scores, human = tables(60, rng)
    compared = pipeline.compare_metrics(
        scores, human.assign(label=1.0), {"groundedness": "grounded"}, {"grounded": 1}, alpha=0.1, seed=0
    )
    assert compared.loc[0, "state"] == "not_measured" and compared.loc[0, "reason"]


def test_no_labels_no_calibration():
    with pytest.raises(LabelError, match="too few"):
        pipeline.calibrate(scored(1, np.random.default_rng(0)), "m", "d")


def test_graded_labels_are_cut_at_the_level_named(rng):
    scores, human = tables(10, rng)
    graded = human.assign(dimension="relevant", label=[1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], scale="1-5")
    assert (
        pipeline.join_labels(scores, graded, "groundedness", "relevant", 4).label.tolist()
        == [0, 0, 0, 1, 1] * 2
    )


def test_a_refusal_is_a_sentence_and_no_refusal_is_none(rng):
    rows = scored(80, rng)
    assert pipeline.why_not_calibratable(rows, "groundedness", "grounded", alpha=0.1, seed=0) == ""
    said = pipeline.why_not_calibratable(rows[:1], "groundedness", "grounded", alpha=0.1, seed=0)
    assert (
        said
        == "groundedness is not calibrated to grounded: there are too few labelled scores to calibrate (found: 1)."
    )
    assert "not calibrated" in pipeline.why_not_calibratable(
        rows.assign(label=1), "groundedness", "grounded", alpha=0.1, seed=0
    )
    assert "not calibrated" in pipeline.why_not_calibratable(
        rows.assign(value=0.5), "groundedness", "grounded", alpha=0.1, seed=0
    )


def test_a_refusal_does_not_hide_a_wrong_alpha(rng):
    with pytest.raises(ValueError, match="alpha"):
        pipeline.why_not_calibratable(scored(80, rng), "groundedness", "grounded", alpha=1.5, seed=0)


def test_no_verdicts_have_the_columns_of_verdicts(rng):
    from ragassay import tables as declared

    scores, human = tables(90, rng)
    found = pipeline.calibrate(
        pipeline.join_labels(scores, human, "groundedness", "grounded", 1), "groundedness", "grounded"
    )
    empty = declared.check("verdicts", pipeline.no_verdicts())
    assert empty.empty and list(empty) == list(pipeline.verdicts(found, scores))


def test_decisions_by_hand():
    counts = pipeline.count_decisions(pd.DataFrame({"decision": ["accept", "review", "accept", "accept"]}))
    assert counts.to_numpy().tolist() == [["accept", 3, 0.75], ["reject", 0, 0.0], ["review", 1, 0.25]]


def test_no_decision_has_no_share():
    counts = pipeline.count_decisions(pipeline.no_verdicts())
    assert counts["n"].tolist() == [0, 0, 0] and counts["share"].isna().all()


def test_limits_name_what_is_refused_and_what_is_blind(rng):
    scores, human = tables(120, rng)
    blind = scores.assign(metric="noise", value=rng.normal(size=120))
    both = pd.concat([scores, blind], ignore_index=True)
    pairs = {"groundedness": "grounded", "noise": "grounded", "absent": "grounded"}
    compared = pipeline.compare_metrics(both, human, pairs, {"grounded": 1}, alpha=0.1, seed=0)
    said = pipeline.limits(compared)
    assert len(said) == 2 and said[0].startswith("absent is not calibrated to grounded: ")
    assert said[1].startswith("noise does not predict grounded beyond chance (AUROC ")
