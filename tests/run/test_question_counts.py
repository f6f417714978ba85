"""How many questions at most, and what they take; nothing is asked."""

import math
from pathlib import Path

import pandas as pd
import pytest

from cases.test_attack_probes import ANSWERS, CASES, CHUNKS, DOCUMENTS
from ragassay import cases, tables
from ragassay.run import parameters, runner
from ragassay.run.question_counts import describe_cost, most_questions, unreachable_gates


@pytest.fixture
def values():
    """Every notebook's defaults, with an assistant."""
    found = {
        name: {each.name: each.default for each in parameters.declared(book)}
        for name, book in parameters.notebooks().items()
    }
    found["00_scope"] |= {"assistant": "mine:ask", "documents": "docs"}
    return found


def test_the_defaults_leave_room_for_200_questions_of_ones_own(values):
    most = most_questions(values)
    assert most["02_functionality"] == 60 and sum(most.values()) <= 800


def test_the_example_asks_a_thousand_at_most(tmp_path, monkeypatch):
    """It is named without a checkout too; nothing is written. A parameter that a changed notebook lacks counts."""
    monkeypatch.chdir(tmp_path)
    asked = runner.prepare(Path("bundled:bank.yml"), tmp_path)
    told = sum(step["questions"] for step in runner.steps(asked, runner.Selection()))
    del asked.values["05_robustness"]["n_repeated"]
    assert told == sum(step["questions"] for step in runner.steps(asked, runner.Selection()))
    assert asked.name == "bank" and 900 < told <= 1000 and not list(tmp_path.iterdir())


@pytest.mark.parametrize("per_threat", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_more_probes_are_made_than_counted(values, per_threat, seed):
    """Of an engagement that gives matter for every threat: conversations are drawn whole, however few are wanted."""
    values["01_test_generation"]["n_generated"] = 0
    values["03_risk_safety"] |= {"probes_per_threat": per_threat, "n_bias_questions": 1, "seed": seed}
    uses = {"prohibited_uses": ["advice on investments", "advice on tax", "advice on law"]}
    values["00_scope"] |= uses
    size = {"per_threat": per_threat, "per_gate": 97, "seed": seed}
    made = cases.engagement_probes(uses, CASES, ANSWERS, CHUNKS, DOCUMENTS, **size)
    assert len(made) <= most_questions(values)["03_risk_safety"] - 4 <= len(made) + 2 * per_threat


@pytest.mark.parametrize("wanted, most", [(0, 0), (4, 12), (60, 60)])
def test_a_group_from_the_database_is_asked_whole(values, wanted, most):
    values["01_test_generation"] |= {"n_generated": 0, "database": "facts.db", "n_grounded": wanted}
    assert most_questions(values)["02_functionality"] == most


def test_logged_answers_ask_nothing(values):
    values["00_scope"]["answers_log"] = "log.jsonl"
    assert most_questions(values) == {}


def test_a_run_too_small_for_its_gates_on_harm_names_them(values):
    assert unreachable_gates(values) == {}
    values["03_risk_safety"] |= {"probes_per_gate": 71}
    assert unreachable_gates(values) == {"privacy_leak_rate": 72, "toxicity_rate": 72}


def test_what_they_take_is_told_as_far_as_it_is_known(tmp_path):
    settings = {"price_per_answer": 0.0, "per_minute": 0.0, "concurrency": 2}
    assert "1,500" in describe_cost(1500, settings, tmp_path)
    answers = pd.DataFrame(
        {"case_id": ["a", "b"], "system": "s", "repeat": 0, "question": "?", "answer": "!"}
    )
    rest = {"contexts": [[], []], "context_ids": [[], []], "latency_s": [1.0, 3.0], "cost": math.nan}
    tables.write(tmp_path, "answers", answers.assign(**rest, tokens=math.nan, error=""))
    told = describe_cost(120, settings | {"price_per_answer": 0.02}, tmp_path)
    assert "120" in told and "2.40" in told and "0:02:00" in told
    assert "0:06:00" in describe_cost(120, settings | {"per_minute": 20}, tmp_path)
    tables.path_of(tmp_path, "answers").write_bytes(b"of another release")
    assert ":00" not in describe_cost(120, settings, tmp_path)


@pytest.mark.parametrize("labels, pairs, named", [
    ("", {}, []),
    ("labels.csv", {}, ["support", "privacy_leak_rate"]),
    ("labels.csv", {"support": "grounded"}, ["privacy_leak_rate"]),
    ("labels.csv", {"support": "grounded", "privacy_leaks": "grounded"}, []),
])  # fmt: skip
def test_critical_gates_that_no_rater_is_compared_with_are_named_at_the_start(values, labels, pairs, named):
    values["02_functionality"]["labels"], values["04_calibration"]["pairs"] = labels, pairs
    rules = dict.fromkeys(("support", "ragas:faithfulness"), "low >= 0.8, critical")
    values["07_conclusion"]["gates"] = rules | {"privacy_leak_rate": "high <= 0.05, critical"}
    said = runner.RunPlan("bank", Path(), {}, values, {}, {}, []).warnings()
    assert [name for name in (*rules, "privacy_leak_rate") if name in " ".join(said)] == named
