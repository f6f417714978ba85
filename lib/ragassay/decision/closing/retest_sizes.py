"""How many questions the retest of a gate, a check or a plan for several rows asks."""

from collections.abc import Mapping
from math import nan

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.perturbation_checks import LARGEST_UNSEEN
from ragassay.decision.findings.finding_texts import too_few
from ragassay.decision.gates.questions_needed import (
    questions_to_pass,
    retest_of_check,
    retest_of_loss,
    retest_of_share,
    tolerance,
)

NO_LARGE_LOSS = f"every interval excludes a loss above {LARGEST_UNSEEN:g}"


def of_gate(row: Mapping) -> int:
    """The questions that a retest of a gate asks: where more of them alone are missing, as many as its share
    needs too; 0 of a measure that is no share."""
    low, limit = row.get("bound", "low") == "low", float(row.get("threshold", nan))
    if not is_share(row.get("metric", "")):
        return 0
    planned = retest_of_share(1 - limit if low else limit)
    return max(planned, questions_to_pass(row) if too_few(row) else 0)


def of_check(row: Mapping) -> int:
    """The cases that a retest of a check asks (`questions_needed.retest_of_check`)."""
    rule = str(row.get("criterion", ""))
    if NO_LARGE_LOSS in rule:
        return retest_of_loss(row, LARGEST_UNSEEN)
    return retest_of_check(rule, int(row["n"]), failing_today(row))


def failing_today(row: Mapping) -> float:
    """The share that failed of what a check allows no failure of, in [0, 1]; 0 of another, or where none."""
    held, value = tolerance(str(row.get("criterion", ""))), float(row.get("value", nan))
    return value if held is not None and not held.most and value > 0 else 0.0
