"""The plan: its hash follows what is asked and nothing else."""

import json

import pytest

from ragassay.cases import preregistration, rows

CASES = rows.frame(
    [
        {
            "case_id": f"c{i}",
            "question": f"What is {i}?",
            "answer_type": "short_fact",
            "query_type": "factual",
            "kind": kind,
        }
        for i, kind in enumerate(["own", "own", "generated"])
    ]
)


def test_a_plan_by_hand():
    made = preregistration.plan(CASES, {"seed": 0})
    assert (made["n_cases"], made["kinds"], made["settings"]) == (3, {"generated": 1, "own": 2}, {"seed": 0})
    assert preregistration.kept(json.loads(json.dumps(made)), CASES) == ""


def test_order_and_later_columns_do_not_count():
    assert preregistration.sha256(CASES.iloc[::-1].assign(x=1.0)) == preregistration.sha256(CASES)


@pytest.mark.parametrize(("change", "said"), [
    ({"question": "What else?"}, "not the same"), ({"reference_answer": "7"}, "not the same"), ({"answerable": False}, "not the same"),
])  # fmt: skip
def test_a_changed_case_is_noticed(change, said):
    assert said in preregistration.kept(preregistration.plan(CASES, {}), CASES.assign(**change))


def test_a_case_more_or_less_is_noticed():
    assert preregistration.kept(preregistration.plan(CASES, {}), CASES.head(2)) == "2 cases; 3 were planned"


def test_an_edited_plan_is_noticed():
    made = preregistration.plan(CASES, {"seed": 0})
    assert "the plan itself" in preregistration.kept(made | {"settings": {"seed": 1}}, CASES)
    assert preregistration.plan(CASES, {"seed": 1})["plan_sha256"] != made["plan_sha256"]
