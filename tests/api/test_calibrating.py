"""`ragassay.calibrate`: what comes back, what bad labels and scores do, the model in the files gives the same verdicts."""

import json

import numpy as np
import pandas as pd
import pytest

import ragassay
from ragassay.api import Scores, calibrating
from ragassay.errors import InputError, LabelError, ParameterError

CALL = {"metric": "m", "dimension": "d"}


def made(n=120, seed=0, slope=2.0, levels=2):
    """Scores and one rater's labels that follow them."""
    draw = np.random.default_rng(seed)
    value, case = draw.normal(size=n), [f"c{i:03d}" for i in range(n)]
    level = np.clip(
        np.round((levels + 1) / 2 + slope * value / 2 + 0.5 * draw.logistic(size=n)), 1, levels
    ) - (levels == 2)
    scores = pd.DataFrame({"case_id": case, "metric": "m", "value": value})
    human = pd.DataFrame({"case_id": case, "dimension": "d", "rater": "ann", "label": level})
    return scores, human.assign(scale="0-1" if levels == 2 else f"1-{levels}")


def test_every_scored_answer_gets_a_verdict():
    scores, human = made()
    found = ragassay.calibrate(scores, human.iloc[:80], **CALL).to_pandas()
    assert found["part"].value_counts().to_dict() == {"unlabelled": 40, "fit": 40, "held": 40}
    assert found["probability"].between(0, 1).all()
    assert set(found["decision"]) <= {"accept", "reject", "review"}


def test_summary_holds_the_figures():
    found = ragassay.calibrate(*made(400), **CALL).summary().set_index("name")
    assert {"brier", "log_loss", "calibration_error", "decided", "wrong"} < set(found.index)
    assert found.loc["auroc", "low"] > 0.5 and found.loc["coverage", "n"] == 200
    assert found.loc["coverage", "value"] == pytest.approx(0.9, abs=0.06)


def test_a_longer_scale_has_levels_and_a_stated_accept_from():
    found = ragassay.calibrate(*made(200, levels=5), **CALL)
    assert found.accept_from == 4 and found.levels is not None and "levels" in found.to_pandas()
    lower = ragassay.calibrate(*made(200, levels=5), **CALL, accept_from=3)
    assert lower.labelled["label"].mean() > found.labelled["label"].mean()


@pytest.mark.parametrize(
    "change, said",
    [
        ({"case_id": [f"x{n}" for n in range(120)]}, "no label belongs"),
        ({"label": "good"}, "no number"),
        ({"scale": ["1-5"] * 9 + ["0-1"] * 111, "label": 1.0}, "two scales"),
    ],
)
def test_labels_that_carry_nothing_are_refused(change, said):
    scores, human = made()
    with pytest.raises(LabelError, match=said):
        ragassay.calibrate(scores, human.assign(**change), **CALL)


@pytest.mark.parametrize(
    "call, said",
    [
        ({"alpha": np.nan}, "alpha"),
        ({"alpha": 1}, "alpha"),
        ({"metric": "n"}, "no metric"),
        ({"dimension": "e"}, "no dimension"),
        ({"accept_from": 7}, "accept_from"),
    ],
)
def test_names_and_cuts_that_are_not_there(call, said):
    with pytest.raises(ParameterError, match=said):
        ragassay.calibrate(*made(), **{**CALL, **call})


def test_files_that_cannot_be_read(tmp_path):
    human = made()[1]
    (tmp_path / "s.csv").write_text("case_id,metric\nc1,m\n")
    (tmp_path / "s.jsonl").write_text("{broken\n")
    (tmp_path / "s.parquet").write_text("no parquet")
    for name in ("none.csv", "s.csv", "s.jsonl", "s.parquet", "s.txt"):
        with pytest.raises(InputError):
            ragassay.calibrate(tmp_path / name, human, **CALL)


ENCODER = {"name": "all-MiniLM-L6-v2", "file": "model.safetensors", "sha256": "53aa" * 16}


def stamped(scores, encoder) -> Scores:
    return Scores(
        scores.assign(repeat=0, state="scored", system=""), len(scores), "ragassay", encoder=encoder
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Scores of a known encoder, what they were calibrated to, and the folder of its files, to be read only."""
    scores, human = made(160)
    found = ragassay.calibrate(stamped(scores, ENCODER), human, **CALL)
    folder = tmp_path_factory.mktemp("kept") / "out"
    calibrating.write_calibration(found, folder)
    return scores, found, folder


def test_a_calibration_is_applied_to_new_scores(kept):
    scores, found, folder = kept
    assert json.loads((folder / "model.json").read_text())["encoder"] == ENCODER
    assert "all-MiniLM-L6-v2" in str(found)
    again = ragassay.apply_calibration(folder, stamped(scores.head(9), ENCODER))
    pd.testing.assert_frame_equal(again, found.to_pandas().drop(columns="part").head(9))


def test_a_calibration_of_another_encoder_is_refused(kept):
    scores, _, folder = kept
    other = {"name": "models/own", "file": "model.safetensors", "sha256": "0" * 64}
    with pytest.raises(ParameterError, match=r"another model(?s:.*)models/own(?s:.*)all-MiniLM-L6-v2"):
        ragassay.apply_calibration(folder, stamped(scores, other))
    renamed = ENCODER | {"name": "the same, elsewhere"}
    assert len(ragassay.apply_calibration(folder, stamped(scores, renamed)))


@pytest.mark.parametrize(
    ("made_with", "scored_with"), [({}, {"support": "1" * 64}), ({"support": "1" * 64}, {})]
)
def test_a_calibration_of_another_model_of_support_is_refused(tmp_path, made_with, scored_with):
    scores, human = made(160)
    scores, call = scores.assign(metric="support"), CALL | {"metric": "support"}
    found = ragassay.calibrate(stamped(scores, ENCODER | made_with), human, **call)
    calibrating.write_calibration(found, tmp_path / "out")
    assert ("support 1111" in str(found)) == bool(made_with)
    with pytest.raises(ParameterError, match=r"another model(?s:.*)support(?s:.*)calibrate anew"):
        ragassay.apply_calibration(tmp_path / "out", stamped(scores, ENCODER | scored_with))
    elsewhere = {"entailment": "2" * 64}  # which support does not ask
    again = stamped(scores.head(9), ENCODER | made_with | elsewhere)
    assert len(ragassay.apply_calibration(tmp_path / "out", again)) == 9


def test_what_cannot_be_applied(kept, tmp_path):
    scores, _, folder = kept
    with pytest.raises(InputError, match="no calibration to apply"):
        ragassay.apply_calibration(tmp_path, stamped(scores, ENCODER))
    with pytest.raises(ParameterError, match="was not scored"):
        ragassay.apply_calibration(folder, stamped(scores.assign(metric="another"), ENCODER))
