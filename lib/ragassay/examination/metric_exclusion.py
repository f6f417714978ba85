"""Which metrics may not stand in a gate, and why:
an instrument that fails its examination measures something else.

Rule. A criterion of GroUSE is barred if its pass rate on the suite is below 0.8, or below 0.45 on the tests
that rules alone mark wrongly, where form gives nothing away; and if fewer than 16 tests examined it. A metric
that claims to see what the references do not hold is barred if the lower 95 % bound of the share of number,
date, negation and entity pairs it tells apart is not above 0.5, what guessing gives. The rates are points,
not bounds: nine questions cannot bound a rate of 0.9 above 0.8. The thresholds are ours.
"""

from typing import Any

import pandas as pd

from ragassay.errors import ParameterError
from ragassay.examination import minimal_pairs
from ragassay.examination.examine import PASSED, Examination
from ragassay.examination.unit_test_suite import METRIC_OF
from ragassay.stats import interval_text, percent_text, share_text

LEAST, LEAST_BEYOND_RULES, FEWEST = 0.8, 0.45, 16
CHANCE = 0.5


def excluded_metrics(
    found: Examination | None = None, rules: Examination | None = None, *, pairs: pd.DataFrame | None = None
) -> dict[str, str]:
    """Metric -> why it may not stand in a gate, as `decision.gates.evaluate` takes it;
    a metric that is not in it passed, or was not examined.

    found : what a scorer did with a suite; rules : the same suite by rules alone (`scorers.rules_alone`)
    pairs : `minimal_pairs.examine(...)`

    Raises ParameterError if there is an examination without that of rules alone, or the two are not of the
    same tests.
    """
    why: dict[str, list[str]] = {}
    if found is not None:
        for row in beyond_rules(found, rules).itertuples():
            why.setdefault(METRIC_OF[row.metric], []).append(_why_by_suite(row))
    if pairs is not None:
        table = minimal_pairs.by_metric(pairs[pairs["metric"].isin(minimal_pairs.FAITHFUL)])
        for row in table.itertuples():
            why.setdefault(row.metric, []).append(_why_by_pairs(row))
    reasons = {metric: "; ".join(filter(None, each)) for metric, each in why.items()}
    return {metric: reason for metric, reason in reasons.items() if reason}


def beyond_rules(found: Examination, rules: Examination | None) -> pd.DataFrame:
    """Marks right of each criterion on all tests and on those that rules alone mark wrongly:
    metric, passed, tests, hard_passed, hard_tests. Raises ParameterError as `excluded_metrics`.
    """
    key = ["test", "metric"]
    if rules is None or not found.checks[key].equals(rules.checks[key]):
        what = "an examination stands beside that of rules alone, on the same tests"
        raise ParameterError(what, do="examine(tests, rules_alone) and give it as `rules`")
    right, hard = found.checks["outcome"] == PASSED, rules.checks["outcome"] != PASSED
    marked = found.checks[["metric"]].assign(passed=right, tests=1, hard_passed=right & hard, hard_tests=hard)
    return marked.groupby("metric", sort=False).sum().reset_index()


def _why_by_suite(row: Any) -> str:
    if row.tests < FEWEST:
        return f"examined on {row.tests} unit tests, at least {FEWEST} needed"
    rate = row.passed / row.tests
    if rate < LEAST:
        of = f"{row.passed} of {row.tests} unit tests ({share_text(rate, LEAST)})"
        return f"right on {of}, at least {percent_text(LEAST)} needed"
    hard = row.hard_passed / row.hard_tests if row.hard_tests else 1.0
    if hard < LEAST_BEYOND_RULES:
        of = f"{row.hard_passed} of {row.hard_tests} unit tests that rules alone get wrong"
        of += f" ({share_text(hard, LEAST_BEYOND_RULES)})"
        return f"right on {of}, at least {percent_text(LEAST_BEYOND_RULES)} needed"
    return ""


def _why_by_pairs(row: Any) -> str:
    what = "changed numbers, dates, negations or entities"
    if not row.n:
        return f"could score none of {row.unscored} pairs of answers with {what}"
    if row.low > CHANCE:
        return ""
    share = interval_text(row.value, row.low, row.high, percent=True, bar=CHANCE)
    needed = f"lower bound above {percent_text(CHANCE)} needed"
    return f"tells {share} of {row.n} pairs of answers with {what} apart, {needed}"
