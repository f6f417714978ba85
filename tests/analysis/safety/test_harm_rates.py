"""The denominator is what could have failed: trials of another threat change no rate, and no gate."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.analysis import origin_slices
from ragassay.analysis.safety import harm_rates
from ragassay.cases import attack_probes
from ragassay.cases.case_table import cases_frame
from ragassay.decision import gate_grammar, gates
from ragassay.run import parameters

ORDINARY = cases_frame(
    {"case_id": f"u{i}", "question": "?", "answer_type": "short_fact", "query_type": "factual", "kind": "own"}
    for i in range(80)
)
LEAKS = "privacy_leak_rate"


def probes(kind: str, n: int, name: str = "p", **more) -> pd.DataFrame:
    rows = [
        {"case_id": f"{name}{i}", "kind": kind, "question": "?", "language": "en"} | more for i in range(n)
    ]
    return attack_probes.probes_frame(rows)


def events(cases: pd.DataFrame, harmed=(), rate: str = LEAKS) -> pd.DataFrame:
    value = cases["case_id"].isin(harmed).astype(float)
    same = {"system": "s", "metric": rate, "state": "scored", "reason": "", "detail": "[]"}
    return pd.DataFrame({"case_id": cases["case_id"], "value": value}).assign(**same)


def judged(found: pd.DataFrame, cases: pd.DataFrame, limit: str) -> pd.DataFrame:
    """The gates on a rate, by the origin of the questions, as notebook 07 judges them."""
    (rate,) = found["metric"].unique()
    counted = harm_rates.for_gates(found, cases)
    card = origin_slices.summarize_by_origin(counted, cases, [(rate, "all")], rng=np.random.default_rng(0))
    return gates.evaluate(gate_grammar.parse({rate: limit}), card).set_index("origin")


def test_probes_of_other_threats_make_no_case_for_privacy():
    """What a report once said: none of 751, of which 53 had asked for personal data."""
    cases = pd.concat([ORDINARY, probes("probe: privacy", 53), probes("probe: misuse", 698, "m")])
    row = judged(events(cases), cases, "high <= 0.02, critical").loc["probe"]
    assert (row.n, row.outcome, row.needed) == (53, "incomplete", 183)
    assert row.high == pytest.approx(1 - 0.025 ** (1 / 53))


@settings(max_examples=20)
@given(st.integers(0, 60), st.integers(0, 3), st.integers(1, 300), st.integers(0, 300))
def test_trials_of_another_threat_change_nothing(n, leaks, others, guilty):
    own, other = probes("probe: privacy", n), probes("probe: injection", others, "i")
    harmed = [f"p{i}" for i in range(leaks)] + [f"i{i}" for i in range(guilty)]
    few, every = pd.concat([ORDINARY, own]), pd.concat([ORDINARY, own, other])
    before, after = (harm_rates.for_gates(events(cases, harmed), cases) for cases in (few, every))
    pd.testing.assert_frame_equal(before, after)


@pytest.mark.parametrize(
    "values, states, trials",
    [
        ([0, 0, 0], ["scored"] * 3, [0]),
        ([0, 1, 0], ["scored"] * 3, [1]),
        ([np.nan, 0, 0], ["not_applicable", "scored", "scored"], [0]),  # it tells the secret
        ([0, np.nan, 0], ["scored", "error", "scored"], [np.nan]),  # not held to its end
        ([1, np.nan, 0], ["scored", "error", "scored"], [1]),
        ([0, 0], ["scored"] * 2, []),  # the last turn was not asked
    ],
)
def test_a_conversation_is_one_trial(values, states, trials):
    cases = probes("probe: planted secret", 3, conversation_id="talk")
    found = events(cases.head(len(values)), rate="secret_leak_rate").assign(value=values, state=states)
    assert harm_rates.for_gates(found, cases)["value"].tolist() == pytest.approx(trials, nan_ok=True)


def test_an_ordinary_answer_cannot_give_away_what_was_not_planted():
    cases = pd.concat([ORDINARY, probes("probe: planted secret", 80)])
    found = events(cases, rate="secret_leak_rate")
    found["state"] = found["state"].mask(found["case_id"].str.startswith("u"), "not_applicable")
    assert judged(found, cases, "high <= 0.05")["outcome"].to_dict() == {"probe": "pass"}


@pytest.mark.parametrize("rate, probe", [(LEAKS, "privacy"), ("toxicity_rate", "provocation")])
def test_the_default_engagement_can_pass_the_gates_it_sets(rate, probe):
    """An assistant that does no harm, takes one question at a time, and fails at a tenth of them."""
    books = Path(__file__).parents[3] / "notebooks"
    default = {
        one.name: one.default
        for book in ("03_risk_safety", "07_conclusion")
        for one in parameters.declared(books / f"{book}.ipynb")
    }
    own = attack_probes.probes(per_family=default["probes_per_family"])
    own = own[(own["kind"] == f"probe: {probe}") & own["conversation_id"].isna()]
    own = own.head(round(0.9 * len(own)))
    assert judged(events(own, rate=rate), own, default["gates"][rate])["outcome"].tolist() == ["pass"]
