"""Both stages together: by hand, the promise kept in simulation, the halves disjoint, refusals decided before."""

import numpy as np
import pandas as pd
import pytest
from labelled_scores import scored, tables

from ragassay.calibration import calibrated_verdicts, calibration_pipeline, conformal
from ragassay.calibration.conformal import partition
from ragassay.errors import LabelError


def test_the_halves_are_disjoint_and_whole(rng):
    found = calibration_pipeline.calibrate(scored(101, rng), "groundedness", "grounded")
    both = list(found.fitting.case_id) + list(found.held_out.case_id)
    assert len(set(both)) == len(both) == 101


def test_q_hat_is_the_kth_smallest_of_the_held_out_half(rng):
    found = calibration_pipeline.calibrate(scored(80, rng), "groundedness", "grounded", alpha=0.2)
    scores_held = np.sort(np.abs(found.held_out.label - found.held_out.probability))
    assert found.q_hat == pytest.approx(scores_held[int(np.ceil((len(scores_held) + 1) * 0.8)) - 1])


@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_new_answers_are_covered_as_promised(alpha, simulations):
    """600 simulated engagements of 80 labels, 50 new answers: mean coverage at least nominal, less 3 standard errors, and not far above."""
    shares = []
    for seed in range(simulations(600)):
        rows = scored(130, np.random.default_rng(seed))
        found = calibration_pipeline.calibrate(
            rows[:80], "m", "d", alpha=alpha, seed=seed, kinds=("logistic",)
        )
        new = rows[80:]
        sets = conformal.sets(found.calibrator.predict(new.value), found.thresholds.per_case(["all"]))
        shares.append(np.mean([label in each for each, label in zip(sets, new.label, strict=True)]))
    error = 3 * np.std(shares) / np.sqrt(len(shares))
    assert 1 - alpha - error <= np.mean(shares) <= 1 - alpha + 1 / 40 + error


def test_no_labels_no_calibration():
    with pytest.raises(LabelError, match="too few"):
        calibration_pipeline.calibrate(scored(1, np.random.default_rng(0)), "m", "d")


def test_graded_labels_are_cut_at_the_level_named(rng):
    scores, human = tables(10, rng)
    graded = human.assign(dimension="relevant", label=[1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], scale="1-5")
    assert (
        calibration_pipeline.join_labels(scores, graded, "groundedness", "relevant", 4).label.tolist()
        == [0, 0, 0, 1, 1] * 2
    )


def refused(label_reliability_state="refused"):
    rows = [("grounded", label_reliability_state, "two raters of one answer hardly agree")]
    return pd.DataFrame(rows, columns=["dimension", "state", "reason"])


def clustered(rows, name="one"):
    return rows.assign(cluster=name)


LABELS = {  # what the labels are -> whether they can carry a calibration
    "enough": (lambda rows: rows, True),
    "enough in conversations": (
        lambda rows: rows.assign(cluster=[f"k{i // 2}" for i in range(len(rows))]),
        True,
    ),
    "none": (lambda rows: rows[:0], False),
    "one": (lambda rows: rows[:1], False),
    "few": (lambda rows: rows[:12], False),
    "one class": (lambda rows: rows.assign(label=1), False),
    "hardly two classes": (lambda rows: rows.assign(label=[1] * 77 + [0] * 3), False),
    "a constant score": (lambda rows: rows.assign(value=0.5), False),
    "a missing score": (lambda rows: rows.assign(value=np.nan), False),
    "one conversation": (clustered, False),
}


@pytest.mark.parametrize("case", LABELS)
def test_what_is_said_before_is_what_calibrate_does(case):
    """The rule that decides before anything is fitted, and calibrate, never disagree; nor does what stands for neither."""
    change, possible = LABELS[case]
    rows = change(scored(80, np.random.default_rng(1)))
    why_not = calibration_pipeline.why_not_calibratable(rows, "grounded", seed=0)
    found = calibration_pipeline.calibrate_if_possible(rows, "groundedness", "grounded", seed=0)
    assert (why_not == "") == possible == (found.why_not == "")
    if possible:
        assert isinstance(
            calibration_pipeline.calibrate(rows, "groundedness", "grounded", seed=0),
            calibration_pipeline.Calibration,
        )
        return
    with pytest.raises(LabelError) as problem:
        calibration_pipeline.calibrate(rows, "groundedness", "grounded", seed=0)
    assert why_not == f"{problem.value.what} (found: {problem.value.found})" and why_not in found.why_not


def test_unreliable_labels_are_refused(rng):
    rows = scored(80, rng)
    said = calibration_pipeline.calibrate_if_possible(
        rows, "groundedness", "grounded", label_reliability=refused()
    ).why_not
    assert "hardly agree" in said
    for other in (refused("carried"), refused().assign(dimension="relevant"), refused()[:0], None):
        assert (
            calibration_pipeline.why_not_calibratable(rows, "grounded", seed=0, label_reliability=other) == ""
        )


def test_what_stands_for_a_calibration_has_its_tables_without_a_row(rng):
    absent = calibration_pipeline.calibrate_if_possible(scored(1, rng), "groundedness", "grounded")
    present = calibration_pipeline.calibrate_if_possible(
        scored(80, rng).assign(cluster=range(80)), "groundedness", "grounded"
    )
    assert list(absent.held_out) == list(present.held_out) and absent.held_out.empty
    assert list(absent.selection.table) == list(present.selection.table) and absent.selection.table.empty
    assert np.isinf(absent.q_hat)


@pytest.mark.parametrize("mondrian", partition.MONDRIAN)
def test_the_pipeline_and_its_verdicts_use_them(mondrian, rng):
    """The verdicts of new answers follow the partition named; a topic without labels decides nothing."""
    rows = scored(160, rng).assign(group=np.repeat(["cards", "loans"], 80))
    options = {"alpha": 0.2, "score": "negative_logit", "mondrian": mondrian}
    found = calibration_pipeline.calibrate_if_possible(rows, "groundedness", "grounded", **options)
    assert found.thresholds.by == mondrian and found.score == "negative_logit"
    new = rows.assign(metric="groundedness", state="scored")
    topics = pd.Series("loans", index=rows.case_id)
    topics.iloc[:10] = "never seen"
    sets = calibrated_verdicts.verdicts(found, new, topics).prediction_set
    assert (sets.iloc[:10].tolist() == [[0, 1]] * 10) == (mondrian == "topic")
    assert any(len(each) == 1 for each in sets.iloc[10:])
