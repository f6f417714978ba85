"""The results that are diagnosed: one row a query, with its group, whether the answer was right, and what is
known of the retrieval."""

import json
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import require_columns
from ragassay.errors import TableError
from ragassay.tables import is_blank, is_missing

NEEDED = ("query", "group", "correct")
RECORDED, GOLD, COMPARED, UNKNOWN = "recorded", "gold passages", "compared contexts", "not known"
_JUDGEMENTS = {
    **dict.fromkeys(("true", "correct", "1", "1.0"), 1.0),
    **dict.fromkeys(("false", "incorrect", "0", "0.0"), 0.0),
    "": np.nan,
}


def read_results(
    given: pd.DataFrame, *, closed_domain: bool = False, where: str = "the results"
) -> pd.DataFrame:
    """The results, checked: query, group, correct (1, 0, NaN: not judged), retrieval (1, 0, NaN: not known),
    retrieved (ids, None: not recorded), retrieval_from, reclassified; further columns as they are.

    Retrieval is right where `retrieval_correct` says so; where that is not given, if every passage of `gold`
    is among those `retrieved`.

    closed_domain : the closed-domain rule of GRAMMAR: an answer whose retrieval failed counts as incorrect
        whatever it says, and retrieval counts as right where it is not known and the answer is correct

    Raises TableError if a column is missing, a query stands twice, a group is blank, or a judgement is
    neither true nor false; with its row, from 1.
    """
    require_columns(given, NEEDED, where=where)
    if given.empty:
        raise TableError("there is no result", where=where, found="0 rows", expected="one row a query")
    results = given.reset_index(drop=True).astype({"query": str})
    for name in ("query", "group"):
        blank = results[name].map(is_blank).astype(bool)
        _refuse(blank, results[name], f"column {name!r} is blank", where, "a text in every row")
    again = results["query"].str.strip().duplicated()
    _refuse(again, results["query"], "a query stands twice", where, "each query once, of one system")
    results["group"] = results["group"].map(_id)
    results["correct"] = _judgements(results, "correct", where)
    results["retrieved"] = _lists(results, "retrieved")
    recorded = _judgements(results, "retrieval_correct", where)
    pairs = zip(results["retrieved"], _lists(results, "gold"), strict=True)
    held = [float(set(gold) <= set(ids)) if ids is not None and gold else np.nan for ids, gold in pairs]
    found = pd.Series(held, dtype=float)
    results["retrieval"] = recorded.where(recorded.notna(), found)
    results["retrieval_from"] = np.select(
        [recorded.notna(), found.notna(), results["retrieved"].notna()], [RECORDED, GOLD, COMPARED], UNKNOWN
    )
    right, reclassified = results["correct"] == 1, pd.Series(False, results.index)
    if closed_domain:
        reclassified = right & (results["retrieval"] == 0)
        results["correct"] = results["correct"].mask(reclassified, 0.0)
        results["retrieval"] = results["retrieval"].mask(right & results["retrieval"].isna(), 1.0)
    return results.assign(reclassified=reclassified)


def _refuse(flawed: pd.Series, values: pd.Series, what: str, where: str, expected: str) -> None:
    """TableError at the first flawed row."""
    if flawed.any():
        row = int(flawed.to_numpy().argmax())
        found = repr(values.iloc[row])
        raise TableError(what, where=f"{where}, row {row + 1}", found=found, expected=expected)


def _judgements(results: pd.DataFrame, name: str, where: str) -> pd.Series:
    """A column of judgements as 1, 0 or NaN; all NaN where there is no such column."""
    if name not in results:
        return pd.Series(np.nan, index=results.index)
    words = results[name].map(lambda value: "" if is_blank(value) else str(value).strip().lower())
    expected, what = (
        "true or false, 1 or 0; empty where not judged",
        f"column {name!r} holds what is no judgement",
    )
    _refuse(~words.isin(list(_JUDGEMENTS)), results[name], what, where, expected)
    return words.map(_JUDGEMENTS).astype(float)


def _lists(results: pd.DataFrame, name: str) -> pd.Series:
    """A column of ids as tuples (of a list, one id, or a text with a JSON list); None where not given."""
    found: list[tuple[str, ...] | None] = []
    for value in results[name] if name in results else [None] * len(results):
        if isinstance(value, str) and value.strip().startswith("["):
            with suppress(ValueError):
                value = json.loads(value)
        if isinstance(value, list | tuple | np.ndarray):
            found.append(tuple(_id(one) for one in value if not is_missing(one)))
        else:
            found.append(None if is_blank(value) else (_id(value),))
    return pd.Series(found, index=results.index, dtype=object)


def _id(value: Any) -> str:
    """An id as text; 3.0 as 3, which a table has made a number."""
    whole = isinstance(value, float | np.floating) and np.isfinite(value) and value == int(value)
    return str(int(value) if whole else value).strip()
