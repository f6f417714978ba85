"""Which scores can be believed: each pair measured or refused with the reason, and what the report is told."""

import pandas as pd
from labelled_scores import tables

from ragassay.calibration import metric_comparison
from ragassay.stats import Interval


def judged(human):
    return metric_comparison.RaterJudgements(human, {"grounded": 1})


def test_the_comparison_says_why_a_pair_cannot_be_calibrated(rng):
    scores, human = tables(60, rng)
    compared = metric_comparison.compare_metrics(
        scores, {"groundedness": "grounded"}, judged(human.assign(label=1.0)), alpha=0.1, seed=0
    )
    assert compared.loc[0, "state"] == "not_measured" and compared.loc[0, "reason"]


def test_why_a_score_decides_though_another_is_better():
    rows = [("grouse_completeness", "complete", 0.86), ("answer_relevancy", "relevant", 0.69)]
    compared = pd.DataFrame(
        {"metric": name, "dimension": of, "state": "scored", "auroc": Interval(value, value - 0.1, 0.9, 50)}
        for name, of, value in rows
    )
    concluded = metric_comparison.conclusions(compared.assign(reason=""))
    said = metric_comparison.why_it_decides(concluded, "answer_relevancy", "relevant")
    assert said.startswith(
        "The calibrated rule decides by closeness to the question, which the parameters name. "
    )
    assert "Completeness (GroUSE) has a higher AUROC, but predicts “complete” and not “relevant”" in said
    best = metric_comparison.why_it_decides(concluded, "grouse_completeness", "complete")
    assert "higher" not in best
    assert "higher" not in metric_comparison.why_it_decides(concluded.head(0), "support", "grounded")


def test_limits_name_what_is_refused_and_what_is_blind(rng):
    scores, human = tables(120, rng)
    blind = scores.assign(metric="noise", value=rng.normal(size=120))
    both = pd.concat([scores, blind], ignore_index=True)
    pairs = {"groundedness": "grounded", "noise": "grounded", "absent": "grounded"}
    compared = metric_comparison.compare_metrics(both, pairs, judged(human), alpha=0.1, seed=0)
    said = metric_comparison.limits(compared)
    assert len(said) == 2 and said[0].startswith("The score absent is not calibrated to grounded: ")
    assert said[1].startswith("The score noise is not shown to predict grounded better than chance (AUROC ")


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
