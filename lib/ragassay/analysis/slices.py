"""Weak slices: `search(wide, outcomes, factors)` over a table with one row a question.

Every level of every factor, and every pair of levels of two, with enough questions is tested against all
others, one-sided, by exchanges of the values between questions (`slice_tests`). One Benjamini-Hochberg
adjustment controls all tests: every outcome, level and pair. What is compared, and exchanged, is the mean of
each cluster (the wordings of one question), within its origin and number of wordings (1, 2, 3 to 4, 5 to 8,
...): a slice with more of our own questions is not weak because generated ones are easier, nor one of single
questions because they vary more. No number is drawn at random: the findings of a table depend on no seed.

Of tables of 400 questions, 7 factors of 2 to 6 levels and 2 metrics, at the level 0.05 (`shares(3, N)`, and
`shares(7, N, clusters=True)`, of tests/analysis/slicing/test_slice_tests.py; 95 % intervals of Clopper and
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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot, isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ragassay import parameter_ranges
from ragassay.analysis import case_scores, scorecard, slice_factors, slice_tests
from ragassay.analysis.case_scores import BETWEEN, NO_LEVEL, case_clusters, rank_rows
from ragassay.defaults import CONFIDENCE, FEWEST_OF_A_SLICE, LEAST_EFFECT, POWER, SIGNIFICANCE
from ragassay.scores.display_names import slice_name
from ragassay.scores.metric_directions import direction
from ragassay.stats import Interval, adjusted_confidence, benjamini_hochberg, not_available
from ragassay.stats.random_streams import random_base, random_stream

FACTOR, PAIR = "factor", "pair"
ALIKE = 0.8  # share of a level's cases from which a pair of it is the level itself
STRIKING = 10  # pairs of an outcome that are shown, significant or not
COLUMNS = [
    "metric", "dimension", "level", "kind", "n", "mean", "low", "high", "confidence", "rest", "difference",
    "difference_low", "difference_high", "margin", "detectable", "p", "q", "flagged", "finding", "no_finding",
    "gain", "gain_low", "gain_high", "tests",
]  # fmt: skip


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


@dataclass(frozen=True)
class Units:
    """What one metric is searched in: clusters (n,), their mean values, higher is better, and their strata
    (those of one origin and of like size, which are compared with each other); the slices, and which share
    of each cluster each holds (n, k)."""

    clusters: NDArray
    values: NDArray
    strata: NDArray
    slices: pd.DataFrame
    member: NDArray

    def compare(self, places: NDArray | list[int], among: NDArray | None = None) -> slice_tests.Compared:
        """These slices against the rest, among all or some of the clusters."""
        rows = np.ones(len(self.values), dtype=bool) if among is None else among
        member = self.member[rows][:, np.asarray(places, dtype=int)]
        return slice_tests.compare(self.values[rows], member, self.strata[rows])


@dataclass(frozen=True)
class Found:
    """What a search found. table : every slice shown, the findings first; weak : the findings; factors :
    every level of every factor."""

    table: pd.DataFrame

    @property
    def weak(self) -> pd.DataFrame:
        return self.table[self.table["finding"]]

    @property
    def factors(self) -> pd.DataFrame:
        return self.table[self.table["kind"] == FACTOR]

    @property
    def tests(self) -> int:
        """How many comparisons were made, of every outcome, level and pair."""
        return int(self.table["tests"].max()) if len(self.table) else 0

    def _repr_html_(self) -> str:
        return self.weak.to_html(index=False, escape=True)


def search(
    wide: pd.DataFrame,
    outcomes: str | Sequence[str],
    factors: Sequence[str],
    *,
    minimum: int = FEWEST_OF_A_SLICE,
    least_effect: float = LEAST_EFFECT,
    level: float = SIGNIFICANCE,
    seed: int = 0,
) -> Found:
    """Where these outcomes are significantly worse than elsewhere, over every level and pair of the factors.

    Example: `slices.search(table, "accepted", ["topic", "language"]).weak`

    wide : one row a question; the columns group_id, parent_id and conversation_id say what was drawn
        together, `origin` what is compared only among itself; questions with `answerable` False count for no
        outcome that others have
    outcomes : numeric columns; a metric's direction and range are known, of another column higher is better
    minimum, least_effect, level : see `Rules`; seed : of the intervals, not of what is found

    The rows of `Found.table`, which is the table `weakness`:
    n, mean, low, high : of the slice; rest : mean of the rest
    difference : slice minus rest, in the outcome's units, within their origin and number of wordings
    confidence : of the three intervals of the row: 0.95, and of R findings selected among `tests` 1 minus
        `level` R / tests, so that of the findings' intervals at most that share miss on average
    gain, gain_low, gain_high : by how much the mean of all would improve were the slice as good as the rest
    detectable : the smallest true difference that the search finds with 80 % power, above 0
    margin : the smallest difference that matters, above 0, in the outcome's units
    q, flagged, finding, no_finding : see `judge` and `name_findings`

    Raises
    ------
    TableError
        If there is no such column.

    Measured (`make simulate`): of 82 findings' intervals in 200 tables 3.7 % [0.8, 10.3] miss; at 0.95, 22 %.

    Source
    ------
    Benjamini, Yekutieli (2005), False coverage-rate adjusted confidence intervals, JASA 100, section 3.
    """
    searched = [outcomes] if isinstance(outcomes, str) else list(outcomes)
    slice_factors.refuse_unknown(wide, [*factors, *searched])
    rules, base = Rules(minimum, least_effect, level), random_base(np.random.default_rng(seed))
    parts = {outcome: _rows(wide, outcome) for outcome in searched}
    judged = _searched(parts, factors, rules)
    tests = int(judged["tests"].max()) if len(judged) else 0
    selected = adjusted_confidence(int(judged["finding"].sum()), tests, level) if tests else CONFIDENCE
    rows = [
        _described(row, parts[row["metric"]], base, selected if row["finding"] else CONFIDENCE)
        for row in judged.to_dict("records")
    ]
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    least = [_scale(parts[outcome], outcome) * (least_effect or LEAST_EFFECT) for outcome in table["metric"]]
    flags = {name: table[name].eq(True) for name in ("flagged", "finding")}
    typed = table.assign(**flags, no_finding=table["no_finding"].fillna("").astype(str)).astype({"n": int})
    order = ["-finding", "-flagged", "q", "p"], ["metric", "dimension", "level"]
    return Found(rank_rows(typed.assign(tests=tests, margin=least), *order).reset_index(drop=True))


def _rows(wide: pd.DataFrame, outcome: str) -> pd.DataFrame:
    """The questions with a value, by id; of an outcome that answerable questions have, these alone: declining
    is right for the one kind and wrong for the other."""
    rows = (
        wide if "case_id" in wide else wide.assign(case_id=[f"row {place:09d}" for place in range(len(wide))])
    )
    clusters = case_clusters(rows).to_numpy()
    rows = rows.assign(value=rows[outcome].astype(float), cluster=clusters, state="scored")
    rows = rows.dropna(subset=["value"]).sort_values("case_id", kind="stable", ignore_index=True)
    answerable = (
        rows["answerable"].astype(bool) if "answerable" in rows else pd.Series(True, index=rows.index)
    )
    return rows[answerable] if answerable.any() else rows


def _span(rows: pd.DataFrame, outcome: str) -> tuple[float, float] | None:
    """The least and greatest possible value, where known; of a user's own column of shares 0 and 1."""
    shares = rows["value"].between(0, 1).all()
    return case_scores.value_range(outcome) or ((0.0, 1.0) if shares and not direction(outcome) else None)


