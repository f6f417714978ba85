"""The search for weak slices: every level of every factor, and every pair of levels of two factors.

Every slice with enough questions is tested on all questions, one-sided, by random exchanges of the values
between questions. Levels are few, and Benjamini and Hochberg's adjustment controls them. Pairs are many: the
exchanges say how striking the most striking of all pairs is by chance alone. Each of the two gets half of
the level. What is compared, and exchanged, is the mean of each cluster (the wordings of one question), within
its origin and number of wordings (1, 2, 3 to 4, 5 to 8, ...): a slice with more of our own questions is not
weak because generated ones are easier, nor one of single questions because they vary more.

Of tables of 400 questions, 7 factors of 2 to 6 levels and 2 metrics, at the level 0.05 (`shares(3, N)`, and
`shares(7, N, clusters=True)`, of tests/analysis/slicing/test_slice_search.py; 95 % intervals of Clopper and
Pearson):

    no weakness, scores of deviation 0.14 (500)            a false slice in 1.6 % [0.7, 3.1]
    no weakness, verdicts that accept 80 % (500)           a false slice in 2.8 % [1.5, 4.7]
    the same in clusters of 1 to 8, scores (500)           a false slice in 4.0 % [2.5, 6.1]
    the same in clusters of 1 to 8, verdicts (500)         a false slice in 3.6 % [2.1, 5.6]
    a pair of 40 scores, 0.2 lower (50)                    found in all, another slice in 4 %
    a pair of 40 verdicts, 0.6 among 0.8 (200)             found in 14.5 %
    the same, 0.5 among 0.8; 0.4 among 0.8                 found in 49.5 %; 88.5 %
    the same, 0.5 among 0.7; 0.7 among 0.9                 found in 5.5 %; 27 %

40 verdicts of 0.6 among 0.8 cannot be found in 80 % by any valid search that treats its 568 pairs alike: the
best test of 40 verdicts that even knows the 0.8 finds them in 21 % at 0.05 / 568, in 88 % at 0.05, and would
need a level of 0.023, that of two slices named before (exact binomial, Neyman and Pearson). The report says
what the search of its run could have found (`detectable`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from ragassay import parameter_ranges
from ragassay.analysis.ranking import ranked
from ragassay.analysis.slicing import slice_tests
from ragassay.analysis.slicing.slice_units import FACTOR, PAIR, Units, restate_levels, sizes
from ragassay.defaults import FEWEST_OF_A_SLICE, LEAST_EFFECT, SIGNIFICANCE
from ragassay.stats import benjamini_hochberg

STRIKING = 10  # pairs of a metric that are told of, found or not
STOOD_OUT = -1.5  # standard score in one half, and
CONFIRMED_AT = 0.05  # p value in the other, by which a found slice is confirmed
POWER = 0.8
_GRID = np.linspace(0.005, 1.0, 200)
REMAINDER = -3.0  # standard score of what other findings leave of a slice: one-sided p of 0.0013


@dataclass(frozen=True)
class Rules:
    """What counts as a weak slice: `minimum` questions at least, drawn independently, `least_effect` worse
    than the rest (share of the metric's range), at a chance `level` of a false slice where none is weak."""

    minimum: int = FEWEST_OF_A_SLICE
    least_effect: float = LEAST_EFFECT
    level: float = SIGNIFICANCE
    n_permutations: int = 19_999

    def __post_init__(self) -> None:
        parameter_ranges.check("minimum", self.minimum, "in [2, inf)")
        parameter_ranges.check("least_effect", self.least_effect, "in [0, 1]")
        parameter_ranges.check("level", self.level, "in (0, 1)")


def search(
    units: Units, rules: Rules, rng: np.random.Generator, *, n_metrics: int = 1, span: float = 1.0
) -> pd.DataFrame:
    """A row for each level that has enough questions, and for the most striking pairs: place (in
    units.slices), kind, difference, z, p (of a level by itself, of a pair for all pairs of the metric),
    `detectable`, first_z and held_out_p of the two halves, tests made and pairs too small for
    one.

    difference, detectable : in the metric's units; a difference is below 0 where the slice is worse
    """
    inside, outside = sizes(units)
    enough = (inside >= rules.minimum) & (outside >= rules.minimum)
    is_pair = (units.slices["kind"] == PAIR).to_numpy()
    levels, pairs = (
        np.flatnonzero(enough & ~is_pair),
        np.flatnonzero(enough & is_pair & ~restate_levels(units)),
    )
    again = units.held_out
    tests = [
        _test(units, places, kind, rules, n_metrics, rng)
        for kind, places in ((FACTOR, levels), (PAIR, pairs))
    ]
    found = pd.concat([each for each, _ in tests], ignore_index=True)
    places = found["place"].to_numpy()
    known, needed = units.moments(places), np.concatenate([each for _, each in tests])
    least = rules.least_effect * span
    found = found.assign(
        difference=slice_tests.differences(known),
        z=slice_tests.standard_scores(known),
        detectable=detectable(known, needed, inside[places], outside[places], units.values, least),
        first_z=slice_tests.standard_scores(units.moments(places, ~again)),
        held_out_n=units.member[again][:, places].sum(axis=0),
        tests=len(places),
        pairs_left_out=int((~enough & is_pair & (units.member.sum(axis=0) > 0)).sum()),
    )
    striking = ranked(found[found["kind"] == PAIR], ["p", "z"], ["place"]).index[:STRIKING]
    told = found[(found["kind"] == FACTOR) | found.index.isin(striking)].reset_index(drop=True)
    return told.assign(held_out_p=_held_out(units, told["place"].to_numpy(), rules, rng))


def _test(
    units: Units, places: NDArray, kind: str, rules: Rules, n_metrics: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, NDArray]:
    """Place, kind and p of the levels, or of the pairs, and (k,) the standard score that finds each."""
    known, part = units.moments(places), rules.level / 2 / n_metrics
    if kind == FACTOR:
        p = slice_tests.chances(known, units.strata, n_permutations=rules.n_permutations, rng=rng)
        log_chances = np.full(len(places), np.log(part / max(1, len(places))))
    else:
        shares = slice_tests.shares_of_level(known, part)
        p, smallest = slice_tests.adjusted_chances(
            known, units.strata, shares, n_permutations=max(199, rules.n_permutations // 4), rng=rng
        )
        log_chances = np.quantile(smallest, part) + np.log(shares)
    needed = slice_tests.needed_scores(known, log_chances)
    return pd.DataFrame({"place": places, "kind": kind, "p": p}), needed


def _held_out(units: Units, places: NDArray, rules: Rules, rng: np.random.Generator) -> NDArray:
    known = units.moments(places, units.held_out)
    strata = units.strata[units.held_out]
    return slice_tests.chances(known, strata, n_permutations=min(1999, rules.n_permutations), rng=rng)


def judge(found: pd.DataFrame, spans: NDArray, rules: Rules) -> pd.DataFrame:
    """The rows of `search`, of all metrics (column `metric_place`), with q, flagged and confirmed: stood out
    in one random half of the questions, and was significantly worse in the other, on `minimum` of them.

    q : of levels Benjamini-Hochberg, of pairs p by the number of metrics, both times two
    spans : (n,) range of each row's metric
    """
    is_level = (found["kind"] == FACTOR).to_numpy()
    q = 2.0 * found["metric_place"].nunique() * found["p"].to_numpy(dtype=float)
    q[is_level] = 2 * benjamini_hochberg(found.loc[is_level, "p"].to_numpy(dtype=float))
    q = np.minimum(q, 1.0)
    large = found["difference"].to_numpy() <= -rules.least_effect * spans
    flagged = (q <= rules.level) & large
    again = (found["first_z"] <= STOOD_OUT) & (found["held_out_p"] <= CONFIRMED_AT)
    again &= found["held_out_n"] >= rules.minimum
    return found.assign(q=q, flagged=flagged, confirmed=flagged & again)


def name_findings(judged: pd.DataFrame, units: Sequence[Units], rules: Rules) -> pd.DataFrame:
    """The rows of `judge` with `finding`, and `no_finding`: why a flagged slice is none.

    The clearest slice is a finding; another is one if it is still weak (one-sided p of 0.0013) without the
    cases of those before it, which nested slices and one slice under two names are not.

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
    weak = slice_tests.standard_scores(units.moments([row.place], left))[0] <= REMAINDER
    return "" if weak else "restates another slice"


def _cases_of(units: Units, place: int) -> set:
    return set(units.clusters[units.member[:, place] > 0])


def detectable(
    known: slice_tests.Moments,
    needed: NDArray,
    inside: NDArray,
    outside: NDArray,
    values: NDArray,
    least: float,
) -> NDArray:
    """(k,) the smallest true difference from the rest, above 0, that the search finds with 80 % power in a
    slice of each size; NaN where it would find none.

    needed : (k,) standard scores by which a slice must be lower (`slice_tests.needed_scores`)
    inside, outside : (k,) clusters in the slice and in what it is compared with
    least : the smallest observed difference that counts, in the metric's units
    """
    if not len(values):
        return np.full(len(needed), np.nan)
    is_share = set(np.unique(np.abs(values))) <= {0.0, 1.0}
    rate = float(values.mean()) + (1.0 if values.min(initial=0.0) < 0 else 0.0)
    if is_share:
        return _of_shares(known, needed, inside, outside, rate, least)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(known.variance) / known.information
    return np.maximum(needed * error, least) + ndtri(POWER) * error


def _of_shares(
    known: slice_tests.Moments, needed: NDArray, inside: NDArray, outside: NDArray, rate: float, least: float
) -> NDArray:
    """Of verdicts of 0 or 1, whose spread changes with their mean: the smallest difference of a grid."""
    n = inside + outside
    lower = _GRID[:, None]
    rest = np.minimum(rate + lower * inside / n, 1.0)
    there = rest - lower
    with np.errstate(divide="ignore", invalid="ignore"):
        by_chance = np.sqrt(np.maximum(rate * (1 - rate), 0) / known.information)
        spread = np.sqrt(np.maximum(there * (1 - there), 0) / inside + rest * (1 - rest) / outside)
    found = (lower >= np.maximum(needed * by_chance, least) + ndtri(POWER) * spread) & (there >= 0)
    return np.where(found.any(axis=0), _GRID[found.argmax(axis=0)], np.nan)
