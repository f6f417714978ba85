"""Measures by origin: each from its own cases alone, within slices too, and the pool where nothing else is known; true success."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay import tables
from ragassay.analysis import origin_slices
from ragassay.labels import raters

KINDS = [("own", "en"), ("own", "es"), ("generated", "en"), ("probe: privacy", "en")] * 10
CASES = pd.DataFrame(KINDS, columns=["kind", "language"]).assign(parent_id=None)
CASES["case_id"] = [f"c{i}" for i in range(len(CASES))]
VALUES = {"own": 0.0, "generated": 1.0}


def scores(values=VALUES, metric="judged_grounded") -> pd.DataFrame:
    known = CASES[CASES["kind"].isin(values)].assign(system="s", metric=metric, state="scored", reason="")
    return known.assign(value=known["kind"].map(values), detail="[]")


def rows(slice):
    asked = [("judged_grounded", slice)]
    return origin_slices.summarize_by_origin(scores(), CASES, asked, rng=np.random.default_rng(0))


def test_each_origin_by_itself():
    found = rows("all")
    assert found["slice"].tolist() == ["origin=own", "origin=generated"]
    assert found["value"].tolist() == [0.0, 1.0] and found["n"].tolist() == [20, 10]
    assert rows("language=es")["slice"].tolist() == ["language=es & origin=own"]
    measured = origin_slices.rows_by_origin(found, "judged_grounded", "all")
    assert list(measured) == ["own", "generated"] and measured["own"]["n"] == 20
    assert origin_slices.rows_by_origin(found, "support", "all") == {}


def test_the_scorecard_gets_every_row_that_gates_ask_for():
    card = pd.DataFrame([{"metric": "judged_grounded", "slice": "all", "value": 0.3, "n": 30, "left_out": 0}])
    paired = CASES[["case_id"]].assign(system="s", machine=1.0, human=np.nan, verdict="v")
    asked = [("judged_grounded", "all"), ("judged_grounded", "language=xx"), ("true_success", "all")]
    found, kit = origin_slices.add_gate_slices(card, scores(), paired, CASES, asked, system="s")
    assert kit is found and not found.duplicated(["metric", "slice"]).any()
    assert {"all", "origin=own", "origin=generated", "language=xx"} <= set(found["slice"])
    success = found[found["metric"] == "true_success"].set_index("slice")
    assert success.loc["origin=generated", "reason"] == "needs labels: 10 (has 0)"
    assert "generated" not in origin_slices.rows_by_origin(found, "true_success", "all"), "nobody read one"
    absent = origin_slices.rows_by_origin(found, "judged_grounded", "language=xx")["all"]
    assert "no case has language=xx" in absent["reason"]


TOPICS = ["T1"] * 40 + ["T2"] * 40 + ["T3"] * 4


def judged_run(system="bank", seed=0):
    """84 answers; the machine right on nine of ten; people looked at all of T1 and T3, at six of T2."""
    draw = np.random.default_rng(seed)
    truth = (draw.random(84) < 0.7).astype(float)
    machine = np.where(draw.random(84) < 0.9, truth, 1 - truth)
    seen = np.r_[np.full(40, True), np.arange(40) < 6, np.full(4, True)]
    scores = scores_of(machine, metric="end_to_end_success", system=system)
    people = scores_of(truth, metric="judged_relevant", system=system)[seen]
    return scores, pd.concat([people, people.assign(metric="judged_complete", value=1.0)])


def right(people):
    """Accepted in both respects."""
    judged = people.assign(dimension=people.metric.str.removeprefix("judged_"), accepted=people.value)
    return raters.in_every_respect(judged, ["relevant", "complete"])


def summarized(slices, scores, people, cases=None, system="bank"):
    cases, rng = cases_of(TOPICS) if cases is None else cases, np.random.default_rng(0)
    named = {"verdict": "end_to_end_success", "system": system}
    paired, _ = origin_slices.success(scores, right(people), cases, **named)
    tables.check("success", paired)
    found = origin_slices.summarize_success(paired, cases, slices, system=system, rng=rng)
    tables.check("scorecard", found)
    return found.set_index("slice")


def test_by_hand():
    """What was read counted one by one, the others by (p + t - 1)/(s + t - 1)."""
    scores, people = judged_run()
    truth = people[people.metric == "judged_relevant"].set_index("case_id").value
    machine = scores.set_index("case_id").value
    s, t = machine[truth.index][truth == 1].mean(), 1 - machine[truth.index][truth == 0].mean()
    row = summarized(["all"], scores, people).loc["all"]
    others = (machine.drop(truth.index).mean() + t - 1) / (s + t - 1)
    assert row["value"] == pytest.approx((truth.sum() + 34 * others) / 84)
    assert (row["sensitivity"], row["specificity"]) == pytest.approx((s, t))
    assert row["by_instruments"] == pytest.approx(machine.mean())
    assert (row["n"], row["labelled"], row["state"]) == (84, 50, "scored")
    assert row["low"] < row["value"] < row["high"] and row["by_instruments_low"] < row["by_instruments"]


def test_what_cannot_be_computed_has_its_state_and_reason():
    found = summarized(["topic=T2", "topic=T4", "topik=T1", "topic=T3"], *judged_run())
    assert found["state"].tolist() == ["not_measured"] * 3 + ["scored"] and found["low"][:3].isna().all()
    assert found["labelled"].tolist() == [6, 0, 0, 4] and found["n"].tolist() == [40, 0, 0, 4]
    said = found["reason"].tolist()
    assert said[0] == "needs labels: 18 (has 6)"
    assert "no case has topic=T4; did you mean 'T" in said[1] and "did you mean 'topic'" in said[2]


def test_versions_of_the_system_are_slices():
    first, second = judged_run(), judged_run("bank-2", seed=5)
    scores, people = (pd.concat(each) for each in zip(first, second, strict=True))
    named = {"verdict": "end_to_end_success", "system": "bank", "factors": ["topic", "system", "language"]}
    _, card = origin_slices.success(scores, right(people), cases_of(TOPICS), **named)
    names = card["segment"].tolist()
    assert names == ["all", "topic=T1", "topic=T2", "topic=T3", "system=bank", "system=bank-2"]
    found = summarized(names, scores, people)
    assert found.loc["all", "n"] == found.loc["system=bank", "n"] == found.loc["system=bank-2", "n"] == 84
    alone = summarized(["all"], *second, system="bank-2").loc["all", "value"]
    assert found.loc["system=bank", "value"] == found.loc["all", "value"]
    assert found.loc["system=bank-2", "value"] == alone


def test_labels_of_one_origin_say_nothing_of_another(simulations):
    """200 own questions, 100 of them read at random (0.45 acceptable), and 120 generated ones that nobody read, of which the
    machine accepts more: within three standard errors of 0.95 for the own share, nothing for the others."""
    cases = cases_of(["T1"] * 320, kind=["own"] * 200 + ["generated"] * 120)
    inside = []
    for seed in range(simulations(1000, 20)):
        draw = np.random.default_rng(seed)
        truth = draw.random(320) < np.repeat([0.45, 0.9], [200, 120])
        machine = np.where(draw.random(320) < 0.85, truth, ~truth).astype(float)
        paired = cases[["case_id"]].assign(
            system="bank", verdict="v", machine=machine, human=np.where(np.arange(320) < 100, truth, np.nan)
        )
        own, made = origin_slices.success_by_origin(
            paired, cases, ["all"], system="bank", rng=np.random.default_rng(seed)
        ).to_dict("records")
        assert (own["n"], made["state"], made["reason"]) == (200, "not_measured", "needs labels: 18 (has 0)")
        inside.append(own["low"] <= 0.45 <= own["high"])
    assert abs(np.mean(inside) - 0.95) <= 3 * np.sqrt(0.95 * 0.05 / len(inside)), np.mean(inside)
