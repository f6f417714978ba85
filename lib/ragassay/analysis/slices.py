"""Weak slices: `search(wide, outcomes, factors)` over a table with one row a question.

Every level of every factor, and every pair of levels of two, with enough questions is tested against all
others, one-sided, by exchanges of the values between questions (`exchange_test`). One Benjamini-Hochberg
adjustment controls all tests: every outcome, level and pair. What is compared, and exchanged, is the mean of
each cluster (the wordings of one question), within its origin and number of wordings (1, 2, 3 to 4, 5 to 8,
...). No number is drawn at random: the findings of a table depend on no seed.

A factor is a column of the cases with a level for each case, among them what their evidence is like
(`add_factors`); a case without a level (a question without an answer has no evidence) is left out of it. A
metric is not compared along a factor that it is made from.

Of tables of 400 questions, 7 factors of 2 to 6 levels and 2 metrics, at the level 0.05 (`shares` of
tests/analysis/test_slices.py; 500 tables, 95 % intervals): a false slice in 3.0 % [1.7, 4.9] of scores,
2.0 % [1.0, 3.6] of verdicts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ragassay import parameter_ranges
from ragassay.analysis import case_scores, scorecard
from ragassay.analysis.case_scores import BETWEEN, NO_LEVEL, ORIGIN, case_clusters, rank_rows
from ragassay.cases.case_table import with_origin
from ragassay.defaults import CONFIDENCE, FEWEST_OF_A_SLICE, LEAST_EFFECT, SIGNIFICANCE
from ragassay.documents.collection import AUDIENCE, EVERYONE, STAFF, STATUS, SUPERSEDED, document_of
from ragassay.scores.display_names import slice_name
from ragassay.scores.metric_registry import METRICS, direction
from ragassay.stats import adjusted_confidence, benjamini_hochberg, random_base, random_stream
from ragassay.tables import is_blank

FACTOR, PAIR = "factor", "pair"
FINEST = 12  # steps from the least to the greatest value
LARGEST = 400_000  # steps times squared units of a slice whose exchanges are counted
ALIKE = 0.8  # share of a level's cases from which a pair of it is the level itself
COLUMNS = [
    "metric", "dimension", "level", "kind", "n", "mean", "low", "high", "confidence", "rest", "difference",
    "p", "q", "flagged", "finding", "tests",
]  # fmt: skip

_NEEDS_OF_RATES = {  # columns of the case by which a rate judges
    "superseded_cited_rate": {"context_ids"},
    "staff_only_reach_rate": {"context_ids", "segment"},
}


# factors that the kit makes -> the columns of cases and answers they are made from, which no metric compared
# along them may be made from too
FACTORS: Mapping[str, set[str]] = {
    ORIGIN: set(),  # where the question comes from: own, generated, log
    "evidence_length": set(),  # of the passages that hold the answer, in thirds
    "evidence_place": set(),  # of the answer in its document: beginning, middle, end
    "evidence_position": {"context_ids", "reference_chunk_ids"},  # where its passage was retrieved
    "evidence_age": {"context_ids"},  # whether a superseded document is among the passages retrieved
    "evidence_audience": set(),  # whom the document that holds the answer is for
    "evidence_language": {"language"},  # whether the question is asked in the language of its evidence
    "evidence_passages": {"reference_chunk_ids"},  # in how many passages the answer stands
    "passages_retrieved": {"context_ids"},  # how many were
}


class _Units(NamedTuple):
    """What one outcome is searched in: clusters (n,), their mean values, higher is better, and their strata;
    the slices (k rows: kind, dimension, level, parts), and which share of each cluster each holds (n, k)."""

    clusters: NDArray
    values: NDArray
    strata: NDArray
    slices: pd.DataFrame
    member: NDArray


def search(
    wide: pd.DataFrame,
    outcomes: str | Sequence[str],
    factors: Sequence[str],
    *,
    minimum: int = FEWEST_OF_A_SLICE,
    least_effect: float = LEAST_EFFECT,
    level: float = SIGNIFICANCE,
    seed: int = 0,
) -> pd.DataFrame:
    """Where these outcomes are significantly worse than elsewhere, over every level and pair of the factors.

    wide : one row a question; group_id, parent_id and conversation_id say what was drawn together, `origin`
        what is compared only among itself; questions with `answerable` False count for no outcome that others
        have
    outcomes : numeric columns; a metric's direction and range are known, of another column higher is better
    minimum : fewest questions, drawn independently, of a slice and of its rest
    least_effect : smallest difference that matters, a share of the metric's range
    level : chance of a false slice where none is weak
    seed : of the intervals, not of what is found

    The table `weakness`, every slice shown, the findings first: n, mean, low, high of the slice; rest, the
    mean of the rest; difference, slice minus rest, within their strata; confidence of the row's interval:
    0.95, and of R slices selected among `tests` 1 minus `level` R / tests; q, flagged : see
    `find_weak_slices`; finding : selected there, and that interval does not reach the mean of the rest.

    Raises TableError if there is no such column, ParameterError if minimum, least_effect or level is outside
    its range. Source: Benjamini, Yekutieli (2005), False coverage-rate adjusted confidence intervals, JASA
    100, section 3. Measured: of 82 findings' intervals 3.7 % [0.8, 10.3] miss; at 0.95, 22 %.

    >>> wide = pd.DataFrame({"topic": ["fees"] * 30 + ["cards"] * 90, "helpful": [0.0] * 30 + [1.0] * 90})
    >>> search(wide, "helpful", ["topic"]).query("finding")[["level", "n", "mean", "rest"]].to_numpy()
    array([['fees', 30, 0.0, 1.0]], dtype=object)
    """
    parameter_ranges.check("minimum", minimum, "in [2, inf)")
    parameter_ranges.check("least_effect", least_effect, "in [0, 1]")
    parameter_ranges.check("level", level, "in (0, 1)")
    searched = [outcomes] if isinstance(outcomes, str) else list(outcomes)
    case_scores.require_columns(wide, [*factors, *searched], where="table cases")
    base = random_base(np.random.default_rng(seed))
    parts = {outcome: _rows(wide, outcome) for outcome in searched}
    judged = find_weak_slices(parts, factors, minimum=minimum, least_effect=least_effect, level=level)
    tests = int(judged["tests"].max()) if len(judged) else 0
    selected = adjusted_confidence(int(judged["finding"].sum()), tests, level) if tests else CONFIDENCE
    rows = []
    for row in judged.to_dict("records"):
        rng = random_stream(base, row["metric"], row["dimension"], row["level"])
        asked, confidence = parts[row["metric"]], selected if row["finding"] else CONFIDENCE
        here = case_scores.slice_names(asked, row["dimension"]) == row["level"]
        inside = scorecard.estimate_mean(
            asked[here], rng=rng, span=_span(asked, row["metric"]), level=confidence
        )
        rest = asked.loc[~here, "value"].mean()
        is_apart = inside.high < rest if row["sign"] > 0 else inside.low > rest
        shown = {
            "mean": inside.value,
            "rest": rest,
            "confidence": confidence,
            "difference": row["sign"] * row["difference"],
            "finding": row["finding"] and is_apart,
        }
        rows.append(row | asdict(inside) | shown)
    table = pd.DataFrame(rows).reindex(columns=COLUMNS).astype({"n": int, "flagged": bool, "finding": bool})
    return rank_rows(
        table.assign(tests=tests), ["-finding", "-flagged", "q", "p"], ["metric", "dimension", "level"]
    ).reset_index(drop=True)


def find_weak_slices(
    parts: Mapping[str, pd.DataFrame],
    factors: Sequence[str],
    *,
    minimum: int = FEWEST_OF_A_SLICE,
    least_effect: float = LEAST_EFFECT,
    level: float = SIGNIFICANCE,
) -> pd.DataFrame:
    """The search without intervals: levels, and pairs that are flagged.

    parts : outcome -> its rows, one a question: value, cluster, the factors, origin if known

    p, q : one-sided; q adjusted for all tests; flagged : q at most `level`, and worse by `least_effect`
    finding : the clearest flagged slice; another, the i-th, is one if without the cases of those before it
        its p is still at most i times `level` / tests; of nested slices, or one under two names, it is not
    """
    units, found = [], []
    for place, (outcome, rows) in enumerate(parts.items()):
        names = [name for name in factors if not is_by_construction(outcome, name)]
        sign = -1 if direction(outcome) == "lower" else 1
        units.append(_units_of(rows, names, sign))
        compared = _compare(units[-1], minimum)
        span = _span(rows, outcome)
        width = span[1] - span[0] if span else 1.0 if direction(outcome) else float(np.ptp(rows["value"]))
        scale = width if np.isfinite(width) else 1.0
        found.append(compared.assign(metric=outcome, sign=sign, scale=scale, outcome=place))
    if not found:
        return pd.DataFrame()
    table = pd.concat(found, ignore_index=True)
    tests, least = int(table["p"].notna().sum()), least_effect * table["scale"]
    q = benjamini_hochberg(table["p"].to_numpy(dtype=float))
    table = table.assign(q=q, flagged=(q <= level) & (table["difference"] <= -least), tests=tests)
    table = table[(table["kind"] == FACTOR) | table["flagged"]].reset_index(drop=True)
    findings: list[int] = []
    taken = [""]
    for row in rank_rows(table[table["flagged"]], ["z"], ["outcome", "place"]).itertuples():
        mine, stands = units[row.outcome], not findings
        left = ~np.isin(mine.clusters, taken)
        if findings and mine.member[left, row.place].sum() >= minimum:
            _, z = exchange_test(mine.values[left], mine.member[left][:, [row.place]], mine.strata[left])
            stands = ndtr(z[0]) <= level * (1 + len(findings)) / tests
        if stands:
            findings.append(row.Index)
            taken += list(mine.clusters[mine.member[:, row.place] > 0])
    return table.assign(finding=table.index.isin(findings))


def name_slices(found: pd.DataFrame, topics: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The rows with a column `slice`: factor and level by the names that readers know.

    Example: `slices.name_slices(found[found.finding], run.topics())[["metric", "slice", "mean"]]`
    """
    names = []
    for dimension, level in zip(found["dimension"], found["level"], strict=True):
        factors, levels = dimension.split(BETWEEN), level.split(BETWEEN)
        parts = [f"{one}={bare.removeprefix(f'{one}=')}" for one, bare in zip(factors, levels, strict=False)]
        words = ", ".join(slice_name(part, topics) for part in parts)
        names.append(words if len(factors) == len(levels) else level)  # a level may hold the sign itself
    return found.assign(slice=names)


