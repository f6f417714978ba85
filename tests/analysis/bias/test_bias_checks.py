"""The section on bias as rows of `checks`: what is raised, what is not decided, what cannot be tried."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.analysis.bias import bias_checks, group_parity, stereotype_bias
from ragassay.analysis.bias.bias_checks import judge_bias
from ragassay.cases.counterfactuals import ATTRIBUTES
from ragassay.scores.same_answer import Agreement

RNG = np.random.default_rng


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    def compare(pairs, languages=(), *, tools=None):
        return [Agreement(a == b, float(a == b), "") for a, b in pairs]

    monkeypatch.setattr(group_parity.same_answer, "find_differences", compare)


def section(n: int, worse_for: str = "", drawn_in: int = 0):
    """Two attributes and the control, n questions each; the group named is declined."""
    groups = {"gender": ("female", "male"), "age": ("younger", "older"), "control": ("one", "other")}
    cases = pd.DataFrame([
        {"case_id": f"q{q}-{name}-{group}", "parent_id": f"q{q}", "attribute": name, "swapped_to": group, "language": "en"}
        for name, listed in groups.items() for q in range(n) for group in listed
    ])  # fmt: skip
    refused = (cases["swapped_to"] == worse_for).to_numpy()
    answers = pd.DataFrame({
        "case_id": cases["case_id"], "repeat": 0, "error": "",
        "answer": np.where(refused, "I could not find this.", "The fee is $6.00."),
    })  # fmt: skip
    scores = pd.DataFrame({
        "case_id": cases["case_id"], "system": "s", "metric": "declined", "value": refused.astype(float), "state": "scored",
    })  # fmt: skip
    known = pd.Series({f"q{q}": f"k{q // drawn_in}" if drawn_in else f"q{q}" for q in range(n)})
    compared = group_parity.compare_groups(
        scores, cases, metrics=["declined", "support"], clusters=known, rng=RNG(0)
    )
    pairs = group_parity.compare_versions(answers, cases)
    consistent = group_parity.summarize_consistency(pairs, clusters=known, rng=RNG(0))
    none = bias_checks.stereotype_bias.summarize_bias(posed().head(0), rng=RNG(0))
    return judge_bias(compared, consistent, none)


def posed() -> pd.DataFrame:
    from ragassay.cases import bias_questions

    cases = bias_questions("", 8, RNG(0))
    return stereotype_bias.read_choices(
        pd.DataFrame({"case_id": cases["case_id"], "repeat": 0, "answer": "Unknown.", "error": ""}), cases
    )


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


def test_what_it_says_is_plain_and_names_the_cases():
    row = section(20, "female").rows().query("aspect == 'gender' and metric == 'declined'").iloc[0]
    assert row["level"] == "female against male" and row["cases"] == 20
    assert (row["limit"], row["bound"]) == (0.1, "both")
    assert next(iter(row["case_ids"])).endswith("gender-female")
    assert (row["n"], row["value"]) == (20, 1.0) and row["low"] < 1 <= row["high"]


def test_a_worse_control_is_not_held_against_anybody():
    bias = section(20, "one")
    assert checks.RAISED not in outcomes(bias).values()
    assert "control" not in set(bias.rows()["aspect"])


def test_the_card_has_rows_that_gates_can_name():
    card = section(20, "female").card().set_index(["metric", "slice"])["value"]
    assert card["consistent_under_swap", "all"] == 0.5
    assert card["consistent_under_swap", "kind=counterfactual: gender"] == 0
    assert {"ambiguous_accuracy", "disambiguated_accuracy", "ambiguous_bias_score"} <= set(
        card.index.get_level_values(0)
    )


def test_nothing_asked_gives_no_row_of_groups():
    none = judge_bias(
        group_parity.compare_groups(
            pd.DataFrame(columns=["case_id", "system", "metric", "value", "state"]),
            pd.DataFrame(columns=["case_id", "parent_id", "attribute", "swapped_to"]),
            metrics=["declined"], clusters=pd.Series(dtype=object), rng=RNG(0),
        ),
        group_parity.summarize_consistency(
            pd.DataFrame(columns=["attribute", "parent_id", "case_id", "other_case_id", "same"]),
            clusters=pd.Series(dtype=object), rng=RNG(0),
        ),
        stereotype_bias.summarize_bias(posed().head(0), rng=RNG(0)),
    )  # fmt: skip
    found = outcomes(none)
    assert all(found[name, "declined"] == checks.NOT_APPLICABLE for name in ATTRIBUTES)
    assert found["ambiguous", "bias_score"] == found["disambiguated", "bias_score"] == checks.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("answer", "n", "ambiguous", "disambiguated"),
    [
        ("It cannot be determined.", 160, checks.UNDECIDED, checks.UNDECIDED),
        ("It cannot be determined.", 8, checks.UNDECIDED, checks.UNDECIDED),
        ("target", 160, checks.RAISED, checks.RAISED),
    ],
)
def test_stereotypes_are_raised_where_answers_lean_and_undecided_where_all_was_left_open(
    answer, n, ambiguous, disambiguated
):
    from ragassay.cases import bias_questions

    cases = bias_questions("", n, RNG(0))
    people = [
        next(one for one in row.options if (one == row.target) == (row.polarity == "neg"))
        for row in cases.itertuples()
    ]
    texts = [f"It was {who}." for who in people] if answer == "target" else answer
    answers = pd.DataFrame({"case_id": cases["case_id"], "repeat": 0, "answer": texts, "error": ""})
    leaning = stereotype_bias.summarize_bias(stereotype_bias.read_choices(answers, cases), rng=RNG(0))
    bias = section(20)
    found = outcomes(judge_bias(bias.groups, bias.consistency, leaning))
    assert (
        found["ambiguous", "bias_score"] == ambiguous
        and found["disambiguated", "bias_score"] == disambiguated
    )


def leaning(by) -> dict:
    """The rows on stereotypes, by condition, of an assistant that answers 160 questions so."""
    from ragassay.cases import bias_questions

    cases = bias_questions("", 160, RNG(0))
    answers = pd.DataFrame({
        "case_id": cases["case_id"], "repeat": 0, "error": "", "answer": [by(row) for row in cases.itertuples()],
    })  # fmt: skip
    found = stereotype_bias.summarize_bias(stereotype_bias.read_choices(answers, cases), rng=RNG(0))
    bias = section(20)
    rows = judge_bias(bias.groups, bias.consistency, found).rows()
    return rows[rows["check"] == "stereotypes"].set_index("aspect").to_dict("index")


def test_who_names_whom_the_context_names_and_else_nobody_is_clear_of_stereotypes():
    row = leaning(
        lambda row: "It cannot be determined." if row.condition == "ambiguous" else f"It was {row.right}."
    )["ambiguous"]
    assert row["outcome"] == checks.CLEAR and row["low"] == -row["high"] and 0 < row["high"] <= 0.2


def gender(women, men, metric: str, tests: int = 94) -> dict:
    """The row on gender where the groups had these values, one of so many tests."""
    n = len(women)
    cases = pd.DataFrame({
        "case_id": [f"q{i}-{group}" for i in range(n) for group in "ab"], "parent_id": [f"q{i}" for i in range(n) for _ in "ab"],
        "attribute": "gender", "swapped_to": ["female", "male"] * n,
    })  # fmt: skip
    scores = pd.DataFrame({
        "case_id": cases["case_id"], "system": "s", "metric": metric, "state": "scored",
        "value": np.column_stack([women, men]).ravel().astype(float),
    })  # fmt: skip
    known = pd.Series({one: one for one in cases["parent_id"]})
    groups = group_parity.compare_groups(scores, cases, metrics=[metric], clusters=known, rng=RNG(0))
    others = pd.DataFrame({"p": np.ones(tests)})
    rest = section(4)
    groups = group_parity.control_false_discoveries(groups, others)[0]
    rows = bias_checks.Bias(groups, rest.consistency, rest.stereotypes).rows()
    return rows[(rows["aspect"] == "gender") & (rows["metric"] == metric)].iloc[0].to_dict()


@pytest.mark.parametrize(("n", "outcome"), [(16, checks.UNDECIDED), (36, checks.CLEAR)])
def test_nothing_that_differs_is_clear_where_there_are_enough_questions(n, outcome):
    row = gender(np.zeros(n), np.zeros(n), "declined")
    assert row["outcome"] == outcome


def test_of_groups_equally_far_from_chance_the_one_that_differs_most_is_named():
    """Three groups, one declined always: all have one p, and the two others differ by half as much."""
    names = ["first", "second", "declined"]
    cases = pd.DataFrame([
        {"case_id": f"q{i}-{name}", "parent_id": f"q{i}", "attribute": "age", "swapped_to": name} for i in range(20) for name in names
    ])  # fmt: skip
    scores = pd.DataFrame({
        "case_id": cases["case_id"], "system": "s", "metric": "declined", "state": "scored",
        "value": (cases["swapped_to"] == "declined").astype(float),
    })  # fmt: skip
    known = pd.Series({one: one for one in cases["parent_id"]})
    groups = group_parity.compare_groups(scores, cases, metrics=["declined"], clusters=known, rng=RNG(0))
    rest = section(4)
    rows = judge_bias(groups, rest.consistency, rest.stereotypes).rows()
    row = rows[(rows["aspect"] == "age") & (rows["metric"] == "declined")].iloc[0]
    assert row["outcome"] == checks.RAISED and row["value"] == 1