def _scale(rows: pd.DataFrame, outcome: str) -> float:
    """The width of the outcome's range; the width seen, where the range of a user's own column is unknown."""
    if span := _span(rows, outcome):
        return span[1] - span[0] if np.isfinite(span[1] - span[0]) else 1.0
    return 1.0 if direction(outcome) else float(np.ptp(rows["value"]))


def _searched(parts: Mapping[str, pd.DataFrame], factors: Sequence[str], rules: Rules) -> pd.DataFrame:
    """The search of every outcome, judged."""
    found, units = [], []
    for outcome, rows in parts.items():
        tested = [name for name in factors if not slice_factors.by_construction(outcome, name)]
        better = direction(outcome) != "lower"
        units.append(units_of(rows, tested, higher_is_better=better))
        places = compare_slices(units[-1], rules)
        named = units[-1].slices.loc[places["place"], ["dimension", "level"]].reset_index(drop=True)
        sign, scale = 1 if better else -1, _scale(rows, outcome)
        found.append(
            places.join(named).assign(metric=outcome, metric_place=len(units) - 1, sign=sign, scale=scale)
        )
    if not found:
        return pd.DataFrame()
    table = pd.concat(found, ignore_index=True)
    return name_findings(judge(table, table["scale"].to_numpy(dtype=float), rules), units, rules)