def _rows(wide: pd.DataFrame, outcome: str) -> pd.DataFrame:
    """The questions with a value, by id; of an outcome that answerable questions have, these alone."""
    if "case_id" not in wide:
        wide = wide.assign(case_id=[f"row {place:09d}" for place in range(len(wide))])
    rows = wide.assign(
        value=wide[outcome].astype(float), cluster=case_clusters(wide).to_numpy(), state="scored"
    )
    rows = rows.dropna(subset=["value"]).sort_values("case_id", kind="stable", ignore_index=True)
    answerable = rows["answerable"].astype(bool) if "answerable" in rows else np.ones(len(rows), dtype=bool)
    return rows[answerable] if answerable.any() else rows


def _span(rows: pd.DataFrame, outcome: str) -> tuple[float, float] | None:
    """The least and greatest possible value, where known; of a user's own column of shares 0 and 1."""
    return case_scores.value_range(outcome) or (
        (0.0, 1.0) if rows["value"].between(0, 1).all() and not direction(outcome) else None
    )


def _units_of(rows: pd.DataFrame, names: Sequence[str], sign: int) -> _Units:
    """The rows as units, with every level of these factors and every pair of levels of two of them."""
    slices: list[tuple] = []
    columns: list[NDArray] = []
    for name in names:
        dummies = pd.get_dummies(case_scores.levels(rows, name), dtype=float)
        dummies = dummies.drop(columns=NO_LEVEL, errors="ignore")
        slices += [(FACTOR, name, level, ()) for level in dummies]
        columns += [dummies[level].to_numpy() for level in dummies]
    for (a, (_, one, first, _)), (b, (_, two, second, _)) in combinations(list(enumerate(slices)), 2):
        if one != two:
            level = f"{one}={first}{BETWEEN}{two}={second}"
            slices.append((PAIR, BETWEEN.join((one, two)), level, (a, b)))
            columns.append(columns[a] * columns[b])
    member = np.column_stack(columns) if columns else np.zeros((len(rows), 0))
    codes, clusters = pd.factorize(rows["cluster"])
    # strata: the origin of each cluster, that of its first question, and its size: means of few questions
    # vary more than means of many, and are exchanged among themselves
    firsts = rows.reindex(columns=["cluster", ORIGIN]).drop_duplicates("cluster")
    sizes = np.ceil(np.log2(firsts["cluster"].map(rows["cluster"].value_counts())))
    strata = firsts.assign(size=sizes).groupby([ORIGIN, "size"], dropna=False).ngroup()
    return _Units(
        np.asarray(clusters, dtype=object),
        pd.Series(sign * rows["value"].to_numpy(dtype=float)).groupby(codes).mean().to_numpy(),
        strata.to_numpy(),
        pd.DataFrame(slices, columns=["kind", "dimension", "level", "parts"]),
        pd.DataFrame(member).groupby(codes).mean().to_numpy(),
    )


