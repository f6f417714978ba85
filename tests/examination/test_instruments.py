"""What a run shows of its instruments: a frame a question, none where nothing was examined."""

import pytest
from prompt_judge import PromptJudge

from ragassay import models
from ragassay.examination import instruments
from ragassay.examination.unit_test_suite import ALL_MARKS, FOLDER

SUITE = str(FOLDER / "training.jsonl")


@pytest.fixture(scope="module")
def found():
    return instruments.examine_instruments(
        SUITE, metrics=["supported_claims_contained", "supported_claims_rate"]
    )


def test_marks_beside_rules_and_failures(found):
    assert found.marks["mark"].tolist() == ["all six marks", *ALL_MARKS]
    assert found.marks[["value", "rules"]].notna().all(axis=None)
    assert found.failure_modes["mode"].tolist() == [f"FM{number}" for number in range(1, 8)]


def test_pairs_are_of_the_metrics_that_claim_to_see_them(found):
    assert found.pairs["metric"].tolist() == ["supported_claims_rate"] and found.pairs["n"].gt(20).all()
    assert "supported_claims_rate" in set(found.barred["metric"]) and found.barred["reason"].str.len().all()


def test_where_nothing_is_examined_there_is_no_row():
    assert all(frame.empty and len(frame.columns) for frame in instruments.examine_instruments(wanted=False))
    assert instruments.examine_judge("", "", "").empty


def test_a_judge_beside_the_offline_metrics(monkeypatch):
    monkeypatch.setattr(models.judge, "make_judge", lambda *named, **settings: PromptJudge())
    table = instruments.examine_judge(SUITE, "http://127.0.0.1:1/v1", "m")
    assert table["mark"].tolist() == list(ALL_MARKS) and list(table) == instruments.OF_JUDGE
    assert table["identical"].between(0, 1).all()
