"""The chance that one candidate meets all that closes the findings that a release waits for."""

import json

import numpy as np
import pandas as pd
import pytest

from decision.registered import finding
from ragassay.decision.closing import closure_chance

MISUSE = "clear where the upper bound is at most 10 %"


def register(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(rows)


def asked(**of: dict) -> str:
    return json.dumps(of)


def refused(number: int, severity: str = "High", chance: float = 0.8, **more) -> dict:
    told = {"by": "high", "threshold": 0.1, "fewest": 250, "chance": chance}
    return finding(
        number,
        "errors:needless refusal",
        severity,
        asked=json.dumps({"errors:needless refusal": told}),
        **more,
    )


def checked(number: int, aspect: str, rule: str, severity: str = "High", fewest: int = 250) -> dict:
    source = f"check:misuse|{aspect}|misuse_answered_rate"
    return finding(number, source, severity, asked=json.dumps({source: {"rule": rule, "fewest": fewest}}))


def test_twenty_tests_of_four_fifths_are_hardly_ever_passed_together():
    least, product = closure_chance.chances([0.8] * 20)
    assert least == 0 and product == pytest.approx(0.0115, abs=0.0001)


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_the_least_holds_whatever_the_dependence(shared):
    rng = np.random.default_rng(0)
    common, own = rng.random((20_000, 1)), rng.random((20_000, 3))
    drawn = np.where(rng.random((20_000, 3)) < shared, common, own)
    met = (drawn < 0.8).all(axis=1).mean()
    least, product = closure_chance.chances([0.8] * 3)
    assert least == pytest.approx(0.4) and least < met <= 0.82
    assert met == pytest.approx(product, abs=0.015) or shared


def test_a_row_of_two_findings_counts_once_and_what_no_release_waits_for_does_not():
    """Formerly rows of findings left to their due day counted, and one test as often as it stood."""
    slice_of = finding(
        3,
        "weakness:retrieval_recall|language|es",
        "Medium",
        asked=json.dumps(
            {
                "weakness:retrieval_recall|language|es": {
                    "rule": "x",
                    "by": "low",
                    "threshold": 0.8,
                    "fewest": 120,
                }
            }
        ),
    )
    told = closure_chance.in_words(register(refused(1), refused(2), slice_of, checked(4, "a", MISUSE)))
    assert "waits for 2 different planned rows" in told
    assert "at least 60.0 %" in told and "about 64.0 %" in told
    assert "At most 2 candidates" in told and "new questions" in told and "in at most 5 % of cases" in told


def test_rows_where_none_may_fail_say_how_seldom_a_system_may():
    told = closure_chance.in_words(
        register(
            checked(
                1,
                "a",
                "clear where there is none and the upper bound (Clopper-Pearson, 95 %) is at most 5 %: 72 trials or more",
                fewest=1000,
            )
        )
    )
    assert "Jointly" not in told and "1 row where none may fail, 1,000 trials in all, is met by" in told
    seldom = closure_chance.seldom(1000)
    assert f"once in {seldom:,} trials" in told
    assert (1 - 1 / seldom) ** 1000 == pytest.approx(0.8, abs=0.001)


def test_what_is_left_of_both_promises_is_said():
    """Formerly 80 % of the planned rows and 80 % of those where none may fail stood side by side alone."""
    none = "clear where there is none and the upper bound (Clopper-Pearson, 95 %) is at most 5 %: 72 trials or more"
    told = closure_chance.in_words(register(refused(1), checked(2, "a", none, fewest=72)))
    assert "rows of both kinds with 64 % if the two are independent, with at least 60 % however" in told
    assert "both kinds" not in closure_chance.in_words(register(refused(1)))


def test_what_is_asked_of_its_own_kind_is_a_row_too():
    told = json.dumps({"errors:unsafe": {"by": "value", "fewest": 264, "of_kind": 72}})
    said = closure_chance.in_words(register(finding(1, "errors:unsafe", "Critical", asked=told)))
    assert "2 rows where none may fail, 336 trials in all, are met by" in said


def test_nothing_to_close_says_nothing():
    assert closure_chance.in_words(register(refused(1, status="closed"))) == ""
