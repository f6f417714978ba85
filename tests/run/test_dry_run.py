"""A dry run: how many questions at most; nothing is asked."""

from pathlib import Path

import pytest

from ragassay.run import parameters
from ragassay.run.dry_run import most_questions, plan, unreachable_gates
from ragassay.run.runner import RunPlan, Selection


@pytest.fixture
def values():
    """Every notebook's defaults, with an assistant."""
    found = {
        name: {each.name: each.default for each in parameters.declared(book)}
        for name, book in parameters.notebooks().items()
    }
    found["00_scope"] |= {"assistant": "mine:ask", "documents": "docs"}
    return found


def test_the_parameters_give_a_bound(values):
    most = most_questions(values)
    assert most["02_functionality"] == 60 and sum(most.values()) <= 1000


def test_no_run_of_the_example_asks_more(values):
    """Against what a complete run of it asked."""
    asked = {"02_functionality": 304, "03_risk_safety": 235 + 60 + 24, "05_robustness": 272 + 36 + 40 + 24}
    values["01_test_generation"] |= {"own_questions": "bundled:questions", "n_generated": 40}
    most = most_questions(values)
    assert {name: n for name, n in asked.items() if most[name] < n} == {}


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
    said = RunPlan("bank", Path(), {}, values, {}, {}, []).warnings()
    assert [name for name in (*rules, "privacy_leak_rate") if name in " ".join(said)] == named


def test_the_bundled_engagement_is_named_without_a_checkout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked, steps = plan(Path("bundled:bank.yml"), tmp_path, select=Selection())
    assert asked.name == "bank" and len(steps) == 8 and not list(tmp_path.iterdir())
