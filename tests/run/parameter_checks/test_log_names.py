"""A gate, a pair or a calibration may name a score that the log gives, and no other."""

import json

import pytest

from answers.tool_records import SCORED
from ragassay.run.parameter_checks import gate_rules, log_names, named_values
from ragassay.run.parameter_checks.log_names import Names
from ragassay.run.parameters import Parameter


@pytest.fixture
def names(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(SCORED["ragas"][0]) + "\n")
    return Names(dimensions=["grounded"], log=str(log))


def told(annotation: str, name: str, value, names: Names) -> list[str]:
    check = named_values.CHECKS[annotation]
    return [flaw for _, flaw in check(Parameter(name, annotation, None, ""), value, names)]


def test_a_score_that_the_log_gives_may_be_named(names):
    name = "ragas:faithfulness"
    assert told("Metric", "metric", name, names) == []
    assert told("dict[Metric, Dimension]", "pairs", {name: "grounded"}, names) == []
    assert told("Gates", "gates", {name: "low >= 0.8"}, names) == []


def test_one_that_it_does_not_give_is_told(names):
    assert "did you mean 'ragas:faithfulness'" in told("Metric", "metric", "ragas:faithfullness", names)[0]
    assert "no score 'ragas:context_precision'" in log_names.not_given("ragas:context_precision", names)[0]
    assert told("Gates", "gates", {"ragas:faithfulness": "low >= 0.8"}, Names(dimensions=[])) != []


def test_a_gate_on_it_keeps_to_its_range_and_direction():
    assert "better the lower" in gate_rules.flaws("ragchecker:hallucination", "low >= 0.1")[0]
    assert "outside [0, 1]" in gate_rules.flaws("ragas:faithfulness", "low >= 7")[0]
    assert gate_rules.flaws("given:stars", "low >= 3.5") == []


def test_a_mapping_may_name_scores_and_labels(names):
    assert told("Columns", "map", {"score:trust": "t", "question": "q"}, names) == []
    assert told("Columns", "label_columns", {"label:grounded": "g", "rater": "who"}, names) == []
    assert told("Columns", "map", {"qestion": "q"}, names) and told("Columns", "map", {"rater": "q"}, names)
