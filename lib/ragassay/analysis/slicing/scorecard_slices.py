"""Slices of the scorecard: the cases at one level of one factor, such as `language=es`.

A factor is a column of the cases table, or `system`: the version of the system that answered.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ragassay.analysis.case_scores import levels
from ragassay.errors import ParameterError

ALL = "all"
SYSTEM = "system"


@dataclass(frozen=True)
class Slice:
    """The cases at one level of one factor; as text `language=es`."""

    factor: str
    level: str

    def __str__(self) -> str:
        return f"{self.factor}={self.level}"


def parse(text: str) -> Slice:
    """The slice written as `factor=level`, spaces around the sign allowed.

    Raises
    ------
    ParameterError
        If a factor, the sign or a level is missing.
    """
    factor, _, level = (piece.strip() for piece in text.partition("="))
    if not (factor and level):
        raise ParameterError(
            "a slice names a factor and one of its levels",
            found=text,
            expected="FACTOR=LEVEL, such as language=es",
            do=f"write for example topic={text.strip(' =') or 'T01'}",
        )
    return Slice(factor, level)


def members(rows: pd.DataFrame, slice: Slice) -> pd.Series:
    """Which rows are in the slice, True or False; the rows have the columns of their cases.

    Raises
    ------
    TableError
        If there is no such column.
    """
    return levels(rows, slice.factor) == slice.level


def why_absent(slice: Slice, cases: pd.DataFrame) -> str:
    """Why these cases have no such slice, with the nearest name there is; empty where they have it."""
    if slice.factor not in cases:
        return f"the cases have no column {slice.factor!r}{nearest(slice.factor, map(str, cases.columns))}"
    known = sorted(set(levels(cases, slice.factor)))
    if slice.level not in known:
        return f"no case has {slice}{nearest(slice.level, known)}"
    return ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The nearest of the known names as the end of a sentence, or all of them if none is near."""
    names = list(known)
    folded = {each.casefold(): each for each in names}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.4)
    return f"; did you mean {folded[close[0]]!r}?" if close else f"; there are {', '.join(names) or 'none'}"
