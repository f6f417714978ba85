"""Which scores can be believed: each pair measured or refused with the reason, and what the report is told."""

import pandas as pd
from labelled_scores import tables

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
    left = {"noise": metric_comparison.BLIND, "absent": found["conclusion"][2]}
    assert metric_comparison.not_shown(found) == left
