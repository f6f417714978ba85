"""Scores of another tool are examined as ours: their errors against raters."""

import numpy as np
import pandas as pd
import pytest

from calibration.labelled_scores import tables
from ragassay.answers.log_formats import tool_scores
from ragassay.examination import tool_score_examination
from ragassay.labels.raters import accepted

SCORE, VERDICT = "ragas:faithfulness", "deepeval:faithfulness_passed"


def errors(scores, human, name):
    judged = accepted(human, {"grounded": 1.0})
    return tool_score_examination.errors(scores, judged, {name: "grounded"})


@pytest.fixture
def labelled():
    scores, human = tables(160, np.random.default_rng(0))
    return scores.assign(metric=SCORE), human


def test_a_verdict_is_judged_as_it_stands(labelled):
    scores, human = labelled
    verdicts = scores.assign(metric=VERDICT, value=(scores.value > 0).astype(float))
    (row,) = errors(verdicts, human, VERDICT).to_dict("records")
    said, label = verdicts.value.to_numpy(), human.label.to_numpy()
    assert row["decided_by"] == tool_score_examination.OWN and row["n_rejected"] + row["n_accepted"] == 160
    assert row["type_1"] == pytest.approx(said[label == 0].mean())
    assert row["type_2"] == pytest.approx(1 - said[label == 1].mean())


def test_where_lower_is_better_the_verdict_is_turned(labelled):
    scores, human = labelled
    name = "ragchecker:hallucination"
    good = (scores.value > 0).astype(float)
    rows = [
        errors(scores.assign(metric=metric, value=value), human, metric).type_1[0]
        for metric, value in ((VERDICT, good), (name, 1 - good))
    ]
    assert rows[0] == rows[1]


def test_a_graded_score_is_calibrated_first(labelled):
    scores, human = labelled
    (row,) = errors(scores, human, SCORE).to_dict("records")
    assert (
        row["decided_by"] == tool_score_examination.CALIBRATED
        and 0 < row["n_accepted"] + row["n_rejected"] < 160
    )
    few = errors(scores, human.head(4), SCORE)
    assert few.reason[0] and np.isnan(few.type_1[0])


def test_pairs_are_those_that_raters_judged_without_the_answer_key(labelled):
    scores, human = labelled
    names = (SCORE, "ragas:answer_relevancy", "ragas:x", "ragas:answer_correctness")
    found = tool_scores.pairs(
        pd.concat([scores.assign(metric=name) for name in names]),
        pd.concat([human, human.assign(dimension="complete")]),
    )
    assert found == {SCORE: "grounded"}