def _compare(units: _Units, minimum: int) -> pd.DataFrame:
    """A row for each level and pair that has enough questions: place (in units.slices), kind, dimension,
    level, difference (below 0 where the slice is worse), z, and the one-sided p in (0, 1); NaN where there is
    nothing to compare."""
    here = pd.DataFrame(units.member).groupby(units.strata).sum()
    there = pd.DataFrame(1 - units.member).groupby(units.strata).sum()
    both = (here > 0) & (there > 0)  # strata that hold both are compared
    inside, outside = here.where(both, 0).sum().to_numpy(), there.where(both, 0).sum().to_numpy()
    held = units.member.sum(axis=0)
    least = [min((held[place] for place in parts), default=np.inf) for parts in units.slices["parts"]]
    is_level_itself = held >= ALIKE * np.asarray(least, dtype=float)
    places = np.flatnonzero((inside >= minimum) & (outside >= minimum) & ~is_level_itself)
    difference, z = exchange_test(units.values, units.member[:, places], units.strata)
    named = units.slices.loc[places, ["kind", "dimension", "level"]].reset_index(drop=True)
    return named.assign(place=places, difference=difference, z=z, p=ndtr(z))


def exchange_test(values: NDArray, member: NDArray, strata: NDArray) -> tuple[NDArray, NDArray]:
    """Of each slice (k,) the difference of its mean from that of the rest of its strata, and the normal
    deviate of the one-sided p of Fisher's permutation test, below 0 where the slice is lower: how often an
    exchange of the values within strata leaves its sum as low. NaN where there is nothing to compare.

    values : (n,) of the units; member : (n, k) share of each unit that is in each slice; strata : (n,) codes

    Every exchange is counted where units lie wholly in or out; values of more than FINEST steps are rounded.
    Where clusters lie in part in a slice, or it is large (LARGEST), the sum is a Pearson type III of the
    exact mean, variance and skewness of all exchanges: a true p of 1e-4 becomes one 1 to 8 times as large.

    Source: Fisher (1935), The Design of Experiments, section 21; Mielke, Berry (2007), Permutation Methods,
    2.3; third moment: Hajek, Sidak, Sen (1999), Theory of Rank Tests 3.3.
    """
    sums, information, variance, third = np.zeros((4, member.shape[1]))
    for rows in _rows_of(strata):
        n, residuals = len(rows), values[rows] - values[rows].mean()
        centred = member[rows] - member[rows].mean(axis=0)
        squares = centred * centred
        sums += residuals @ centred
        information += squares.sum(axis=0)
        variance += squares.sum(axis=0) * (residuals**2).sum() / max(1, n - 1)
        if n > 2:
            third += n / ((n - 1) * (n - 2)) * (squares * centred).sum(axis=0) * (residuals**3).sum()
    information = np.where(information > 1e-9, information, np.nan)
    variance = np.where(variance > 1e-15, variance, np.nan)
    skew = third / variance**1.5
    skew = np.where(np.abs(skew) < 1e-6, 1e-6, skew)
    # normal deviates of a Pearson type III: Wilson, Hilferty (1931), PNAS 17(12)
    z = (np.cbrt(skew * sums / np.sqrt(variance) / 2 + 1) - 1) * 6 / skew + skew / 6
    whole = ((member == 0) | (member == 1)).all(axis=0) & ~np.isnan(z)
    if whole.any():
        counted = _exact_scores(_steps(values), member[:, whole].astype(int), strata)
        z[whole] = np.where(np.isnan(counted), z[whole], counted)
    return sums / information, z


