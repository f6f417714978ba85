"""The search for weak slices: every level of every factor, and every pair of levels of two factors.

Every slice with enough questions is tested on all questions, one-sided, by exchanges of the values between
questions (`slice_tests`). One Benjamini-Hochberg adjustment controls all tests: every metric, level and pair.
What is compared, and exchanged, is the mean of each cluster (the wordings of one question), within its origin
and number of wordings (1, 2, 3 to 4, 5 to 8, ...): a slice with more of our own questions is not weak because
generated ones are easier, nor one of single questions because they vary more. No number is drawn at random:
the findings of a table depend on no seed.

Of tables of 400 questions, 7 factors of 2 to 6 levels and 2 metrics, at the level 0.05 (`shares(3, N)`, and
`shares(7, N, clusters=True)`, of tests/analysis/slicing/test_slice_search.py; 95 % intervals of Clopper and
Pearson):

    no weakness, scores of deviation 0.14 (500)            a false slice in 3.0 % [1.7, 4.9]
    no weakness, verdicts that accept 80 % (500)           a false slice in 2.0 % [1.0, 3.6]
    the same in clusters of 1 to 8, scores (500)           a false slice in 0.4 % [0.0, 1.4]
    the same in clusters of 1 to 8, verdicts (500)         a false slice in 0.4 % [0.0, 1.4]
    a pair of 40 scores, 0.2 lower (50)                    found in all, another slice in 4 %
    a pair of 40 verdicts, 0.6 among 0.8 (200)             found in 12 %
    the same, 0.5 among 0.8; 0.4 among 0.8                 found in 50 %; 85 %

40 verdicts of 0.6 among 0.8 cannot be found in 80 % by any valid search that treats its 568 pairs alike: the
best test of 40 verdicts that even knows the 0.8 finds them in 21 % at 0.05 / 568, in 88 % at 0.05, and would
need a level of 0.023, that of two slices named before (exact binomial, Neyman and Pearson). The table says
what the search of its run could have found (`detectable`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ragassay import parameter_ranges
from ragassay.analysis.ranking import ranked
from ragassay.analysis.slicing.slice_units import FACTOR, PAIR, Units, restate_levels, sizes
from ragassay.defaults import FEWEST_OF_A_SLICE, LEAST_EFFECT, POWER, SIGNIFICANCE
from ragassay.stats import benjamini_hochberg

STRIKING = 10  # pairs of a metric that are shown, significant or not


@dataclass(frozen=True)
class Rules:
    """What counts as a weak slice: `minimum` questions at least, drawn independently, `least_effect` worse
    than the rest (share of the metric's range), at a chance `level` of a false slice where none is weak."""

    minimum: int = FEWEST_OF_A_SLICE
    least_effect: float = LEAST_EFFECT
    level: float = SIGNIFICANCE

    def __post_init__(self) -> None:
        parameter_ranges.check("minimum", self.minimum, "in [2, inf)")
        parameter_ranges.check("least_effect", self.least_effect, "in [0, 1]")
        parameter_ranges.check("level", self.level, "in (0, 1)")


def search(units: Units, rules: Rules) -> pd.DataFrame:
    """A row for each level and pair that has enough questions: place (in units.slices), kind, difference (in
    the metric's units, below 0 where the slice is worse), error (its standard deviation by chance), z, and
    the one-sided p in (0, 1); NaN where all values are equal."""
    inside, outside = sizes(units)
    enough = (inside >= rules.minimum) & (outside >= rules.minimum)
    is_pair = (units.slices["kind"] == PAIR).to_numpy()
    places = np.flatnonzero(enough & ~(is_pair & restate_levels(units)))
    found = units.compare(places)
    return pd.DataFrame(
        {
            "place": places,
            "kind": units.slices["kind"].to_numpy()[places],
            "difference": found.difference,
            "error": found.error,
            "z": found.z,
            "p": ndtr(found.z),
        }
    )


def judge(found: pd.DataFrame, spans: NDArray, rules: Rules) -> pd.DataFrame:
    """The rows of `search`, of all metrics (column `metric_place`), that are shown: levels, and pairs that
    are flagged or among the most striking of their metric; with tests (how many were made), q, flagged, and
    `detectable`: the true difference, above 0, found with 80 % power were it the only one.

    spans : (n,) range of each row's metric
    """
    least, tests = rules.least_effect * spans, int(found["p"].notna().sum())
    q = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    flagged = (q <= rules.level) & (found["difference"].to_numpy() <= -least)
    needed = -ndtri(rules.level / max(1, tests)) * found["error"]
    judged = found.assign(
        q=q,
        flagged=flagged,
        tests=tests,
        detectable=np.maximum(needed, least) + ndtri(POWER) * found["error"],
    )
    pairs = ranked(judged[judged["kind"] == PAIR], ["z"], ["metric_place", "place"])
    striking = pairs.groupby("metric_place").head(STRIKING).index
    shown = (judged["kind"] == FACTOR) | judged["flagged"] | judged.index.isin(striking)
    return judged[shown].reset_index(drop=True)


def name_findings(judged: pd.DataFrame, units: Sequence[Units], rules: Rules) -> pd.DataFrame:
    """The rows of `judge` with `finding`, and `no_finding`: why a flagged slice is none.

    The clearest slice is a finding; another, the i-th, is one if without the cases of those before it its p
    is still at most i times `rules.level` / tests; of nested slices, or one under two names, it is not.

    units : by the rows' column `metric_place`
    """
    reasons: dict = {}
    taken: list[set] = []
    for row in ranked(judged[judged["flagged"]], ["z"], ["metric_place", "place"]).itertuples():
        reasons[row.Index] = _why_not(row, units[row.metric_place], taken, rules)
        if not reasons[row.Index]:
            taken.append(_cases_of(units[row.metric_place], row.place))
    why = pd.Series(reasons, dtype=object).reindex(judged.index)
    return judged.assign(finding=(why == ""), no_finding=why.fillna(""))


def _why_not(row: Any, units: Units, taken: Sequence[set], rules: Rules) -> str:
    """Why a flagged slice is no finding; empty if it is one."""
    if not taken:
        return ""
    left = ~np.isin(units.clusters, list(set().union(*taken)))
    if units.member[left, row.place].sum() < rules.minimum:
        return "restates another slice"
    p = ndtr(units.compare([row.place], left).z[0])
    return "" if p <= rules.level * (1 + len(taken)) / row.tests else "restates another slice"


def _cases_of(units: Units, place: int) -> set:
    return set(units.clusters[units.member[:, place] > 0])
