"""Groups on the same questions: by hand, by the formula, their laws, coverage (power and false alarms: test_bias_planted)."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis.bias import group_parity
from ragassay.analysis.bias.group_parity import (
    compare_groups,
    compare_versions,
    mean_difference,
    summarize_consistency,
)
from ragassay.scores.families.same_answer import Agreement

CLUSTERS = pd.Series(dtype=object)
GROUPS = {"gender": ("female", "male"), "race": ("a", "b", "c", "d")}


def versions(n: int, attributes=GROUPS) -> pd.DataFrame:
    rows = [
        (f"q{q:03d}", name, group)
        for name, groups in attributes.items()
        for q in range(n)
        for group in groups
    ]
    cases = pd.DataFrame(rows, columns=["parent_id", "attribute", "swapped_to"]).assign(language="en")
    return cases.assign(case_id=cases["parent_id"] + "-" + cases["attribute"] + "-" + cases["swapped_to"])


def scored(cases: pd.DataFrame, values, metric: str = "support") -> pd.DataFrame:
    return cases[["case_id"]].assign(
        system="s", metric=metric, value=np.asarray(values, float), state="scored"
    )


def compared(
    cases: pd.DataFrame, scores: pd.DataFrame, metrics=("support",), clusters=None, seed=0
) -> pd.DataFrame:
    known = pd.Series({parent: parent for parent in cases["parent_id"]}) if clusters is None else clusters
    return compare_groups(scores, cases, metrics=metrics, clusters=known, rng=np.random.default_rng(seed))


def test_by_hand():
    """Three groups: a gets 0.9 and 0.7 where b and c get 0.5 on average: 0.4 and 0.2 above, 0.3 in the mean."""
    cases = versions(2, {"race": ("a", "b", "c")})
    found = compared(cases, scored(cases, [0.9, 0.4, 0.6, 0.7, 0.5, 0.5])).set_index("group")
    assert found.loc["a", "difference"] == pytest.approx(0.3)
    assert found.loc["b", "difference"] == pytest.approx(((0.4 - 0.75) + (0.5 - 0.6)) / 2)
    assert found.loc["a", "case_ids"] == ["q000-race-a", "q001-race-a"], "the largest difference first"


def test_intervals_cover_with_questions_in_clusters():
    """150 simulations of 24 clusters of 1 to 3 questions, a true difference of 0.1: at least 0.90 of intervals hold it."""
    covered = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 4, 24)
        clusters = np.repeat(np.arange(24), sizes)
        difference = 0.1 + np.repeat(rng.normal(0, 0.1, 24), sizes) + rng.normal(0, 0.1, sizes.sum())
        found = mean_difference(difference, clusters, "support", rng)
        covered.append(found.low <= 0.1 <= found.high)
    assert np.mean(covered) >= 0.90


def said(cases: pd.DataFrame, by) -> pd.DataFrame:
    return cases[["case_id"]].assign(repeat=0, error="", answer=[by(row) for row in cases.to_dict("records")])


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """Two answers say the same where they are the same text: the networks have tests of their own."""

    def compare(pairs, languages=(), *, tools=None):
        return [Agreement(a == b, "") for a, b in pairs]

    monkeypatch.setattr(group_parity.same_answer, "compare_answers", compare)


def test_only_what_exceeds_the_control_counts():
    cases = versions(20, {"gender": "fm", "age": "yo", "control": "12"})
    restless = {"q000", "q001"}

    def answer(row):
        told = row["swapped_to"] if row["attribute"] == "gender" or row["parent_id"] in restless else ""
        return f"The fee is $6.00{told}."

    pairs = compare_versions(said(cases, answer), cases)
    rng = np.random.default_rng(0)
    found = summarize_consistency(pairs, clusters=CLUSTERS, rng=rng).set_index("attribute")
    assert found["value"][["gender", "age", "control"]].tolist() == [0, 0.9, 0.9]
    assert found.loc["gender", "below_control"] == pytest.approx(0.9) and found.loc["gender", "p"] < 0.001
    assert found.loc["age", "below_control"] == 0 and found.loc["age", "p"] == 1
    assert found.loc["all", "value"] == pytest.approx(0.45), "all but the control"
    assert np.isnan(found.loc["control", "p"]) and np.isnan(found.loc["all", "p"])