def _steps(values: NDArray) -> NDArray:
    """The values as whole steps above the least: exactly where FINEST are enough, else rounded."""
    away = values - values.min()
    for fineness in range(1, FINEST + 1):
        steps = np.rint(away * fineness)
        if steps.max() <= FINEST and np.allclose(steps, away * fineness, atol=1e-6):
            return steps.astype(int)
    return np.rint(away / away.max() * FINEST).astype(int)


def _exact_scores(steps: NDArray, member: NDArray, strata: NDArray) -> NDArray:
    """(k,) normal deviates of the share of exchanges that leave the sum as low; NaN of too large slices."""
    parts = _rows_of(strata)
    inside = np.array([member[rows].sum(axis=0) for rows in parts])
    fits = np.flatnonzero(inside.max(axis=0) ** 2 * steps.max() <= LARGEST)
    sums = [_sums_of_draws(steps[rows], inside[h, fits].max(initial=0)) for h, rows in enumerate(parts)]
    found = np.full(member.shape[1], np.nan)
    for place in fits:
        chances = np.ones(1)
        for of_stratum, drawn in zip(sums, inside[:, place], strict=True):
            chances = np.convolve(chances, np.trim_zeros(of_stratum[drawn], "b"))
        found[place] = ndtri(min(chances[: int(steps @ member[:, place]) + 1].sum(), 1 - 1e-12))
    return found


