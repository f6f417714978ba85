"""The results that are diagnosed: one row a query, with its group, whether the answer was right, and what is
known of the retrieval."""

import json
from typing import Any

import numpy as np
import pandas as pd

from ragassay.errors import TableError
from ragassay.tables import is_blank, is_missing

NEEDED = {
    "query": "what was asked, in these words",
    "group": "the semantic group: queries that ask the same",
    "correct": "whether the answer was right: true or false, 1 or 0",
}
RECORDED, GOLD, COMPARED, UNKNOWN = "recorded", "gold passages", "compared contexts", "not known"
_RIGHT, _WRONG = ("true", "correct", "1", "1.0"), ("false", "incorrect", "0", "0.0")


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
    _check(given, where)
    results = given.reset_index(drop=True).astype({"query": str})
    results["group"] = [str(_plain(value)) for value in results["group"]]
    results["correct"] = _judgements(results, "correct", where)
    results["retrieved"] = _lists(results, "retrieved")
    recorded = _judgements(results, "retrieval_correct", where)
    found = pd.Series(
        [
            np.nan if ids is None or not wanted else float(set(wanted) <= set(ids))
            for ids, wanted in zip(results["retrieved"], _lists(results, "gold"), strict=True)
        ],
        dtype=float,
    )
    results["retrieval"] = recorded.where(recorded.notna(), found)
    results["retrieval_from"] = np.select(
        [recorded.notna(), found.notna(), results["retrieved"].notna()], [RECORDED, GOLD, COMPARED], UNKNOWN
    )
    results["reclassified"] = False
    if closed_domain:
        right = results["correct"] == 1
        wrong, served = right & (results["retrieval"] == 0), right & results["retrieval"].isna()
        results = results.assign(
            correct=results["correct"].mask(wrong, 0.0),
            retrieval=results["retrieval"].mask(served, 1.0),
            reclassified=wrong,
        )
    return results


def _check(given: pd.DataFrame, where: str) -> None:
    for name, meaning in NEEDED.items():
        if name not in given:
            raise TableError(
                f"column {name!r} is missing",
                where=where,
                found=", ".join(map(str, given.columns)) or "no column",
                expected=f"{name}: {meaning}",
                do=f"add the column {name!r}",
            )
    if given.empty:
        raise TableError(
            "there is no result", where=where, found="0 rows", expected="one row a query", do="add rows"
        )
    for name in ("query", "group"):
        blank = given[name].map(is_blank).to_numpy()
        if blank.any():
            raise TableError(
                f"column {name!r} is blank",
                where=f"{where}, row {int(blank.argmax()) + 1}",
                found=repr(given[name].iloc[int(blank.argmax())]),
                expected=NEEDED[name],
                do="fill it in, or leave the row out",
            )
    queries = given["query"].astype(str).str.strip()
    again = queries.duplicated().to_numpy()
    if again.any():
        row = int(again.argmax())
        first = int((queries == queries.iloc[row]).to_numpy().argmax())
        raise TableError(
            "a query stands twice",
            where=f"{where}, rows {first + 1} and {row + 1}",
            found=queries.iloc[row],
            expected="each query once: one asked twice would count as two wordings",
            do="keep one row of it; diagnose one system at a time",
        )


def _judgements(results: pd.DataFrame, name: str, where: str) -> pd.Series:
    """A column of judgements as 1, 0 or NaN; all NaN where there is no such column."""
    if name not in results:
        return pd.Series(np.nan, index=results.index)
    read = []
    for row, value in enumerate(results[name], 1):
        word = str(value).strip().lower()
        if is_blank(value):
            read.append(np.nan)
        elif word in _RIGHT or word in _WRONG:
            read.append(float(word in _RIGHT))
        else:
            raise TableError(
                f"column {name!r} holds what is no judgement",
                where=f"{where}, row {row}",
                found=repr(value),
                expected="true or false, 1 or 0; empty where it was not judged",
                do="correct the value, or leave it empty",
            )
    return pd.Series(read, index=results.index, dtype=float)


def _lists(results: pd.DataFrame, name: str) -> pd.Series:
    """A column of ids as tuples (of a list, one id, or a text with a JSON list); None where not given."""
    found: list[tuple[str, ...] | None] = []
    for value in results[name] if name in results else [None] * len(results):
        if isinstance(value, str) and value.strip().startswith("["):
            try:
                value = json.loads(value)
            except ValueError:
                value = value.strip()
        if isinstance(value, list | tuple | np.ndarray):
            found.append(tuple(str(_plain(one)) for one in value if not is_missing(one)))
        else:
            found.append(None if is_blank(value) else (str(_plain(value)).strip(),))
    return pd.Series(found, index=results.index, dtype=object)


def _plain(value: Any) -> Any:
    """3.0 as 3: an id that a table has made a number."""
    whole = isinstance(value, float | np.floating) and np.isfinite(value) and value == int(value)
    return int(value) if whole else value
