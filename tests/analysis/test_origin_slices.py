"""Measures by origin: each from its own cases alone, within slices too, and the pool where nothing else is known."""

import numpy as np
import pandas as pd

from ragassay.analysis import origin_slices


def cases() -> pd.DataFrame:
    rows = [("own", "en"), ("own", "es"), ("generated", "en"), ("probe: privacy", "en")]
    return pd.DataFrame(
        [
            {"case_id": f"c{i}", "kind": kind, "language": language, "parent_id": None}
            for i, (kind, language) in enumerate(rows * 10)
        ]
    )


def scores(values: dict[str, float], metric="judged_grounded") -> pd.DataFrame:
    known = cases().assign(system="s", metric=metric, state="scored", reason="", detail="[]")
    known = known[known["kind"].isin(values)]
    return known.assign(value=known["kind"].map(values))[
        ["case_id", "system", "metric", "value", "state", "reason", "detail"]
    ]


def rows(asked, values):
    return origin_slices.summarize_by_origin(scores(values), cases(), asked, rng=np.random.default_rng(0))


def test_each_origin_by_itself():
    found = rows([("judged_grounded", "all")], {"own": 0.0, "generated": 1.0})
    assert found[["slice", "value", "n"]].to_numpy().tolist() == [
        ["origin=own", 0.0, 20],
        ["origin=generated", 1.0, 10],
    ]
    measured = origin_slices.measured(found, "judged_grounded", "all")
    assert list(measured) == ["own", "generated"] and measured["own"]["n"] == 20
    assert origin_slices.measured(found, "support", "all") == {}


def test_within_a_slice_and_no_row_where_an_origin_has_none_of_it():
    found = rows([("judged_grounded", "language=es")], {"own": 0.0, "generated": 1.0})
    assert found["slice"].tolist() == ["language=es & origin=own"]
    assert list(origin_slices.measured(found, "judged_grounded", "language=es")) == ["own"]


def test_the_pool_where_origins_are_not_known():
    card = pd.DataFrame([{"metric": "m", "slice": "all", "value": 1.0}])
    assert list(origin_slices.measured(card, "m", "all")) == ["all"]


def test_the_scorecard_gets_every_row_that_gates_ask_for():
    card = pd.DataFrame([{"metric": "judged_grounded", "slice": "all", "value": 0.3, "n": 30, "left_out": 0}])
    paired = pd.DataFrame(
        {"case_id": cases()["case_id"], "system": "s", "machine": 1.0, "human": np.nan, "verdict": "v"}
    )
    asked = [("judged_grounded", "all"), ("judged_grounded", "language=xx"), ("true_success", "all")]
    given = scores({"own": 0.0, "generated": 1.0})
    found = origin_slices.with_origins(card, given, paired, cases(), asked, system="s")
    assert not found.duplicated(["metric", "slice"]).any()
    assert {"all", "origin=own", "origin=generated", "language=xx"} <= set(found["slice"])
    rated = found[found["metric"] == "true_success"]["slice"].tolist()
    assert "origin=own" in rated and "origin=generated" in rated
    reason = found[found["slice"] == "origin=generated"].set_index("metric").loc["true_success", "reason"]
    assert reason == "needs labels: 10 (has 0)"
    assert "generated" not in origin_slices.measured(found, "true_success", "all"), "nobody read one"
    absent = origin_slices.measured(found, "judged_grounded", "language=xx")["all"]
    assert "no case has language=xx" in absent["reason"]


def test_whose_questions_gates_rest_on():
    assert origin_slices.of_users(cases()) == ["own"]
    assert origin_slices.of_users(cases().query("kind == 'generated'")) == []


def test_a_rate_of_repeats_hides_no_failing_origin():
    """Ten own questions change their answer, ten generated ones do not: own stand by themselves."""
    pairs = pd.DataFrame({"parent_id": [f"c{i}" for i in range(40)], "same": [0.0, 0.0, 1.0, 1.0] * 10})

    def summarize(rows):
        return pd.DataFrame(
            [{"metric": "repeated_same_answer", "slice": "all", "value": rows["same"].mean(), "n": len(rows)}]
        )

    card = origin_slices.of_each_origin(pairs, pairs["parent_id"], cases(), summarize)
    assert card[["slice", "value", "n"]].to_numpy().tolist() == [
        ["all", 0.5, 40], ["origin=own", 0.0, 20], ["origin=generated", 1.0, 10], ["origin=probe", 1.0, 10],
    ]  # fmt: skip
    measured = origin_slices.measured(card, "repeated_same_answer", "all")
    assert list(measured)[:2] == ["own", "generated"] and measured["own"]["value"] == 0
    unknown = origin_slices.of_each_origin(pairs, pairs["parent_id"] + "?", cases(), summarize)
    assert unknown["slice"].tolist() == ["all"]
