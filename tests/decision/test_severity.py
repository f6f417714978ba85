"""The bank's own matrix: levels, cells, days, and a rule for whatever may be found."""

import math

import pytest

from decision.judged_gates import DAYS, DUE, MATRIX
from ragassay.decision.severity import CELLS, LIKELIHOODS, RULES, DueDays, RiskMatrix, finding_rule
from ragassay.errors import ParameterError
from ragassay.tables import SEVERITIES


def test_by_hand():
    words = [MATRIX.likelihood(share) for share in (0, 0.0099, 0.01, 0.3, 1)]
    assert words == ["rare", "rare", "possible", "likely", "frequent"]
    assert MATRIX.severity("major", 0.3) == "High" and MATRIX.severity("severe", 0.02) == "Critical"
    assert MATRIX.likelihood(math.nan) == "not measured"
    assert [MATRIX.severity(impact, math.nan) for impact in CELLS] == ["High", *SEVERITIES[1:]]


def test_severity_never_falls_with_likelihood_or_impact_in_the_default():
    shares = list(LIKELIHOODS.values())
    rows = [[SEVERITIES.index(MATRIX.severity(impact, share)) for share in shares] for impact in CELLS]
    assert all(row == sorted(row, reverse=True) for row in rows)
    assert all(list(column) == sorted(column) for column in zip(*rows, strict=True))


@pytest.mark.parametrize(
    "likelihoods, cells, impacts, parameter",
    [
        ({"rare": 0.1}, CELLS, {}, "likelihoods"),
        ({}, CELLS, {}, "likelihoods"),
        ({"rare": 0.0, "likely": 0.0}, CELLS, {}, "likelihoods"),
        (LIKELIHOODS, {**CELLS, "major": "Low, High"}, {}, "matrix"),
        (LIKELIHOODS, {**CELLS, "major": "Low, High, High, grave"}, {}, "matrix"),
        (LIKELIHOODS, {}, {}, "matrix"),
        (LIKELIHOODS, CELLS, {"misuse": "catastrophic"}, "impacts"),
    ],
)
def test_refusals(likelihoods, cells, impacts, parameter):
    with pytest.raises(ParameterError, match=parameter):
        RiskMatrix(likelihoods, cells, impacts)


def test_days():
    assert DUE.date("2026-11-28", "Critical") == "2027-01-27"
    for days in ({"Critical": 30.0}, DAYS | {"Grave": 1.0}, DAYS | {"Critical": 400.0}, DAYS | {"Low": 0.0}):
        with pytest.raises(ParameterError, match="days_until_due"):
            DueDays(days)


def test_every_rule_has_a_last_row_that_fits_all():
    for rule in ("error", "check", "gate", "slice", "process"):
        if rule != "error":
            assert finding_rule(rule, "whatever", "whatever")["subject"] == "whatever"
    assert {row["impact"] for row in RULES} <= set(CELLS)
