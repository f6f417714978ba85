"""How severe a finding is: its own likelihood, from its interval, by its own impact, from tables that a bank
edits (`finding_rules.csv`, `severity_matrix.csv`, and parameters of notebook 07); and by when it is due."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path

import pandas as pd

from ragassay import parameter_ranges
from ragassay.errors import ParameterError
from ragassay.tables import SEVERITIES

# what may be found: rule, name and aspect (patterns), subject (findings of one subject are one; empty: the
# name), impact, and `holds_if`, the statement of the engagement without which it is no finding
RULES = pd.read_csv(Path(__file__).with_name("finding_rules.csv"), keep_default_na=False).to_dict("records")
# likelihood -> from which share of failing answers; level of impact -> the severity at each likelihood
_SHARES, *_LEVELS = pd.read_csv(Path(__file__).with_name("severity_matrix.csv")).to_dict("records")
LIKELIHOODS = {level: float(least) for level, least in _SHARES.items() if level != "impact"}
CELLS = {row["impact"]: ", ".join(row[level] for level in LIKELIHOODS) for row in _LEVELS}
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class RiskMatrix:
    """likelihoods : level -> from which share of failing answers, the rarest first; cells : level of impact,
    the gravest first -> the severity at each likelihood, in their order, parted by commas; impacts : name of
    a gate, check or kind of error -> level of impact, in place of the table's own

    Raises
    ------
    ParameterError
        If the levels are no shares, do not start at 0 and rise, a row of cells is of another length or holds
        what is no severity, or an impact is no row of the cells.
    """

    likelihoods: Mapping[str, float]
    cells: Mapping[str, str]
    impacts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shares = list(self.likelihoods.values())
        for level, least in self.likelihoods.items():
            parameter_ranges.check(f"likelihoods {level}", least, "in [0, 1]")
        if not shares or shares[0] != 0 or sorted(set(shares)) != shares:
            raise _refusal("likelihoods", dict(self.likelihoods), "rising shares, the first 0")
        wrong = [
            level
            for level in self.cells
            if len(self._row(level)) != len(shares) or set(self._row(level)) - set(SEVERITIES)
        ]
        if wrong or not self.cells:
            raise _refusal("matrix", wrong, f"{len(shares)} of {', '.join(SEVERITIES)} at each impact")
        known = {*self.impacts.values(), *(rule["impact"] for rule in RULES)}
        if missing := sorted(known - set(self.cells)):
            raise _refusal("impacts", missing, f"levels of the matrix: {', '.join(self.cells)}")

    def likelihood(self, share: float) -> str:
        """The level of a share of failing answers, in [0, 1]; `not measured` of NaN."""
        if isnan(share):
            return NOT_MEASURED
        return [level for level, least in self.likelihoods.items() if share >= least][-1]

    def severity(self, impact: str, share: float) -> str:
        """The cell of an impact and a share; of NaN by the impact alone, in the order of the matrix, at most
        High: what was not measured has not failed."""
        if isnan(share):
            return SEVERITIES[min(max(1, list(self.cells).index(impact)), len(SEVERITIES) - 1)]
        return self._row(impact)[list(self.likelihoods).index(self.likelihood(share))]

    def _row(self, impact: str) -> list[str]:
        return [each.strip() for each in self.cells[impact].split(",") if each.strip()]


def risk_matrix(
    likelihoods: Mapping[str, float] | None = None,
    cells: Mapping[str, str] | None = None,
    impacts: Mapping[str, str] | None = None,
) -> RiskMatrix:
    """A `RiskMatrix`, with the kit's likelihoods or cells where none are given.

    >>> risk_matrix().severity("severe", share=0.3)
    'Critical'
    """
    return RiskMatrix(likelihoods or LIKELIHOODS, cells or CELLS, impacts or {})


@dataclass(frozen=True)
class DueDays:
    """How many days after the report a finding is due, by severity.

    Raises
    ------
    ParameterError
        If a severity is missing or unknown, a number is outside [1, 3650], or a graver finding had more time.

    >>> DueDays({"Critical": 60, "High": 90, "Medium": 180, "Low": 365}).date("2026-11-28", "High")
    '2027-02-26'
    """

    days: Mapping[str, float]

    def __post_init__(self) -> None:
        for severity, days in self.days.items():
            parameter_ranges.check(f"days_until_due {severity}", days, "in [1, 3650]")
        if set(self.days) != set(SEVERITIES):
            raise _refusal("days_until_due", sorted(self.days), f"each of {', '.join(SEVERITIES)}, no other")
        given = [self.days[severity] for severity in SEVERITIES]
        if given != sorted(given):
            raise _refusal("days_until_due", dict(self.days), "no more days for a graver finding")

    def date(self, opened: str, severity: str) -> str:
        """By when a finding of this severity is due that was opened on this day; dates as YYYY-MM-DD."""
        day = datetime.date.fromisoformat(opened)
        return (day + datetime.timedelta(days=int(self.days[severity]))).isoformat()


def finding_rule(rule: str, name: str, aspect: str = "") -> dict[str, str]:
    """The first row of RULES that fits; its subject filled in."""
    found = next(
        row
        for row in RULES
        if row["rule"] == rule and fnmatchcase(name, row["name"]) and fnmatchcase(aspect, row["aspect"])
    )
    return found | {"subject": found["subject"] or name}


def _refusal(parameter: str, found: object, expected: str) -> ParameterError:
    where = f"parameter {parameter}"
    return ParameterError(f"the {where} cannot be read", where=where, found=found, expected=expected)
