"""Which scores predict the raters: ranked, turned, refused with a reason."""

import pandas as pd
import pytest
from labelled_scores import tables
from sklearn.metrics import roc_auc_score

from ragassay.calibration.metric_comparison import BLIND, PREDICTS, UNKNOWN, rank_metrics
from ragassay.labels.raters import accepted


def ranked(scores, human, *metrics, **options):
    judged = accepted(human, {"grounded": 1})
    return rank_metrics(scores, judged, dict.fromkeys(metrics, "grounded") if metrics else None, **options)


def test_a_score_predicts_is_blind_or_cannot_be_judged_the_best_first(rng):
    scores, human = tables(120, rng)
    blind = scores.assign(metric="noise", value=rng.normal(size=120))
    both = pd.concat([blind, scores], ignore_index=True)
    found = ranked(both, human, "absent", "noise", "groundedness")
    assert found.metric.tolist() == ["groundedness", "noise", "absent"]
    assert found.conclusion.tolist() == [PREDICTS, BLIND, UNKNOWN] and found.reason[2]
    assert ranked(both, human).metric.tolist() == ["groundedness", "noise"], "every metric on every judgement"


def test_auroc_is_of_all_labels_also_where_they_cannot_carry_a_fit(rng):
    """16 labels are too few for a calibrator on one half; nothing is fitted to rank them."""
    scores, human = tables(160, rng)
    whole, few = (ranked(scores, labels, "groundedness").iloc[0] for labels in (human, human.head(16)))
    rejected = int((human.label == 0).sum())
    assert (whole.n, whole.rarer_class) == (160, min(rejected, 160 - rejected))
    assert few.n == 16 and few.low > 0
    assert whole.auroc == pytest.approx(roc_auc_score(human.label, scores.value))


def test_what_reads_the_key_is_named_and_stands_last(rng):
    scores, human = tables(120, rng)
    with_key = scores.assign(metric="rouge_l")
    worse = scores.assign(value=scores.value + rng.normal(size=120))
    found = ranked(pd.concat([with_key, worse]), human, "rouge_l", "groundedness")
    assert found.reads_key.tolist() == [False, True] and found.auroc[1] > found.auroc[0]
