"""The scores of one metric beside their cases; what was drawn independently (clusters); slices of the cases;
the range and direction of a metric; one order for ranked tables.

Every interval and every test resamples whole clusters: the questions of one conversation, and the variants of
one question, count once. A slice is the cases at one level of one factor, `language=es`, or of one origin
alone, `language=es & origin=own`; a factor is a column of the cases, or `system`, the version that answered.
"""

import difflib
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ragassay.answers import tool_scores
from ragassay.errors import ParameterError, TableError
from ragassay.scores import metric_registry
from ragassay.stats import random_stream
from ragassay.tables import filled, is_blank

NO_LEVEL, BETWEEN = "(none)", " & "
ALL, SYSTEM, ORIGIN = "all", "system", "origin"
LEFT_OUT = ("not_applicable", "not_measured", "error")
NEEDED = ("case_id", "metric", "value")  # columns of the scores table that are read here
DRAWN_WITH = {"parent_id": "case ", "group_id": "group ", "conversation_id": "conversation "}
DECIMALS = 9  # numbers are ranked rounded, so that no last bit decides


def metric_scores(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The rows of one metric, by case id; `value` is NaN wherever the state is not `scored`, and `state` says
    why.

    Raises TableError if a column is missing, no row has the metric, or the rows are of several systems.
    """
    require_columns(scores, NEEDED, where="table scores")
    rows = filled(scores[scores["metric"] == metric], "system", "state")
    rows = rows.sort_values("case_id", kind="stable", ignore_index=True)
    if rows.empty:
        raise TableError(
            f"no score of metric {metric!r}",
            where="table scores",
            found=sorted(scores["metric"].unique()),
            do="score that metric first, or correct its name",
        )
    require_one_system(rows)
    values = rows["value"].astype(float).where(rows["state"] == "scored")
    return rows.assign(
        value=values, state=rows["state"].mask(values.isna() & (rows["state"] == "scored"), "not_measured")
    )


def require_columns(rows: pd.DataFrame, names: Sequence[str], *, where: str) -> None:
    """TableError if a column is missing."""
    absent = [name for name in names if name not in rows]
    if absent:
        raise TableError(
            f"column {absent[0]!r} is missing",
            where=where,
            found=sorted(map(str, rows.columns)),
            do=f"add a column {absent[0]!r}, or name one that is there",
        )


def require_one_system(rows: pd.DataFrame) -> None:
    """TableError if the rows are of several systems: their scores never mix."""
    found = sorted(rows["system"].unique()) if "system" in rows else []
    if len(found) > 1:
        what, do = "the scores are of several systems", 'choose one: scores[scores["system"] == ...]'
        raise TableError(what, where="table scores", found=found, do=do)


def require_known_cases(rows: pd.DataFrame, cases: pd.DataFrame) -> None:
    """TableError if a case of the rows is not in the cases table."""
    found = sorted(set(rows["case_id"]) - set(cases["case_id"]))
    if found:
        what, do = f"{len(found)} scored cases are in no row of the cases", "pass those asked, variants too"
        raise TableError(what, where="table scores", found=found[:5], do=do)


def scores_with_cases(scores: pd.DataFrame, cases: pd.DataFrame, metric: str) -> pd.DataFrame:
    """`metric_scores`, with every column of `cases` beside it, and `cluster`.

    Raises TableError as `metric_scores`, or if a scored case is not in `cases`.
    """
    rows = metric_scores(scores, metric)
    require_known_cases(rows, cases)
    return beside_cases(rows, cases)


def beside_cases(rows: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The rows, by case_id, with the columns of their cases that they do not have, and `cluster`."""
    known = cases.assign(cluster=case_clusters(cases).to_numpy())
    fresh = ["case_id", *(name for name in known.columns if name not in rows.columns)]
    return rows.merge(known[fresh], on="case_id", how="left", validate="many_to_one")


def case_clusters(cases: pd.DataFrame) -> pd.Series:
    """What was drawn independently, by case_id: the conversation, else the group, else the parent question,
    else the case itself."""
    ids = "case " + cases["case_id"].astype(str).astype(object)
    for column, prefix in DRAWN_WITH.items():
        if column in cases:
            given = cases[column].astype(object)
            ids = ids.where(given.isna() | (given.astype(str) == ""), prefix + given.astype(str))
    return pd.Series(ids.to_numpy(), index=cases["case_id"].to_numpy(), name="cluster")


def answer_clusters(answers: pd.DataFrame, cases: pd.DataFrame | None) -> dict[str, str]:
    """`case_clusters` by the columns of the answers, and of the cases where the answers do not say; empty
    where neither has such a column."""
    rows = answers.drop_duplicates("case_id").set_index("case_id").filter(items=list(DRAWN_WITH))
    if cases is not None:
        rows = rows.combine_first(
            cases.set_index("case_id").filter(items=list(DRAWN_WITH)).reindex(rows.index)
        )
    return {} if rows.columns.empty else case_clusters(rows.reset_index()).to_dict()


def cluster_ids(clusters: pd.Series) -> np.ndarray | None:
    """The clusters as an array; None when every row is its own, so that exact intervals apply."""
    return None if clusters.is_unique else clusters.to_numpy(dtype=object)


def levels(rows: pd.DataFrame, dimension: str) -> pd.Series:
    """The level of each row as text; a missing one is `(none)`. TableError if there is no such column."""
    require_columns(rows, [dimension], where="table cases")
    texts = rows[dimension].map(lambda value: f"{value:g}" if isinstance(value, float) else str(value))
    return texts.astype(object).mask(rows[dimension].map(is_blank).astype(bool), NO_LEVEL)


def slice_names(rows: pd.DataFrame, dimension: str) -> pd.Series:
    """The level of each row; of two dimensions, `topic & query_type`, `topic=T01 & query_type=factual`."""
    names = dimension.split(BETWEEN)
    if len(names) == 1:
        return levels(rows, dimension)
    first, second = (f"{name}=" + levels(rows, name) for name in names)
    return first + BETWEEN + second


def parse_slice(text: str) -> tuple[str, str]:
    """Factor and level of `factor=level`, spaces around the sign allowed; else ParameterError."""
    factor, _, level = (piece.strip() for piece in text.partition("="))
    if not (factor and level):
        raise ParameterError(
            "a slice names a factor and one of its levels",
            found=text,
            expected="FACTOR=LEVEL, such as language=es",
            do=f"write topic={text.strip(' =') or 'T01'}",
        )
    return factor, level


def slice_parts(name: str) -> list[tuple[str, str]]:
    """The factors and levels that a name joins: none of `all`, two of `language=es & origin=own`."""
    part, sign, origin = name.rpartition(f"{BETWEEN}{ORIGIN}=")
    whole = [] if name == ALL else [parse_slice(part if sign else name)]
    return [*whole, (ORIGIN, origin)] if sign else whole


def in_slice(rows: pd.DataFrame, name: str) -> pd.Series:
    """Which rows, with the columns of their cases, are in the slice of this name, True or False; TableError
    if there is no such column."""
    chosen = pd.Series(True, index=rows.index)
    for factor, level in slice_parts(name):
        chosen &= levels(rows, factor) == level
    return chosen


def why_absent(name: str, cases: pd.DataFrame) -> str:
    """Why these cases have no such slice, with the nearest name there is; empty where they have it."""
    for factor, level in slice_parts(name):
        if factor not in cases:
            return f"the cases have no column {factor!r}{nearest(factor, map(str, cases.columns))}"
        known = sorted(set(levels(cases, factor)))
        if level not in known:
            return f"no case has {factor}={level}{nearest(level, known)}"
    return ""


def slice_stream(base: int, metric: str, name: str) -> np.random.Generator:
    """Random numbers for a slice, the same within every origin."""
    return random_stream(base, metric, next(map("=".join, slice_parts(name)), name))


def nearest(name: str, known: Iterable[str]) -> str:
    """The nearest of the known names as the end of a sentence, or all of them if none is near."""
    folded = {each.casefold(): each for each in known}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.4)
    others = f"; there are {', '.join(folded.values()) or 'none'}"
    return f"; did you mean {folded[close[0]]!r}?" if close else others


