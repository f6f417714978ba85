"""The bank's own matrix: levels, cells, refusals."""

import math

import pytest

from ragassay.decision.findings.risk_matrix import DEFAULT, IMPACTS, LIKELIHOODS, MATRIX, RiskMatrix
from ragassay.errors import ParameterError
from ragassay.tables import SEVERITIES


def test_a_share_finds_its_level_and_cell():
    assert [DEFAULT.likelihood(share) for share in (0, 0.0099, 0.01, 0.3, 1)] == [
        *("rare", "rare", "possible", "likely", "frequent")
    ]
    assert DEFAULT.risk(0.3, "High") == "high" and DEFAULT.risk(0.9, "High") == "very high"


def test_the_scale_is_told_with_its_basis():
    said = RiskMatrix({"low": 0.0, "high": 0.2}, dict.fromkeys(SEVERITIES, "bad"), {"bad": "x, y"}).in_words()
    assert "low from 0 %, high from 20 % of the cases that a finding was tried on" in said
    assert "no sample of use" in said and "bad (Critical)" in said


def test_what_was_not_measured_is_not_rated():
    assert (DEFAULT.likelihood(math.nan), DEFAULT.risk(math.nan, "High")) == ("not measured", "not rated")


def test_risk_never_falls_with_likelihood_or_impact_in_the_default():
    rank = {"low": 0, "medium": 1, "high": 2, "very high": 3}
    shares = list(LIKELIHOODS.values())
    rows = [[rank[DEFAULT.risk(share, severity)] for share in shares] for severity in SEVERITIES]
    assert all(row == sorted(row) for row in rows)
    assert all(list(column) == sorted(column, reverse=True) for column in zip(*rows, strict=True))


def test_a_banks_own_words():
    own = RiskMatrix(
        {"1": 0.0, "2": 0.05},
        dict.fromkeys(("Critical", "High"), "A") | dict.fromkeys(("Medium", "Low"), "B"),
        {"A": "amber, red", "B": "green, amber"},
    )
    assert own.risk(0.5, "High") == "red" and own.risk(0.01, "Low") == "green"


@pytest.mark.parametrize(
    "likelihoods, impacts, cells, parameter",
    [
        ({"rare": 0.1}, IMPACTS, MATRIX, "likelihoods"),
        ({}, IMPACTS, MATRIX, "likelihoods"),
        ({"rare": 0.0, "likely": 0.0}, IMPACTS, MATRIX, "likelihoods"),
        (LIKELIHOODS, {"High": "major"}, MATRIX, "impacts"),
        (LIKELIHOODS, IMPACTS, {**MATRIX, "major": "low, high"}, "risk_matrix"),
        (LIKELIHOODS, IMPACTS, {}, "risk_matrix"),
    ],
)
def test_refusals(likelihoods, impacts, cells, parameter):
    with pytest.raises(ParameterError, match="matrix") as problem:
        RiskMatrix(likelihoods, impacts, cells)
    assert parameter in str(problem.value)
