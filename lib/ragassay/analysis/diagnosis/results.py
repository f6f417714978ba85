"""The results that are diagnosed: one row a query, with its group, whether the answer was right, and what is
known of the retrieval."""

import json
from collections.abc import Sequence
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
_WORDS = {
    "true": 1.0,
    "correct": 1.0,
    "1": 1.0,
    "1.0": 1.0,
    "false": 0.0,
    "incorrect": 0.0,
    "0": 0.0,
    "0.0": 0.0,
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

    Raises
    ------
    TableError
        If a column is missing, a query stands twice, a group is blank, or a judgement is neither true nor
        false; with its row, from 1.
    """
    _check_columns(given, where)
    results = given.reset_index(drop=True).astype({"query": str})
    results["group"] = [str(_plain(value)) for value in results["group"]]
    results["correct"] = _judgements(results, "correct", where)
    results["retrieved"] = _lists(results, "retrieved")
    recorded = _judgements(results, "retrieval_correct", where)
    found = _gold_found(results["retrieved"], _lists(results, "gold"))
    results["retrieval"] = recorded.where(recorded.notna(), found)
    results["retrieval_from"] = np.select(
        [recorded.notna(), found.notna(), results["retrieved"].notna()], [RECORDED, GOLD, COMPARED], UNKNOWN
    )
    results["reclassified"] = False
    return _in_closed_domain(results) if closed_domain else results


def _in_closed_domain(results: pd.DataFrame) -> pd.DataFrame:
    wrong = (results["retrieval"] == 0) & (results["correct"] == 1)
    served = results["retrieval"].isna() & (results["correct"] == 1)
    return results.assign(
        correct=results["correct"].mask(wrong, 0.0),
        retrieval=results["retrieval"].mask(served, 1.0),
        reclassified=wrong,
    )


def _check_columns(given: pd.DataFrame, where: str) -> None:
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
    _check_repeated(given, where)


def _check_repeated(given: pd.DataFrame, where: str) -> None:
    queries = given["query"].astype(str).str.strip()
    again = queries.duplicated().to_numpy()
    if again.any():
        row = int(again.argmax())
        raise TableError(
            "a query stands twice",
            where=f"{where}, rows {int((queries == queries.iloc[row]).to_numpy().argmax()) + 1} and "
            f"{row + 1}",
            found=queries.iloc[row],
            expected="each query once: one asked twice would count as two wordings",
            do="keep one row of it; diagnose one system at a time",
        )


def _judgements(results: pd.DataFrame, name: str, where: str) -> pd.Series:
    """A column of judgements as 1, 0 or NaN; all NaN where there is no such column."""
    if name not in results:
        return pd.Series(np.nan, index=results.index)
    read = [_judgement(value) for value in results[name]]
    for row, (found, value) in enumerate(zip(read, results[name], strict=True), 1):
        if found is None:
            raise TableError(
                f"column {name!r} holds what is no judgement",
                where=f"{where}, row {row}",
                found=repr(value),
                expected="true or false, 1 or 0; empty where it was not judged",
                do="correct the value, or leave it empty",
            )
    return pd.Series(read, index=results.index, dtype=float)


def _judgement(value: Any) -> float | None:
    """1, 0, NaN where there is none; None for what is no judgement."""
    if is_blank(value):
        return np.nan
    if isinstance(value, str):
        return _WORDS.get(value.strip().lower())
    number = isinstance(value, bool | np.bool_ | int | float | np.number)
    return float(value) if number and value in (0, 1) else None


def _lists(results: pd.DataFrame, name: str) -> pd.Series:
    """A column of ids as tuples; None where it is not given."""
    if name not in results:
        return pd.Series([None] * len(results), index=results.index, dtype=object)
    return pd.Series([_ids(value) for value in results[name]], index=results.index, dtype=object)


def _ids(value: Any) -> tuple[str, ...] | None:
    """A list of ids, one id, or a text with a JSON list."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return (value.strip(),)
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(str(_plain(one)) for one in value if not is_missing(one))
    return None if is_blank(value) else (str(_plain(value)).strip(),)


def _gold_found(retrieved: Sequence, gold: Sequence) -> pd.Series:
    """1 where every gold passage was retrieved, 0 where one was not; NaN where either is not given."""
    found = [
        np.nan if ids is None or not wanted else float(set(wanted) <= set(ids))
        for ids, wanted in zip(retrieved, gold, strict=True)
    ]
    return pd.Series(found, dtype=float)


def _plain(value: Any) -> Any:
    """3.0 as 3: an id that a table has made a number."""
    whole = isinstance(value, float | np.floating) and np.isfinite(value) and value == int(value)
    return int(value) if whole else value
