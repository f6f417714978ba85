"""One check of gate rules: before a run, and in notebook 07 where it is executed alone."""

import json
from pathlib import Path

import pytest

from ragassay.errors import ParameterError
from ragassay.examination import examine, metric_exclusion, minimal_pairs, scorers, unit_test_suite
from ragassay.run import parameters
from ragassay.run.parameter_checks import gate_rules

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"
COLUMNS = ["case_id", "topic", "language"]


@pytest.mark.parametrize(
    "name, rule, complaint",
    [
        ("judged_grounded", "low >= 0", "nothing misses it"),
        ("retrieval_recall", "high <= 0.8", "better the higher"),
        ("retrieval_recal", "low >= 0.8", "did you mean 'retrieval_recall'"),
        ("retrieval_recall in colour=red", "low >= 0.8", "no column 'colour'"),
        ("retrieval_recall", "low >= 80", "for a share write 0.8"),
        ("retrieval_recall", "about 0.8", "cannot be read"),
        ("retrieval_recall", "low >= 0.8, if asked", "fits only"),
    ],
)
def test_what_a_run_refuses_the_notebook_refuses_too(name, rule, complaint):
    with pytest.raises(ParameterError, match=complaint):
        gate_rules.checked({name: rule}, COLUMNS)


def test_sound_rules_are_given_back_in_order():
    rules = {"judged_grounded": "low >= 0.8", "retrieval_recall in language=es": "low >= 0.7"}
    assert [rule.name for rule in gate_rules.checked(rules, COLUMNS)] == list(rules)


def test_the_notebook_reads_its_gates_by_this_check_alone():
    book = json.loads((NOTEBOOKS / "07_conclusion.ipynb").read_text())
    code = "".join("".join(cell["source"]) for cell in book["cells"])
    assert "gate_rules.checked(gates" in code and "gate_grammar.parse" not in code


LESSON = {"supported_claims_rate": "low >= 0.90", "grouse_faithfulness in language=es": "low >= 0.8"}


@pytest.mark.parametrize(
    "gates, examined, settings, named",
    [
        (LESSON, True, {}, list(LESSON)),
        ({"groundedness_nli": "low >= 0.90"}, True, {}, []),
        (LESSON, False, {}, []),
        (LESSON, True, {"entailment": "models/mine"}, []),
    ],
)
def test_gates_on_metrics_that_fail_the_kits_examination_are_named(gates, examined, settings, named):
    values = {"04_calibration": {"examine_instruments": examined}, "07_conclusion": {"gates": gates}}
    found = gate_rules.warnings(values, settings)
    assert len(found) == len(named)
    assert all(name in line and "groundedness_nli" in line for name, line in zip(named, found, strict=True))


def test_no_default_gate_is_excluded():
    (gates,) = [
        p.default for p in parameters.declared(NOTEBOOKS / "07_conclusion.ipynb") if p.name == "gates"
    ]
    assert not set(gates) & set(gate_rules.excluded_metrics())


@pytest.mark.slow
def test_the_exclusions_are_those_of_the_examination_and_what_stands_instead_passes_it():
    pairs = minimal_pairs.examine(minimal_pairs.read(), minimal_pairs.FAITHFUL)
    tests = unit_test_suite.read()
    offline, rules = (examine.examine(tests, scorer) for scorer in (scorers.offline, scorers.rules_alone))
    found, excluded = (
        metric_exclusion.excluded_metrics(offline, rules, pairs=pairs),
        gate_rules.excluded_metrics(),
    )
    assert set(excluded) == set(found)
    assert set(excluded.values()) <= set(minimal_pairs.FAITHFUL) - set(found)