def value_range(metric: str) -> tuple[float, float] | None:
    """Smallest and largest possible value of a metric or a rate we know; None of another."""
    if metric in metric_registry.METRICS:
        return metric_registry.METRICS[metric].low, metric_registry.METRICS[metric].high
    if tool_scores.is_given(metric):
        known = tool_scores.card(metric)
        return (known.low, known.high) if np.isfinite([known.low, known.high]).all() else None
    return (0.0, 1.0) if metric_registry.direction(metric) else None


def difference_range(metric: str) -> tuple[float, float] | None:
    """Least and greatest difference of two scores of a metric; None where its range has no two ends."""
    span = value_range(metric)
    return (span[0] - span[1], span[1] - span[0]) if span and np.isfinite(span).all() else None


def is_share(metric: str) -> bool:
    """Whether a measure is a share or rate, which is printed in percent."""
    return value_range(metric) == (0.0, 1.0)


def higher_is_better(metric: str) -> bool:
    """Whether higher is better, as `scores.metric_registry` says; of a metric that it does not know it is."""
    return metric_registry.direction(metric) != "lower"


def rank_rows(rows: pd.DataFrame, by: Sequence[str], names: Sequence[str] = ()) -> pd.DataFrame:
    """The rows ordered by these columns, ascending (`-loss`: descending); numbers are compared rounded to
    DECIMALS, missing ones come last, and ties go by the columns of `names`."""
    columns = [*by, *names]
    return rows.sort_values(
        [column.removeprefix("-") for column in columns],
        ascending=[not column.startswith("-") for column in columns],
        key=lambda values: values.round(DECIMALS) if pd.api.types.is_float_dtype(values) else values,
    )
