"""One check of gate rules: before a run, and in notebook 07 where it is executed alone."""

import pytest

from ragassay.errors import ParameterError
from ragassay.run import gate_rules

COLUMNS = ["case_id", "topic", "language"]


@pytest.mark.parametrize(
    "name, rule, complaint",
    [
        ("judged_grounded", "low >= 0", "end of its range"),
        ("retrieval_recall", "high <= 0.8", "better the higher"),
        ("retrieval_recal", "low >= 0.8", "did you mean 'retrieval_recall'"),
        ("retrieval_recall in colour=red", "low >= 0.8", "no column of the cases 'colour'"),
        ("retrieval_recall", "low >= 80", "for a share write 0.8"),
        ("retrieval_recall", "about 0.8", "cannot be read"),
        ("retrieval_recall", "low >= 0.8, if asked", "fits only"),
    ],
)
def test_what_a_run_refuses_the_notebook_refuses_too(name, rule, complaint):
    with pytest.raises(ParameterError, match=complaint):
        gate_rules.check_gates({name: rule}, COLUMNS)


def test_sound_rules_are_given_back_in_order():
    rules = {"judged_grounded": "low >= 0.8", "retrieval_recall in language=es": "low >= 0.7"}
    assert [rule.name for rule in gate_rules.check_gates(rules, COLUMNS)] == list(rules)
