"""What a run shows of its instruments: a frame a question, none where nothing was examined."""

import numpy as np
import pytest
from prompt_judge import PromptJudge

from calibration.labelled_scores import tables
from ragassay import examination, models
from ragassay.examination import instruments
from ragassay.examination.unit_test_suite import ALL_MARKS, FOLDER
from ragassay.labels.raters import accepted

SUITE = str(FOLDER / "training.jsonl")


@pytest.fixture(scope="module")
def found():
    return instruments.examine_instruments(
        SUITE, metrics=["supported_claims_rate:contained", "supported_claims_rate"]
    )


def test_marks_beside_rules_and_failures(found):
    assert found.marks["mark"].tolist() == ["all six marks", *ALL_MARKS]
    assert found.marks[["value", "rules"]].notna().all(axis=None)
    assert found.failure_modes["mode"].tolist() == [f"FM{number}" for number in range(1, 8)]


def test_pairs_are_of_the_metrics_that_claim_to_see_them(found):
    assert found.pairs["metric"].tolist() == ["supported_claims_rate"] and found.pairs["n"].gt(20).all()
    assert "supported_claims_rate" in set(found.barred["metric"]) and found.barred["reason"].str.len().all()


def test_a_judge_beside_the_offline_metrics(monkeypatch):
    monkeypatch.setattr(models.judge, "make_judge", lambda *named, **settings: PromptJudge())
    table = instruments.examine_judge(SUITE, "http://127.0.0.1:1/v1", "m")
    assert table["mark"].tolist() == list(ALL_MARKS) and list(table) == instruments.OF_JUDGE
    assert table["identical"].between(0, 1).all()


SCORE, VERDICT = "ragas:faithfulness", "deepeval:faithfulness_passed"


def errors(scores, human, name):
    judged = accepted(human, {"grounded": 1.0})
    return examination.tool_score_errors(scores, judged, {name: "grounded"})


@pytest.fixture
def labelled():
    scores, human = tables(160, np.random.default_rng(0))
    return scores.assign(metric=SCORE), human


def test_a_tool_s_verdict_is_judged_as_it_stands_turned_where_lower_is_better(labelled):
    scores, human = labelled
    good = (scores.value > 0).astype(float)
    (row,) = errors(scores.assign(metric=VERDICT, value=good), human, VERDICT).to_dict("records")
    said, label = good.to_numpy(), human.label.to_numpy()
    assert row["decided_by"] == instruments.OWN and row["n_rejected"] + row["n_accepted"] == 160
    assert row["type_1"] == pytest.approx(said[label == 0].mean())
    assert row["type_2"] == pytest.approx(1 - said[label == 1].mean())
    name = "ragchecker:hallucination"
    assert errors(scores.assign(metric=name, value=1 - good), human, name).type_1[0] == row["type_1"]
