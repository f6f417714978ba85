"""A dry run: how many questions, how many answered already, what the rest costs and how long it takes; nothing is asked."""

import json

import pytest

from ragassay.answers.asking import OF_ROW
from ragassay.run import parameters
from ragassay.run.dry_run import describe_calls, planned_calls

SETTINGS = {"concurrency": 2, "per_minute": 0.0, "price_per_answer": 0.5}


@pytest.fixture
def values():
    """Every notebook's defaults, with an assistant."""
    found = {
        name: {each.name: each.default for each in parameters.declared(book)}
        for name, book in parameters.notebooks().items()
    }
    found["00_scope"] |= {"assistant": "mine:ask", "documents": "docs"}
    return found


def asked_before(run_dir, *answers, seconds=3.0, cost=None):
    (run_dir / "journal").mkdir(parents=True, exist_ok=True)
    lines = [
        {"key": [name, "q", "s"], "row": {**dict.fromkeys(OF_ROW), "error": error, "cost": cost}}
        | {"seconds": seconds, "asked": "2026-11-01"}
        for name, error in answers
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines) + '{"torn'
    (run_dir / "journal" / "answers.jsonl").write_text(text)


def test_of_a_run_that_has_not_begun_the_parameters_give_a_bound(values, tmp_path):
    planned = planned_calls(values, SETTINGS | {"price_per_answer": 0.0}, tmp_path)
    assert planned.answered == 0 and planned.cost is None and planned.seconds is None
    assert planned.most["02_functionality"] == 60 and planned.n == sum(planned.most.values()) <= 1000
    number, price = describe_calls(planned)[:2]
    assert f"at most {planned.n}, 0 answered already" in number and "price_per_answer" in price


def test_no_run_of_the_example_asks_more(values, tmp_path):
    """Against what a complete run of it asked."""
    asked = {"02_functionality": 304, "03_risk_safety": 235 + 60 + 24, "05_robustness": 272 + 36 + 40 + 24}
    values["01_test_generation"] |= {"own_questions": "bundled:questions", "n_generated": 40}
    planned = planned_calls(values, SETTINGS, tmp_path)
    assert {name: n for name, n in asked.items() if planned.most[name] < n} == {}


def test_answers_of_before_are_counted_and_those_that_failed_are_not(values, tmp_path):
    asked_before(tmp_path, ("a", ""), ("b", "HTTP 500"), ("a", ""), ("c", ""))
    found = planned_calls(values, SETTINGS, tmp_path)
    left = found.n - 2
    assert (found.answered, found.cost, found.seconds) == (2, left * 0.5, left * 3 / 2)


def test_a_fresh_run_asks_every_question_again_at_the_price_and_in_the_time_of_before(values, tmp_path):
    asked_before(tmp_path, ("a", ""), ("b", ""), cost=0.2)
    found = planned_calls(values, SETTINGS | {"price_per_answer": 0}, tmp_path, fresh=True)
    assert found.answered == 0
    assert found.cost == pytest.approx(found.n * 0.2) and found.seconds == pytest.approx(found.n * 3 / 2)


@pytest.mark.parametrize("wanted, most", [(0, 0), (4, 12), (60, 60)])
def test_a_group_from_the_database_is_asked_whole(values, tmp_path, wanted, most):
    values["01_test_generation"] |= {"n_generated": 0, "database": "facts.db", "n_grounded": wanted}
    assert planned_calls(values, SETTINGS, tmp_path).most["02_functionality"] == most


def test_logged_answers_ask_nothing(values, tmp_path):
    values["00_scope"]["answers_log"] = "log.jsonl"
    planned = planned_calls(values, SETTINGS, tmp_path)
    assert planned.n == 0 and "none" in describe_calls(planned)[0]
