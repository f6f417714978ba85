"""Measures by origin: each from its own cases alone, within slices too, and the pool where nothing else is known."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import origin_slices

KINDS = [("own", "en"), ("own", "es"), ("generated", "en"), ("probe: privacy", "en")] * 10
CASES = pd.DataFrame(
    [
        {"case_id": f"c{i}", "kind": kind, "language": language, "parent_id": None}
        for i, (kind, language) in enumerate(KINDS)
    ]
)
VALUES = {"own": 0.0, "generated": 1.0}


def scores(values=VALUES, metric="judged_grounded") -> pd.DataFrame:
    known = CASES[CASES["kind"].isin(values)].assign(system="s", metric=metric, state="scored", reason="")
    return known.assign(value=known["kind"].map(values), detail="[]")


def rows(slice):
    asked = [("judged_grounded", slice)]
    return origin_slices.summarize_by_origin(scores(), CASES, asked, rng=np.random.default_rng(0))


def test_each_origin_by_itself():
    found = rows("all")
    assert found[["slice", "value", "n"]].to_numpy().tolist() == [
        ["origin=own", 0.0, 20],
        ["origin=generated", 1.0, 10],
    ]
    measured = origin_slices.rows_by_origin(found, "judged_grounded", "all")
    assert list(measured) == ["own", "generated"] and measured["own"]["n"] == 20
    assert origin_slices.rows_by_origin(found, "support", "all") == {}


def test_within_a_slice_and_no_row_where_an_origin_has_none_of_it():
    found = rows("language=es")
    assert found["slice"].tolist() == ["language=es & origin=own"] and found["n"].tolist() == [10]
    assert list(origin_slices.rows_by_origin(found, "judged_grounded", "language=es")) == ["own"]


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


def test_a_rate_of_repeats_hides_no_failing_origin():
    """Ten own questions change their answer, ten generated ones do not: own stand by themselves."""
    pairs = pd.DataFrame({"parent_id": [f"c{i}" for i in range(40)], "same": [0.0, 0.0, 1.0, 1.0] * 10})

    def summarize(part):
        return pd.DataFrame([{"slice": "all", "value": part["same"].mean(), "n": len(part)}])

    card = origin_slices.summarize_each_origin(pairs, pairs["parent_id"], CASES, summarize)
    assert card[["slice", "value", "n"]].to_numpy().tolist() == [
        ["all", 0.5, 40], ["origin=own", 0.0, 20], ["origin=generated", 1.0, 10], ["origin=probe", 1.0, 10],
    ]  # fmt: skip
    unknown = origin_slices.summarize_each_origin(pairs, pairs["parent_id"] + "?", CASES, summarize)
    assert unknown["slice"].tolist() == ["all"]


def test_means_by_origin_by_hand_those_of_users_first():
    log = pd.DataFrame({"case_id": ["l0"], "kind": [None], "parent_id": [None], "language": ["en"]})
    cases = pd.concat([CASES, log], ignore_index=True)
    given = pd.concat([scores(metric="support"), scores().head(1).assign(case_id="l0", metric="support")])
    found = origin_slices.means_by_origin(given, cases, ["support", "groundedness"], rng=0)
    assert found["origin"].tolist() == ["log", "own", "generated"] and found["n"].tolist() == [1, 20, 10]
    assert found["value"].tolist() == [0.0, 0.0, 1.0] and set(found["better"]) == {"higher"}
    assert origin_slices.means_by_origin(given, cases, ["groundedness"], rng=0).empty


@pytest.mark.parametrize(
    "kinds, foremost, users", [(["own", "generated"], "own", ["own"]), (["generated"], "generated", [])]
)
def test_whose_questions_count_most(kinds, foremost, users):
    cases = CASES[CASES["kind"].isin(kinds)]
    assert origin_slices.foremost_origin(cases) == foremost and origin_slices.user_origins(cases) == users
    assert len(origin_slices.rows_of_origin(scores(), cases, foremost)) == sum(cases["kind"] == foremost)
