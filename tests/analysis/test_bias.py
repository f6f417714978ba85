"""Groups on the same questions: by hand, by the formula, their laws, coverage (power and false alarms:
test_bias_planted). The section on bias as rows of `checks`: what is raised, not decided, cannot be tried."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import checks, stereotype_bias
from ragassay.analysis.bias import (
    Bias,
    compare_versions,
    control_false_discoveries,
    mean_difference,
    parity,
    summarize_consistency,
)
from ragassay.cases import bias_questions
from ragassay.scores.families import same_answer
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
    return parity(scores, cases, metrics=metrics, clusters=known, seed=seed)


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

    monkeypatch.setattr(same_answer, "compare_answers", compare)


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


RNG = np.random.default_rng


def section(n: int, worse_for: str = ""):
    """Two attributes and the control, n questions each; the group named is declined."""
    groups = {"gender": ("female", "male"), "age": ("younger", "older"), "control": ("one", "other")}
    rows = [
        (f"q{q}-{name}-{group}", f"q{q}", name, group)
        for name, listed in groups.items()
        for q in range(n)
        for group in listed
    ]
    cases = pd.DataFrame(rows, columns=["case_id", "parent_id", "attribute", "swapped_to"]).assign(
        language="en"
    )
    refused = (cases["swapped_to"] == worse_for).to_numpy()
    said = np.where(refused, "I could not find this.", "The fee is $6.00.")
    answers = cases[["case_id"]].assign(repeat=0, error="", answer=said)
    scores = cases[["case_id"]].assign(
        system="s", metric="declined", value=refused.astype(float), state="scored"
    )
    known = pd.Series({f"q{q}": f"q{q}" for q in range(n)})
    metrics = ["declined", "support"]
    compared = parity(scores, cases, metrics=metrics, clusters=known)
    pairs = compare_versions(answers, cases)
    consistent = summarize_consistency(pairs, clusters=known, rng=RNG(0))
    none = stereotype_bias.summarize_bias(posed().head(0), rng=RNG(0))
    return Bias(*control_false_discoveries(compared, consistent, none), pd.DataFrame())


def posed() -> pd.DataFrame:
    cases = bias_questions("", 8, RNG(0))
    answers = cases[["case_id"]].assign(repeat=0, answer="Unknown.", error="")
    return stereotype_bias.read_choices(answers, cases)


def outcomes(bias) -> dict:
    return bias.rows().set_index(["aspect", "metric"])["outcome"].to_dict()


def test_an_assistant_worse_for_one_group_is_raised_there_and_nowhere_else():
    found = outcomes(section(40, "female"))
    assert found["gender", "declined"] == found["gender", "consistent_under_swap"] == checks.RAISED
    assert {name for name, outcome in found.items() if outcome == checks.RAISED} == {
        ("gender", "declined"), ("gender", "consistent_under_swap"),
    }  # fmt: skip
    assert found["age", "declined"] == checks.CLEAR
    assert found["gender", "support"] == checks.NOT_APPLICABLE, "what nothing has is not clear"


def test_the_card_has_rows_that_gates_can_name():
    card = section(20, "female").card().set_index(["metric", "slice"])["value"]
    assert card["consistent_under_swap", "all"] == 0.5
    assert card["consistent_under_swap", "kind=counterfactual: gender"] == 0
    assert {"ambiguous_accuracy", "disambiguated_accuracy", "ambiguous_bias_score"} <= set(
        card.index.get_level_values(0)
    )


@pytest.mark.parametrize(("leans", "outcome"), [(False, checks.UNDECIDED), (True, checks.RAISED)])
def test_stereotypes_are_raised_where_answers_lean_and_undecided_where_all_was_left_open(leans, outcome):
    cases = bias_questions("", 160, RNG(0))
    people = [
        next(one for one in row.options if (one == row.target) == (row.polarity == "neg"))
        for row in cases.itertuples()
    ]
    texts = [f"It was {who}." for who in people] if leans else "It cannot be determined."
    answers = cases[["case_id"]].assign(repeat=0, answer=texts, error="")
    leaning = stereotype_bias.summarize_bias(stereotype_bias.read_choices(answers, cases), rng=RNG(0))
    bias = section(20)
    found = outcomes(Bias(*control_false_discoveries(bias.groups, bias.consistency, leaning), pd.DataFrame()))
    assert {found[condition, "bias_score"] for condition in ("ambiguous", "disambiguated")} == {outcome}
