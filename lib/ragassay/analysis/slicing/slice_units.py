"""The units that weak slices are searched in: clusters of questions, and which slices each is in."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.analysis import case_scores, slice_factors
from ragassay.analysis.slicing import slice_tests
from ragassay.tables import is_blank

FACTOR, PAIR = "factor", "pair"
ALIKE = 0.8  # share of a level's cases from which a pair of it is the level itself


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
    counts = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int)
    sums = np.add.reduceat(rows[np.argsort(codes, kind="stable")], starts, axis=0) if len(rows) else rows
    return sums / counts[:, None]


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
    levels = {name: pd.get_dummies(_levels(known[name]), dtype=float) for name in names}
    rows: list[tuple] = [(FACTOR, name, level, ()) for name in names for level in levels[name]]
    columns = [levels[name][level].to_numpy() for _, name, level, _ in rows]
    place = {row[1:3]: number for number, row in enumerate(rows)}
    for one, two in combinations(names, 2):
        for a, b in ((a, b) for a in levels[one] for b in levels[two]):
            parts = (place[one, a], place[two, b])
            rows.append((PAIR, case_scores.dimension_name((one, two)), _pair_name(one, a, two, b), parts))
            columns.append(columns[parts[0]] * columns[parts[1]])
    table = pd.DataFrame(rows, columns=["kind", "dimension", "level", "parts"])
    return table, np.column_stack(columns) if columns else np.zeros((len(known), 0))


def _pair_name(one: str, a: str, two: str, b: str) -> str:
    return f"{one}={a}{case_scores.BETWEEN}{two}={b}"


def _levels(column: pd.Series) -> pd.Series:
    """The level of each case; each text is read once."""
    if column.dtype != "str":  # among objects True and 1 would be one level
        return column.map(_level)
    return column.map({text: _level(text) for text in column.unique()})


def _level(value: object) -> str | None:
    return None if is_blank(value) else case_scores.level_text(value)
