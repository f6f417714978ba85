"""Which scores can be believed: each pair measured or refused with the reason, and what the report is told."""

import numpy as np
import pandas as pd
import pytest
from labelled_scores import tables
from sklearn.metrics import roc_auc_score

from ragassay.calibration import metric_comparison


def judged(human):
    return metric_comparison.RaterJudgements(human, {"grounded": 1})


def test_the_comparison_says_why_a_pair_cannot_be_calibrated(rng):
    scores, human = tables(60, rng)
    compared = metric_comparison.compare_metrics(
        scores, {"groundedness": "grounded"}, judged(human.assign(label=1.0)), alpha=0.1, seed=0
    )
    assert compared.loc[0, "state"] == "not_measured" and compared.loc[0, "reason"]


def test_a_score_predicts_is_blind_or_cannot_be_judged_the_best_first(rng):
    scores, human = tables(120, rng)
    blind = scores.assign(metric="noise", value=rng.normal(size=120))
    both = pd.concat([blind, scores], ignore_index=True)
    pairs = {"absent": "grounded", "noise": "grounded", "groundedness": "grounded"}
    compared = metric_comparison.compare_metrics(both, pairs, judged(human), alpha=0.1, seed=0)
    found = metric_comparison.conclusions(compared)
    assert found["metric"].tolist() == ["groundedness", "noise", "absent"]
    assert found["conclusion"].tolist()[:2] == [metric_comparison.PREDICTS, metric_comparison.BLIND]
    assert found["conclusion"][2] == compared.loc[0, "reason"] != ""


def test_auroc_is_of_all_labels_also_where_they_cannot_carry_a_fit(rng):
    """16 labels are too few for a calibrator on one half; nothing is fitted to rank them."""
    scores, human = tables(160, rng)
    pairs = {"groundedness": "grounded"}
    whole, few = (
        metric_comparison.compare_metrics(scores, pairs, judged(labels), alpha=0.1, seed=0).iloc[0]
        for labels in (human, human.head(16))
    )
    rejected = int((human.label == 0).sum())
    assert (whole.auroc.n, whole.rarer_class) == (160, min(rejected, 160 - rejected))
    assert few.state == "not_measured" and few.auroc.n == few.n == 16 and few.auroc.low > 0
    assert whole.auroc.value == pytest.approx(roc_auc_score(human.label, scores.value))


def test_where_lower_is_better_the_score_is_turned(rng):
    scores, human = tables(80, rng)
    turned = scores.assign(metric="hallucination", value=-scores.value)
    pairs = {"groundedness": "grounded", "hallucination": "grounded"}
    both = pd.concat([scores, turned], ignore_index=True)
    plain, lower = metric_comparison.compare_metrics(both, pairs, judged(human), alpha=0.1, seed=0).auroc
    assert (plain.value, plain.low) == (lower.value, lower.low)


def test_what_reads_the_key_is_named_and_stands_last(rng):
    scores, human = tables(120, rng)
    with_key = scores.assign(metric="rouge_l")
    worse = scores.assign(value=scores.value + rng.normal(size=120))
    pairs = {"rouge_l": "grounded", "groundedness": "grounded"}
    compared = metric_comparison.compare_metrics(
        pd.concat([with_key, worse]), pairs, judged(human), alpha=0.1, seed=0
    )
    found = metric_comparison.conclusions(compared)
    assert found.reads_key.tolist() == [False, True] and found.auroc[1].value > found.auroc[0].value


def test_nothing_rests_on_labels_on_which_raters_hardly_agree(rng):
    scores, human = tables(60, rng)
    refused = pd.DataFrame({"dimension": ["grounded"], "state": ["refused"], "reason": ["alpha 0.1"]})
    by_raters = metric_comparison.RaterJudgements(human, {"grounded": 1}, reliability=refused)
    (row,) = metric_comparison.compare_metrics(
        scores, {"groundedness": "grounded"}, by_raters, alpha=0.1, seed=0
    ).itertuples()
    assert np.isnan(row.auroc.value) and row.reason == "alpha 0.1"
