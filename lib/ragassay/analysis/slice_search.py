"""The search for weak slices: every level of every factor, and pairs of levels of two factors.

Levels of one factor are planned before any score is seen: they are tested on all cases. Pairs are many: one
half of the cases chooses the few that look weakest, the other half, which the choice has not seen, tests
them. Each of the two gets half of the level, by Benjamini and Hochberg. Values are compared within their
origin: a slice with more of our own questions is not weak because generated ones are easier.

Of 500 tables of 400 cases, 7 factors of 2 to 6 levels and 2 metrics, at the level 0.05 (`shares(3, 500)` of
tests/analysis/test_slice_search.py, with 9,999 permutations):

    no weakness, scores of deviation 0.14                  a false slice in 2.4 %
    no weakness, verdicts that accept 80 %                 a false slice in 2.4 %
    a pair of 40 cases planted 0.2 lower, such scores      found in 99.6 %, another slice in 3.0 %
    the same of such verdicts (100 tables)                 found in 11 %, another slice in 7 %

A verdict of 0 or 1 carries less than a score: 40 cases do not suffice to find 0.6 among 0.8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import ranges
from ragassay.analysis import case_scores, factors, slice_tests
from ragassay.stats import benjamini_hochberg
from ragassay.tables import is_blank

FACTOR, PAIR = "factor", "pair"
CANDIDATES = 10  # pairs of a metric that the held-out half tests
PROMISING = -1.5  # standard score in the searching half from which a pair is a candidate
ALIKE = 0.8  # share of cases in common from which two candidates are one
CONFIRMED_AT = 0.05  # p value in the held-out half
REMAINDER = -3.0  # standard score of what other findings leave of a slice: one-sided p of 0.0013


@dataclass(frozen=True)
class Rules:
    """What counts as a weak slice: `minimum` cases at least, `least_effect` worse than the rest (share of the
    metric's range), at a share `level` of false discoveries."""

    minimum: int = 6
    least_effect: float = 0.1
    level: float = 0.05
    n_permutations: int = 19_999

    def __post_init__(self) -> None:
        ranges.check("minimum", self.minimum, "in [2, inf)")
        ranges.check("least_effect", self.least_effect, "in [0, 1]")
        ranges.check("level", self.level, "in (0, 1)")


@dataclass(frozen=True)
class Units:
    """What one metric is searched in: clusters (n,) and their mean values, higher is better; the slices, and
    which share of each cluster each holds (n, k); which clusters are held out."""

    clusters: NDArray
    values: NDArray
    slices: pd.DataFrame
    member: NDArray
    held_out: NDArray

    def of(self, chosen: NDArray | list[int]) -> NDArray:
        """(n, j) the columns of these slices."""
        return self.member[:, np.asarray(chosen, dtype=int)]


def units_of(
    rows: pd.DataFrame, names: Sequence[str], *, higher_is_better: bool, rng: np.random.Generator
) -> Units:
    """The scored rows (of `case_scores.scores_with_cases`) as units, with every level of these factors and
    every pair of levels of two of them."""
    known = rows.dropna(subset=["value"])
    slices, member = _slices(known, names)
    codes, clusters = pd.factorize(known["cluster"])
    values = _means(_within_origin(known)[:, None] * (1 if higher_is_better else -1), codes)[:, 0]
    held_out = np.zeros(len(clusters), dtype=bool)
    held_out[rng.permutation(len(clusters))[: len(clusters) // 2]] = True
    names_of = np.asarray(clusters, dtype=object)
    return Units(names_of, values, slices, _means(member, codes), held_out)


def search(units: Units, rules: Rules, rng: np.random.Generator) -> pd.DataFrame:
    """A row for each level that has enough cases, and for each pair that was chosen for the held-out half:
    place (in units.slices), kind, difference, z, p, held_out_p; differences in the metric's units, below 0
    where the slice is worse."""
    sizes = units.member.sum(axis=0)
    big = (sizes >= rules.minimum) & (len(units.values) - sizes >= rules.minimum)
    is_factor = (units.slices["kind"] == FACTOR).to_numpy()
    planned, pairs = np.flatnonzero(big & is_factor), np.flatnonzero(big & ~is_factor)
    chosen = _candidates(units, pairs, rules)
    places = np.concatenate([planned, chosen]).astype(int)
    held = units.values[units.held_out], units.of(places)[units.held_out]
    again = slice_tests.chance_of_lower(*held, n_permutations=rules.n_permutations, rng=rng)
    on_all = slice_tests.chance_of_lower(
        units.values, units.of(planned), n_permutations=rules.n_permutations, rng=rng
    )
    return pd.DataFrame(
        {
            "place": places,
            "kind": [FACTOR] * len(planned) + [PAIR] * len(chosen),
            "difference": slice_tests.differences(units.values, units.of(places)),
            "z": slice_tests.standard_scores(units.values, units.of(places)),
            "p": np.concatenate([on_all, again[len(planned) :]]),
            "held_out_n": held[1].sum(axis=0),
            "held_out_p": again,
        }
    )


def judge(found: pd.DataFrame, spans: NDArray, rules: Rules) -> pd.DataFrame:
    """The rows of `search`, of all metrics, with q, flagged and confirmed.

    q : Benjamini-Hochberg over the levels, and over the pairs, times two, for both share the level
    spans : (n,) range of each row's metric
    """
    q = np.full(len(found), np.nan)
    for kind in (FACTOR, PAIR):
        mine = (found["kind"] == kind).to_numpy()
        q[mine] = np.minimum(1.0, 2 * benjamini_hochberg(found.loc[mine, "p"].to_numpy(dtype=float)))
    large = found["difference"].to_numpy() <= -rules.least_effect * spans
    flagged = (q <= rules.level) & large
    return found.assign(q=q, flagged=flagged, confirmed=flagged & (found["held_out_p"] <= CONFIRMED_AT))


def name_findings(judged: pd.DataFrame, units: Sequence[Units], rules: Rules) -> pd.DataFrame:
    """The rows of `judge` with `finding`, and `no_finding`: why a flagged slice is none.

    The clearest slice is a finding; another is one if it is still weak (one-sided p of 0.0013) without the
    cases of those before it, which nested slices and one slice under two names are not. A slice that the
    held-out half could test and did not confirm is none.

    units : by the rows' column `metric_place`
    """
    reasons: dict = {}
    taken: list[set] = []
    for row in judged[judged["flagged"]].sort_values("z", kind="stable").itertuples():
        reasons[row.Index] = _why_not(row, units[row.metric_place], taken, rules)
        if not reasons[row.Index]:
            taken.append(_cases_of(units[row.metric_place], row.place))
    why = pd.Series(reasons, dtype=object).reindex(judged.index)
    return judged.assign(finding=(why == ""), no_finding=why.fillna(""))


def _why_not(row: Any, units: Units, taken: Sequence[set], rules: Rules) -> str:
    """Why a flagged slice is no finding; empty if it is one."""
    if not row.confirmed and row.held_out_n >= rules.minimum:
        return "not confirmed in the held-out half"
    left = ~np.isin(units.clusters, list(set().union(*taken)))
    member = units.of([row.place])[left]
    if member.sum() < rules.minimum and taken:
        return "restates another slice"
    weak = slice_tests.standard_scores(units.values[left], member)[0] <= REMAINDER
    return "" if weak or not taken else "restates another slice"


def _cases_of(units: Units, place: int) -> set:
    return set(units.clusters[units.member[:, place] > 0])


def _candidates(units: Units, pairs: NDArray, rules: Rules) -> list[int]:
    """The pairs that look weakest in the searching half, no two of nearly the same cases; each has enough
    cases in both halves."""
    seen = ~units.held_out
    member = units.of(pairs)
    enough = (member[seen].sum(axis=0) >= rules.minimum) & (member[~seen].sum(axis=0) >= rules.minimum)
    z = slice_tests.standard_scores(units.values[seen], member[seen])
    promising = np.flatnonzero(enough & (z <= PROMISING))
    chosen: list[int] = []
    for place in pairs[promising[np.argsort(z[promising], kind="stable")]]:
        if len(chosen) < CANDIDATES and not any(_alike(units.member, place, other) for other in chosen):
            chosen.append(int(place))
    return chosen


def _alike(member: NDArray, one: int, two: int) -> bool:
    common = np.minimum(member[:, one], member[:, two]).sum()
    return bool(common >= ALIKE * np.maximum(member[:, one], member[:, two]).sum())


def _means(rows: NDArray, codes: NDArray) -> NDArray:
    """(m, k) means of the rows (n, k) of each of m clusters."""
    counts = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int)
    sums = np.add.reduceat(rows[np.argsort(codes, kind="stable")], starts, axis=0) if len(rows) else rows
    return sums / counts[:, None]


def _within_origin(known: pd.DataFrame) -> NDArray:
    """Values with the mean of their origin taken away, and the mean of all given back."""
    values = known["value"].astype(float)
    if factors.ORIGIN not in known or known[factors.ORIGIN].nunique() < 2:
        return values.to_numpy()
    return (values - values.groupby(known[factors.ORIGIN]).transform("mean") + values.mean()).to_numpy()


def _slices(known: pd.DataFrame, names: Sequence[str]) -> tuple[pd.DataFrame, NDArray]:
    """Every level of each factor, and every pair of levels of two: kind, dimension, level; and who is in it
    (n, k). A case without a level is in none."""
    levels = {name: pd.get_dummies(known[name].map(_level), dtype=float) for name in names}
    rows = [(FACTOR, name, level) for name in names for level in levels[name]]
    columns = [levels[name][level].to_numpy() for _, name, level in rows]
    for one, two in combinations(names, 2):
        both = ((a, b) for a in levels[one] for b in levels[two])
        for a, b in both:
            rows.append((PAIR, case_scores.dimension_name((one, two)), _pair_name(one, a, two, b)))
            columns.append(levels[one][a].to_numpy() * levels[two][b].to_numpy())
    table = pd.DataFrame(rows, columns=["kind", "dimension", "level"])
    return table, np.column_stack(columns) if columns else np.zeros((len(known), 0))


def _pair_name(one: str, a: str, two: str, b: str) -> str:
    return f"{one}={a}{case_scores.BETWEEN}{two}={b}"


def _level(value: object) -> str | None:
    return None if is_blank(value) else case_scores.level_text(value)
