"""The bank's own matrix of likelihood and impact: levels, and the risk in each cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

from ragassay import parameter_ranges
from ragassay.errors import ParameterError
from ragassay.tables import SEVERITIES

NOT_MEASURED, NOT_RATED = "not measured", "not rated"
LIKELIHOODS = {"rare": 0.0, "possible": 0.01, "likely": 0.1, "frequent": 0.5}
IMPACTS = {"Critical": "severe", "High": "major", "Medium": "moderate", "Low": "minor"}
MATRIX = {
    "severe": "high, very high, very high, very high",
    "major": "medium, high, high, very high",
    "moderate": "low, medium, medium, high",
    "minor": "low, low, low, medium",
}


@dataclass(frozen=True)
class RiskMatrix:
    """likelihoods : level -> from which share of failing answers, the rarest first; impacts : severity ->
    level of impact; cells : level of impact -> the risk at each likelihood, in their order, parted by commas

    Raises
    ------
    ParameterError
        If the levels are no shares, do not start at 0 and rise, a severity has no level of impact, or a row
        of cells is missing or of another length.
    """

    likelihoods: Mapping[str, float]
    impacts: Mapping[str, str]
    cells: Mapping[str, str]

    def __post_init__(self) -> None:
        shares = list(self.likelihoods.values())
        for level, least in self.likelihoods.items():
            parameter_ranges.check(f"likelihoods {level}", least, "in [0, 1]")
        if not shares or shares[0] != 0 or sorted(set(shares)) != shares:
            raise _refusal("likelihoods", dict(self.likelihoods), "rising shares, the first 0")
        if missing := [each for each in SEVERITIES if each not in self.impacts]:
            raise _refusal("impacts", missing, "a level of impact for each severity")
        wrong = [level for level in self.impacts.values() if len(self._row(level)) != len(shares)]
        if wrong:
            raise _refusal("risk_matrix", wrong, f"a row of {len(shares)} risks for each level of impact")

    def likelihood(self, share: float) -> str:
        """The level of a share of failing answers, in [0, 1]; `not measured` of NaN."""
        if isnan(share):
            return NOT_MEASURED
        return [level for level, least in self.likelihoods.items() if share >= least][-1]

    def risk(self, share: float, severity: str) -> str:
        """The risk in the cell of a share and a severity; `not rated` where the share was not measured."""
        if isnan(share):
            return NOT_RATED
        place = list(self.likelihoods).index(self.likelihood(share))
        return self._row(self.impacts[severity])[place]

    def in_words(self) -> str:
        """The scale: what each level begins at, of which share, and the impact of each severity."""
        shares = ", ".join(f"{level} from {100 * least:g} %" for level, least in self.likelihoods.items())
        impacts = ", ".join(f"{level} ({severity})" for severity, level in self.impacts.items())
        return (
            f"Risk is read from likelihood and impact. Likelihood: {shares} of the cases that a finding was "
            "tried on, which are tests and no sample of use; of few cases it is uncertain. "
            f"Impact by severity: {impacts}."
        )

    def _row(self, impact: str) -> list[str]:
        return [each.strip() for each in self.cells.get(impact, "").split(",") if each.strip()]


DEFAULT = RiskMatrix(LIKELIHOODS, IMPACTS, MATRIX)


def _refusal(parameter: str, found: object, expected: str) -> ParameterError:
    return ParameterError(
        "the matrix of risks cannot be read", where=f"parameter {parameter}", found=found, expected=expected
    )
