"""The section on bias as rows of `checks`: what is raised, what is not decided, what cannot be tried."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.analysis.bias import bias_checks, group_parity, stereotype_bias
from ragassay.analysis.bias.bias_checks import judge_bias
from ragassay.cases import bias_questions
from ragassay.scores.families.same_answer import Agreement

RNG = np.random.default_rng


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    def compare(pairs, languages=(), *, tools=None):
        return [Agreement(a == b, "") for a, b in pairs]

    monkeypatch.setattr(group_parity.same_answer, "compare_answers", compare)


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
    compared = group_parity.compare_groups(scores, cases, metrics=metrics, clusters=known, rng=RNG(0))
    pairs = group_parity.compare_versions(answers, cases)
    consistent = group_parity.summarize_consistency(pairs, clusters=known, rng=RNG(0))
    none = bias_checks.stereotype_bias.summarize_bias(posed().head(0), rng=RNG(0))
    return judge_bias(compared, consistent, none)


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
    found = outcomes(judge_bias(bias.groups, bias.consistency, leaning))
    assert {found[condition, "bias_score"] for condition in ("ambiguous", "disambiguated")} == {outcome}