def _described(row: dict, rows: pd.DataFrame, base: int, confidence: float) -> dict:
    """A row of the search with its intervals, and what the slice costs."""
    outcome, dimension, level = row["metric"], row["dimension"], row["level"]
    rng, here = (
        random_stream(base, outcome, dimension, level),
        case_scores.slice_names(rows, dimension) == level,
    )
    inside, outside = (
        scorecard.estimate_mean(rows[chosen], rng=rng, span=_span(rows, outcome), level=confidence)
        for chosen in (here, ~here)
    )
    gap = difference_of_means(inside, outside)
    away = row["sign"] * row["difference"]
    share = inside.n / max(1, inside.n + outside.n)
    gain, *ends = (-row["sign"] * share * each for each in (gap.value, gap.low, gap.high))
    return row | {
        "n": inside.n, "mean": inside.value, "low": inside.low, "high": inside.high, "rest": outside.value,
        "confidence": confidence, "difference": away, "difference_low": gap.low + away - gap.value,
        "difference_high": gap.high + away - gap.value, "gain": gain, "gain_low": min(ends),
        "gain_high": max(ends),
    }  # fmt: skip


def difference_of_means(inside: Interval, outside: Interval) -> Interval:
    """inside - outside with an interval made of theirs; above 0 when inside is higher.

    Needs nothing but the two intervals, which must come from different clusters; with Wilson's it would be
    Newcombe's method 10. n is that of `inside`.

    Source
    ------
    Zou, Donner (2008), Statistics in Medicine 27, equations 4 and 5; Newcombe (1998), Statistics in Medicine
    17.
    """
    value = inside.value - outside.value
    for side, where in ((inside, "inside"), (outside, "outside")):
        if isnan(side.low):
            return not_available(
                f"{where}: {side.reason or 'no interval'}", value=value, n=inside.n, left_out=inside.left_out
            )
    low = value - hypot(inside.value - inside.low, outside.high - outside.value)
    high = value + hypot(inside.high - inside.value, outside.value - outside.low)
    return Interval(
        value, low, high, inside.n, inside.left_out, inside.reason, "from the two intervals (Zou and Donner)"
    )


