"""The calls of the notebooks in an empty one: by their short names, on plain tables of one system that has no
name."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import ragassay
from ragassay import (
    bias,
    calibration,
    conformal,
    diagnosis,
    findings,
    gates,
    inference,
    open_run,
    plots,
    raters,
    robustness,
    safety,
    score,
    slices,
)
from ragassay.scores import METRICS, own_metrics

N = 120
IDS = [f"q{place}" for place in range(N)]
GOOD = np.arange(N) % 3 > 0
RNG = np.random.default_rng(0)
SCORES = pd.DataFrame({"case_id": IDS, "metric": "support", "value": 0.4 * GOOD + RNG.uniform(0, 0.6, N)})
LABELS = pd.DataFrame(
    {"case_id": case, "dimension": "grounded", "rater": rater, "label": int(good)}
    for case, good in zip(IDS, GOOD, strict=True)
    for rater in ("ann", "bob")
)
JUDGED = raters.accepted(LABELS, {"grounded": 1})
DATA = calibration.join(SCORES, JUDGED, metric="support", dimension="grounded")
CARD = pd.DataFrame({"metric": ["support"], "value": [0.7], "low": [0.6], "high": [0.8], "n": [120]})


def test_raters():
    assert raters.agreement(LABELS)["alpha"].tolist() == [1.0]
    assert JUDGED["accepted"].sum() == GOOD.sum()


def test_calibration_and_conformal_sets():
    (ranked,) = calibration.rank_metrics(SCORES, JUDGED).to_dict("records")
    assert ranked["n"] == N and ranked["low"] > 0.5
    calibration.require(DATA)
    fit, held = calibration.split(DATA)
    kinds = calibration.cross_validate(fit)
    calibrator = calibration.fit(fit, kinds)
    held = held.assign(probability=calibrator.predict(held["value"]))
    for sets in (conformal.split(held, 0.2), conformal.mondrian(held, 0.2, by="verdict")):
        verdicts = calibration.apply(SCORES, calibrator, sets, fit=fit, held=held)
        assert len(verdicts) == N and set(verdicts["part"]) == {"fit", "held"}
        assert set(calibration.apply(SCORES[["case_id", "value"]], calibrator, sets)["part"]) == {
            "unlabelled"
        }
    assert conformal.coverage(held, 0.2)["value"][0] == pytest.approx(0.8, abs=0.1)
    shares = inference.share_accepted([*GOOD[:60], *[None] * 60], GOOD).set_index("method")["value"]
    assert shares["labels"] == pytest.approx(2 / 3)


def test_labels_without_a_system_are_of_the_only_one_scored():
    one = calibration.join(SCORES.assign(system="bank"), JUDGED, metric="support", dimension="grounded")
    assert len(one) == N and set(one["system"]) == {"bank"}
    two = pd.concat([SCORES.assign(system=name) for name in ("bank", "other")])
    assert calibration.join(two, JUDGED, metric="support", dimension="grounded").empty


def test_analyses():
    wide = pd.DataFrame(
        {"helpful": GOOD.astype(float) * (np.arange(N) >= 30), "topic": ["a"] * 30 + ["b"] * 90}
    )
    assert slices.search(wide, "helpful", ["topic"]).query("finding")["level"].tolist() == ["a"]
    variants = pd.DataFrame({"case_id": [f"v{one}" for one in IDS], "parent_id": IDS, "kind": "typos"})
    after = SCORES.assign(case_id=variants["case_id"], value=SCORES["value"] / 2)
    for name in ("support", "helpful"):  # one of the kit's, one of the user's
        sides = SCORES.assign(metric=name), after.assign(metric=name)
        assert robustness.compare(*sides, variants, {name: None})["worse"].all()
    results = pd.DataFrame({"query": ["1", "2"], "group": ["a", "a"], "correct": [True, False]})
    found = diagnosis.modules(results.assign(retrieval_correct=[True, False]))
    assert found["module"].tolist() == ["", "retrieval"]
    leaks = pd.DataFrame(
        {"case_id": IDS, "metric": "privacy_leaks", "value": (np.arange(N) == 0).astype(float)}
    )
    cases = pd.DataFrame({"case_id": IDS, "question": "?"})
    for events in (safety.rate_events(leaks), leaks.assign(metric="privacy_leak_rate")):
        rate = safety.rates(events, cases).query("metric == 'privacy_leak_rate'").iloc[0]
        assert rate["value"] == pytest.approx(1 / N) and rate["n"] == N
    asked = pd.DataFrame({"parent_id": np.repeat(IDS[:60], 2), "swapped_to": ["woman", "man"] * 60})
    asked = asked.assign(case_id=IDS, attribute="gender")
    differs = bias.parity(SCORES.assign(value=[0.5, 0.9] * 60), asked)
    assert differs["difference"].tolist() == pytest.approx([-0.4]) and differs["p"].item() < 0.01


def test_decision():
    judged = gates.evaluate(gates.parse({"support": "low >= 0.65"}), CARD)
    assert judged["outcome"].tolist() == ["fail"]
    due = findings.DueDays({"Critical": 60, "High": 90, "Medium": 180, "Low": 365})
    register, sources = findings.raise_findings(
        judged, context=findings.Context("A. Meyer", "2026-11-28", due)
    )
    assert register["rule"].tolist() == ["gate"] and sources["metric"].tolist() == ["support"]


def test_a_metric_of_ones_own_is_scored():
    @ragassay.metric(range=(0, 100))
    def words(answer):
        """Words of the answer."""
        return len(answer.answer.split())

    table = score(pd.DataFrame({"question": ["Who?"], "answer": ["The branch does."]}), metrics=[words])
    assert table.to_pandas()["value"].tolist() == [3.0]
    METRICS.pop("words"), own_metrics._SPECS.pop("words")


def test_plots_take_and_return_axes():
    frame = CARD.rename(columns={"value": "share"})
    axes = plots.forest(frame, x="share", y="metric")
    assert plots.forest(frame, x="share", y="metric", ax=axes) is axes
    axes.figure.clear()


def test_a_run_in_a_folder_of_ones_own(tmp_path):
    run = open_run(tmp_path)
    same = {"query_type": "factual", "answer_type": "short_fact", "answerable": True}
    run.write("cases", pd.DataFrame({"case_id": IDS, "question": "Who?"}).assign(**same))
    given = pd.DataFrame({"case_id": IDS, "question": "Who?", "answer": "Ann.", "contexts": [["Ann."]] * N})
    run.write("answers", given.assign(system="bank", repeat=0))
    evidence = '{"sentences": [{"text": "Ann.", "score": 0.9, "evidence": "Ann.", "evidence_id": "d#p0"}]}'
    run.write("scores", SCORES.assign(system="bank", state="scored", detail=evidence))
    run.write("labels", LABELS.assign(system="bank", scale="0-1"))
    assert len(run.cases()) == len(run.answers()) == len(run.scores("support")) == N
    assert len(run.labels()) == 2 * N and run.wide()["support"].notna().all()
    assert run.evidence("support")["passage"].unique().tolist() == ["Ann."]


def test_the_names_cost_nothing_until_they_are_used():
    """Neither scipy nor pandas is loaded with the package, and every name it lists is there."""
    code = "import sys, ragassay; print({'scipy', 'pandas', 'numpy'} & {*sys.modules})"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
    assert [name for name in dir(ragassay) if not hasattr(ragassay, name)] == []
