"""Slices of the scorecard: the cases at one level of one factor, such as `language=es`; of one origin alone,
`language=es & origin=own`.

A factor is a column of the cases table, or `system`: the version of the system that answered.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ragassay.analysis.case_scores import BETWEEN, levels
from ragassay.errors import ParameterError

ALL = "all"
SYSTEM = "system"
ORIGIN = "origin"


@dataclass(frozen=True)
class Slice:
    """The cases at one level of one factor; as text `language=es`."""

    factor: str
    level: str

    def __str__(self) -> str:
        return f"{self.factor}={self.level}"


def parse(text: str) -> Slice:
    """The slice written as `factor=level`, spaces around the sign allowed; ParameterError if a factor, the
    sign or a level is missing."""
    factor, _, level = (piece.strip() for piece in text.partition("="))
    if not (factor and level):
        raise ParameterError(
            "a slice names a factor and one of its levels",
            found=text,
            expected="FACTOR=LEVEL, such as language=es",
            do=f"write for example topic={text.strip(' =') or 'T01'}",
        )
    return Slice(factor, level)


def parse_parts(name: str) -> list[Slice]:
    """The slices that a name joins: none of `all`, two of `language=es & origin=own`."""
    part, sign, origin = name.rpartition(f"{BETWEEN}{ORIGIN}=")
    if sign:
        return [parse(part), Slice(ORIGIN, origin)]
    return [] if name == ALL else [parse(name)]


def members(rows: pd.DataFrame, name: str) -> pd.Series:
    """Which rows, with the columns of their cases, are in the slice of this name, True or False; TableError
    if there is no such column."""
    chosen = pd.Series(True, index=rows.index)
    for part in parse_parts(name):
        chosen &= levels(rows, part.factor) == part.level
    return chosen


def why_absent(name: str, cases: pd.DataFrame) -> str:
    """Why these cases have no such slice, with the nearest name there is; empty where they have it."""
    for part in parse_parts(name):
        if part.factor not in cases:
            near = nearest(part.factor, map(str, cases.columns))
            return f"the cases have no column {part.factor!r}{near}"
        known = sorted(set(levels(cases, part.factor)))
        if part.level not in known:
            return f"no case has {part}{nearest(part.level, known)}"
    return ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The nearest of the known names as the end of a sentence, or all of them if none is near."""
    names = list(known)
    folded = {each.casefold(): each for each in names}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.4)
    return f"; did you mean {folded[close[0]]!r}?" if close else f"; there are {', '.join(names) or 'none'}"
