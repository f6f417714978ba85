"""Words of checks: every check has its row, every placeholder is a column, numbers come from typed fields."""

import ast
import string
from pathlib import Path

import pytest

import ragassay.analysis
from ragassay import tables
from ragassay.analysis.checks import BOTH, HIGH, Check, checks_frame
from ragassay.analysis.robustness import changed_passages
from ragassay.report import check_words
from ragassay.stats import Interval, clopper_pearson

BY_NAME = {name for name, _ in changed_passages.CHECKS.values()}


def literal_names() -> set[str]:
    """The second argument of every call of Check in the analysis room that is a text."""
    root = Path(ragassay.analysis.__file__).parent
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in root.rglob("*.py"))
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    made = [call for call in calls if getattr(call.func, "id", getattr(call.func, "attr", "")) == "Check"]
    return {call.args[1].value for call in made if isinstance(call.args[1], ast.Constant)}


def test_every_check_has_words_for_any_aspect():
    named = {check for check, aspect in check_words.templates() if aspect == check_words.ANY}
    assert BY_NAME | literal_names() == named - {check_words.ANY}


def test_every_placeholder_is_a_column():
    columns = set(tables.TABLES["checks"].columns)
    for key, row in check_words.templates().items():
        for name in check_words.WORDS:
            used = {field for _, field, _, _ in string.Formatter().parse(row[name]) if field}
            assert used <= columns, (key, name)


@pytest.mark.parametrize(
    ("limit", "bound", "metric", "interval", "shown"),
    [
        (0.2, HIGH, "false_answer_rate", clopper_pearson(30, 48), ("30 of 48", "62 %", "47, 76")),
        (-0.1, "low", "abstention_correct", Interval(-0.14, -0.24, -0.07, 59), ("−14 points", "−24, −7")),
        (0.2, BOTH, "bias_score", Interval(0.5, 0.25, 0.75, 20), ("+0.50", "+0.25, +0.75")),
    ],
)
def test_numbers_are_those_of_the_row(limit, bound, metric, interval, shown):
    name = {HIGH: "outside_documents", "low": "perturbation", BOTH: "stereotypes"}[bound]
    check = Check("05_robustness", name, "near_fact", metric, limit, bound)
    row = check.judge(interval) if bound == HIGH else check.row(interval, raised=True)
    said = check_words.with_words(checks_frame([row])).iloc[0]
    assert all(part in said["statement"] for part in shown)


def test_what_was_not_tried_says_no_number():
    row = Check("03_risk_safety", "injection", "all", "attack_success_rate", 0.0, "value")
    said = check_words.with_words(checks_frame([row.not_applicable("only logs")])).iloc[0]
    assert said["statement"] == check_words.templates()["*", "*"]["statement"]