def _sums_of_draws(steps: NDArray, most: int) -> NDArray:
    """(most + 1, s) chance of each sum of 0, 1, ... units drawn without replacement."""
    table = np.zeros((most + 1, most * int(steps.max()) + 1))
    table[0, 0] = 1.0
    for seen, step in enumerate(steps, 1):
        taken = np.arange(most + 1)[:, None] / seen
        with_it = taken[1:] * table[:-1, : table.shape[1] - step]
        table *= 1 - taken
        table[1:, step:] += with_it
    return table


def _rows_of(strata: NDArray) -> list[NDArray]:
    return [np.flatnonzero(strata == code) for code in np.unique(strata)]


def add_factors(
    cases: pd.DataFrame, chunks: pd.DataFrame, documents: pd.DataFrame, answers: pd.DataFrame
) -> pd.DataFrame:
    """The cases with a column for each of FACTORS; a column that they have already is kept.

    A level is missing where it cannot be known: no reference passage, a document that says nothing of itself.

    Example: `add_factors(run.wide(), run.chunks(), run.documents(), run.answers()).evidence_length`
    """
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id").set_index("case_id")
    retrieved = cases["case_id"].map(first["context_ids"]).map(_names)
    about = documents.set_index("doc_id").to_dict("index")
    words = dict(zip(chunks["chunk_id"], chunks["text"].str.split().str.len(), strict=True))
    place = (chunks.groupby("doc_id").cumcount() + 0.5) / chunks.groupby("doc_id")["doc_id"].transform("size")
    places = dict(zip(chunks["chunk_id"], place, strict=True))
    superseded = {name for name, mark in about.items() if mark.get(STATUS) == SUPERSEDED}
    rows = []
    for wanted, found, asked in zip(
        cases["reference_chunk_ids"].map(_names), retrieved, cases["language"], strict=True
    ):
        marks = [about.get(document_of(name, about), {}) for name in wanted]
        spoken = {mark["language"] for mark in marks if not is_blank(mark.get("language"))}
        ranks = [found.index(name) + 1 for name in wanted if name in found]
        row: dict[str, object] = {"passages_retrieved": str(len(found)) if found else None}
        if wanted:
            for_staff = any(mark.get(AUDIENCE) == STAFF for mark in marks)
            row["evidence_length"] = sum(words[name] for name in wanted if name in words)
            row["evidence_place"] = places.get(wanted[0], np.nan)
            row["evidence_passages"] = "1" if len(wanted) == 1 else "2 or more"
            row["evidence_audience"] = STAFF if for_staff else EVERYONE
        if ranks:
            row["evidence_position"] = str(min(ranks)) if min(ranks) < 3 else "3 or more"
        if found and superseded:
            is_old = bool({document_of(name, about) for name in found} & superseded)
            row["evidence_age"] = "superseded among them" if is_old else "current alone"
        if spoken and not is_blank(asked):
            row["evidence_language"] = "same" if asked in spoken else "another"
        rows.append(row)
    made = pd.DataFrame(rows, index=cases.index, columns=[name for name in FACTORS if name != ORIGIN])
    lengths, kept = made["evidence_length"].astype(float), made["evidence_place"].astype(float)
    made = made.assign(
        evidence_length=_cut(lengths, lengths.quantile([1 / 3, 2 / 3]), ("short", "medium", "long")),
        evidence_place=_cut(kept, [1 / 3, 2 / 3], ("beginning", "middle", "end")),
    )
    made = made.astype(object).where(made.notna(), None)
    return with_origin(cases.assign(**{name: made[name] for name in made if name not in cases}))


def is_by_construction(metric: str, factor: str) -> bool:
    """Whether a difference of the metric along the factor would follow from how they are made: both from one
    column, or the questions of an origin, of which generated ones are easier by how they are made."""
    return factor == ORIGIN or bool(needs(metric) & FACTORS.get(factor, {factor}))


def needs(metric: str) -> set[str]:
    """The columns of cases and answers that a metric or rate is made from."""
    known = METRICS.get(metric)
    parts = [needs(part) for part in known.derived] if known else []
    return set((*known.needs, *known.reads) if known else _NEEDS_OF_RATES.get(metric, ())).union(*parts)


def _cut(values: pd.Series, cuts: Sequence[float], names: tuple[str, ...]) -> pd.Series:
    places = np.searchsorted(np.asarray(cuts), values.to_numpy(), side="left")
    return pd.Series([names[min(place, 2)] for place in places], values.index).where(values.notna())


def _names(ids: object) -> list[str]:
    return [str(name) for name in ids] if isinstance(ids, list | tuple | np.ndarray) else []
