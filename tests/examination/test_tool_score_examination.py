"""Scores of another tool are examined as ours: their errors against raters, and beside ours."""

import numpy as np
import pandas as pd
import pytest

from calibration.labelled_scores import tables
from ragassay.answers import tool_score_rows
from ragassay.calibration.metric_comparison import RaterJudgements
from ragassay.examination import tool_score_examination

SCORE, VERDICT = "ragas:faithfulness", "deepeval:faithfulness_passed"


def errors(scores, human, name):
    judged = RaterJudgements(human, {"grounded": 1.0})
    return tool_score_examination.errors(scores, {name: "grounded"}, judged, alpha=0.1, seed=0)


@pytest.fixture
def labelled():
    scores, human = tables(160, np.random.default_rng(0))
    return scores.assign(metric=SCORE), human


def test_a_verdict_is_judged_as_it_stands(labelled):
    scores, human = labelled
    verdicts = scores.assign(metric=VERDICT, value=(scores.value > 0).astype(float))
    (row,) = errors(verdicts, human, VERDICT).to_dict("records")
    said, label = verdicts.value.to_numpy(), human.label.to_numpy()
    assert row["judged_by"] == tool_score_examination.OWN and row["n"] == 160
    assert row["type_1"].value == pytest.approx(said[label == 0].mean())
    assert row["type_2"].value == pytest.approx(1 - said[label == 1].mean())


def test_where_lower_is_better_the_verdict_is_turned(labelled):
    scores, human = labelled
    name = "ragchecker:hallucination"
    good = (scores.value > 0).astype(float)
    rows = [
        errors(scores.assign(metric=metric, value=value), human, metric).type_1[0]
        for metric, value in ((VERDICT, good), (name, 1 - good))
    ]
    assert rows[0].value == rows[1].value


def test_a_graded_score_is_calibrated_first(labelled):
    scores, human = labelled
    (row,) = errors(scores, human, SCORE).to_dict("records")
    assert row["judged_by"] == tool_score_examination.CALIBRATED and 0 < row["n"] < 160
    few = errors(scores, human.head(4), SCORE)
    assert few.reason[0] and np.isnan(few.type_1[0].value)


def test_it_stands_beside_the_score_of_ours(labelled):
    scores, _ = labelled
    both = pd.concat([scores, scores.assign(metric="support", value=scores.value**3)], ignore_index=True)
    found = tool_score_examination.beside_ours(both, rng=np.random.default_rng(0))
    assert found[["score", "ours", "n"]].values.tolist() == [[SCORE, "support", 160]]
    assert found.rank_correlation[0].value == pytest.approx(1)
    constant = both.assign(value=both.value.where(both.metric == SCORE, 0.5))
    assert np.isnan(
        tool_score_examination.beside_ours(constant, rng=np.random.default_rng(0)).rank_correlation[0].value
    )
    assert tool_score_examination.beside_ours(scores, rng=np.random.default_rng(0)).empty


def test_pairs_are_those_that_raters_judged_without_the_answer_key(labelled):
    scores, human = labelled
    names = (SCORE, "ragas:answer_relevancy", "ragas:x", "ragas:answer_correctness")
    found = tool_score_rows.pairs(
        pd.concat([scores.assign(metric=name) for name in names]),
        pd.concat([human, human.assign(dimension="complete")]),
    )
    assert found == {SCORE: "grounded"}
