"""Whether answers stay the same when the question is put for another group, against a swap that says nothing."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis.bias import swap_consistency
from ragassay.analysis.bias.swap_consistency import compare_versions, summarize_consistency
from ragassay.scores.same_answer import Agreement

CLUSTERS = pd.Series(dtype=object)


def versions(n: int, **groups) -> pd.DataFrame:
    rows = [
        {"case_id": f"q{q:03d}-{name}-{group}", "parent_id": f"q{q:03d}", "attribute": name, "swapped_to": group, "language": "en"}
        for name, listed in groups.items()
        for q in range(n)
        for group in listed
    ]  # fmt: skip
    return pd.DataFrame(rows)


def said(cases: pd.DataFrame, by) -> pd.DataFrame:
    texts = [by(row) for row in cases.to_dict("records")]
    errors = [text is None for text in texts]
    return pd.DataFrame({
        "case_id": cases["case_id"], "repeat": 0, "answer": [text or "" for text in texts],
        "error": ["timed out" if bad else "" for bad in errors],
    })  # fmt: skip


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """Two answers say the same where they are the same text: the networks have tests of their own."""

    def compare(pairs, languages=(), *, tools=None):
        return [
            Agreement(a == b, float(a == b), "same text" if a == b else "other content") for a, b in pairs
        ]

    monkeypatch.setattr(swap_consistency.same_answer, "find_differences", compare)


def test_by_hand():
    """Four groups make six pairs; where one of them hears something else, three of the six differ."""
    cases = versions(1, race="abcd")
    pairs = compare_versions(said(cases, lambda row: "No." if row["swapped_to"] == "a" else "Yes."), cases)
    assert len(pairs) == 6 and pairs["same"].sum() == 3
    assert set(pairs[pairs["same"] == 0]["case_id"]) == {"q000-race-a"}


def test_an_answer_that_did_not_come_is_left_out_and_counted():
    cases = versions(8, gender="fm")
    lost = {"q000-gender-f"}
    pairs = compare_versions(said(cases, lambda row: None if row["case_id"] in lost else "Yes."), cases)
    found = summarize_consistency(pairs, clusters=CLUSTERS, rng=np.random.default_rng(0)).set_index(
        "attribute"
    )
    assert found.loc["gender", ["n", "left_out"]].tolist() == [7, 1] and pairs.loc[0, "why"] == "not answered"


def test_only_what_exceeds_the_control_counts():
    cases = versions(20, gender="fm", age="yo", control="12")
    restless = {"q000", "q001"}

    def answer(row):
        told = row["swapped_to"] if row["attribute"] == "gender" or row["parent_id"] in restless else ""
        return f"The fee is $6.00{told}."

    pairs = compare_versions(said(cases, answer), cases)
    found = summarize_consistency(pairs, clusters=CLUSTERS, rng=np.random.default_rng(0)).set_index(
        "attribute"
    )
    assert (
        found.loc["gender", "value"] == 0
        and found.loc["age", "value"] == found.loc["control", "value"] == 0.9
    )
    assert found.loc["gender", "below_control"] == pytest.approx(0.9) and found.loc["gender", "p"] < 0.001
    assert found.loc["age", "below_control"] == 0 and found.loc["age", "p"] == 1
    assert found.loc["all", "value"] == pytest.approx(0.45), "all but the control"
    assert np.isnan(found.loc["control", "p"]) and np.isnan(found.loc["all", "p"])


def test_questions_of_one_cluster_count_once():
    cases = versions(24, gender="fm", control="12")
    pairs = compare_versions(
        said(cases, lambda row: row["swapped_to"] if row["attribute"] == "gender" else ""), cases
    )
    three = pd.Series({f"q{q:03d}": f"group {q // 8}" for q in range(24)})
    alone, together = (
        summarize_consistency(pairs, clusters=known, rng=np.random.default_rng(0)).set_index("attribute")
        for known in (CLUSTERS, three)
    )
    assert alone.loc["gender", "p"] < 0.001 and together.loc["gender", "p"] >= 0.25


def test_without_a_control_there_is_a_share_and_no_test():
    cases = versions(8, gender="fm")
    found = summarize_consistency(
        compare_versions(said(cases, lambda row: "Yes."), cases),
        clusters=CLUSTERS,
        rng=np.random.default_rng(0),
    ).set_index("attribute")
    assert found.loc["gender", "value"] == 1 and np.isnan(found.loc["gender", "p"])


def test_no_version_at_all():
    cases = versions(1, gender="fm")
    none = compare_versions(said(cases, lambda row: "Yes.").head(0), cases.head(0))
    found = summarize_consistency(none, clusters=CLUSTERS, rng=np.random.default_rng(0))
    assert found["attribute"].tolist() == ["all"] and np.isnan(found["value"]).all()