def compare_slices(units: Units, rules: Rules) -> pd.DataFrame:
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
    """The rows of `compare_slices`, of all metrics (column `metric_place`), that are shown: levels, and pairs
    that are flagged or among the most striking of their metric; with tests (how many), q, flagged, and
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
    pairs = rank_rows(judged[judged["kind"] == PAIR], ["z"], ["metric_place", "place"])
    striking = pairs.groupby("metric_place").head(STRIKING).index
    shown = (judged["kind"] == FACTOR) | judged["flagged"] | judged.index.isin(striking)
    return judged[shown].reset_index(drop=True)


def name_findings(judged: pd.DataFrame, units: Sequence[Units], rules: Rules) -> pd.DataFrame:
    """The rows of `judge` with `finding`, and `no_finding`: why a flagged slice is none.

    The clearest slice is a finding; another, the i-th, is one if without the cases of those before it its p
    is still at most i times `rules.level` / tests; of nested slices, or one under two names, it is not.

    units : by the rows' column `metric_place`
    """
    reasons: dict[Any, str] = {}
    taken = [""]
    for row in rank_rows(judged[judged["flagged"]], ["z"], ["metric_place", "place"]).itertuples():
        mine, found = units[row.metric_place], sum(why == "" for why in reasons.values())
        left = ~np.isin(mine.clusters, taken)
        enough = mine.member[left, row.place].sum() >= rules.minimum
        stands = (
            enough and ndtr(mine.compare([row.place], left).z[0]) <= rules.level * (1 + found) / row.tests
        )
        reasons[row.Index] = "" if stands or not found else "restates another slice"
        if not reasons[row.Index]:
            taken += list(mine.clusters[mine.member[:, row.place] > 0])
    why = pd.Series(reasons, dtype=object).reindex(judged.index)
    return judged.assign(finding=(why == ""), no_finding=why.fillna(""))


def units_of(rows: pd.DataFrame, names: Sequence[str], *, higher_is_better: bool) -> Units:
    """The scored rows (of `case_scores.scores_with_cases`) as units, with every level of these factors and
    every pair of levels of two of them."""
    known = rows.dropna(subset=["value"])
    slices, member = _slices(known, names)
    codes, clusters = pd.factorize(known["cluster"])
    values = known["value"].to_numpy(dtype=float)[:, None] * (1 if higher_is_better else -1)
    names_of = np.asarray(clusters, dtype=object)
    return Units(names_of, _means(values, codes)[:, 0], _strata(known), slices, _means(member, codes))


def sizes(units: Units) -> tuple[NDArray, NDArray]:
    """(k,) clusters in each slice and outside it, of the strata that hold both: those that are compared."""
    inside, outside = np.zeros(units.member.shape[1]), np.zeros(units.member.shape[1])
    for code in np.unique(units.strata):
        member = units.member[units.strata == code]
        here, there = member.sum(axis=0), (1 - member).sum(axis=0)
        both = (here > 0) & (there > 0)
        inside, outside = inside + here * both, outside + there * both
    return inside, outside


def restate_levels(units: Units) -> NDArray:
    """(k,) which pairs hold nearly all cases of one of their levels: the level is tested, the pair not."""
    held = units.member.sum(axis=0)
    least = [min((held[place] for place in parts), default=np.inf) for parts in units.slices["parts"]]
    return held >= ALIKE * np.asarray(least, dtype=float)


def _means(rows: NDArray, codes: NDArray) -> NDArray:
    """(m, k) means of the rows (n, k) of each of m clusters."""
    return pd.DataFrame(rows).groupby(codes).mean().to_numpy()


def _strata(known: pd.DataFrame) -> NDArray:
    """(m,) the origin of each cluster, that of its first question, and its size (1, 2, 3 to 4, 5 to 8, ...),
    as a code: means of few questions vary more than means of many, and are exchanged among themselves."""
    firsts = known.drop_duplicates("cluster")
    origins = (
        firsts[slice_factors.ORIGIN] if slice_factors.ORIGIN in known else pd.Series("", index=firsts.index)
    )
    counts = known["cluster"].value_counts().loc[firsts["cluster"]].to_numpy()
    alike = zip(origins.fillna(""), np.ceil(np.log2(counts)), strict=True)
    return pd.factorize(pd.Series(list(alike), dtype=object))[0]


def _slices(known: pd.DataFrame, names: Sequence[str]) -> tuple[pd.DataFrame, NDArray]:
    """Every level of each factor, and every pair of levels of two: kind, dimension, level, parts (the places
    of a pair's levels); and who is in it (n, k). A case without a level is in none."""
    levels = {
        name: pd.get_dummies(case_scores.levels(known, name), dtype=float).drop(
            columns=NO_LEVEL, errors="ignore"
        )
        for name in names
    }
    rows: list[tuple] = [(FACTOR, name, level, ()) for name in names for level in levels[name]]
    columns = [levels[name][level].to_numpy() for _, name, level, _ in rows]
    place = {row[1:3]: number for number, row in enumerate(rows)}
    for one, two in combinations(names, 2):
        for a, b in ((a, b) for a in levels[one] for b in levels[two]):
            parts = (place[one, a], place[two, b])
            rows.append((PAIR, BETWEEN.join((one, two)), f"{one}={a}{BETWEEN}{two}={b}", parts))
            columns.append(columns[parts[0]] * columns[parts[1]])
    table = pd.DataFrame(rows, columns=["kind", "dimension", "level", "parts"])
    return table, np.column_stack(columns) if columns else np.zeros((len(known), 0))


def named(found: pd.DataFrame, topics: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The rows with a column `slice`: factor and level by the names that readers know.

    Example: `slices.named(found.weak, run.topics())[["metric", "slice", "mean"]]`
    """
    rows = zip(found["dimension"], found["level"], strict=True)
    return found.assign(slice=[_in_words(dimension, level, topics) for dimension, level in rows])


def _in_words(dimension: str, level: str, topics: Mapping[str, str] | None) -> str:
    factors, levels = dimension.split(BETWEEN), level.split(BETWEEN)
    if len(factors) != len(levels):  # a level holds the sign itself
        return level
    bare = [one.removeprefix(f"{factor}=") for factor, one in zip(factors, levels, strict=True)]
    return ", ".join(slice_name(f"{factor}={one}", topics) for factor, one in zip(factors, bare, strict=True))
