"""Measures of each origin of the cases by itself, so that no gate rests on a pool of own, generated and
logged questions: whoever adds easy questions of one origin moves the row of that origin alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import BETWEEN
from ragassay.analysis.scorecard import summarize_slices, with_slices
from ragassay.analysis.scorecard_slices import ALL, ORIGIN
from ragassay.analysis.true_success_on_scorecard import (
    TRUE_SUCCESS,
    all_slices,
    pair_verdicts,
    summarize_success,
)
from ragassay.cases import own_probes
from ragassay.cases.case_origins import MADE, OF_USERS, with_origin
from ragassay.scores.metric_directions import with_direction
from ragassay.tables import TABLES

ORIGINS = TABLES["cases"].columns[ORIGIN].allowed
POOLED = ALL  # the origin of a rate that is known over all its questions alone
COLUMNS = ["metric", "origin", "better", "value", "low", "high", "n", "left_out", "method"]


def slice_name(slice: str, origin: str) -> str:
    """The slice of the scorecard for one origin of a slice: `origin=own`, `language=es & origin=own`."""
    of_origin = f"{ORIGIN}={origin}"
    return of_origin if slice in (ALL, of_origin) else f"{slice}{BETWEEN}{of_origin}"


def means_by_origin(
    scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str], *, rng: np.random.Generator | int
) -> pd.DataFrame:
    """One row per metric and origin of the questions, those of users first, with its 95 % interval: COLUMNS.
    A metric without scores of an origin has no row for it.

    Example: `means_by_origin(run.scores(), run.cases(), ["support"], rng=0)`
    """
    known = with_origin(cases)
    asked = [(metric, f"{ORIGIN}={origin}") for metric in metrics for origin in _users_first(known)]
    rows = _with_cases(with_direction(summarize_slices(scores, known, asked, rng=rng)))
    origins = rows["slice"].str.removeprefix(f"{ORIGIN}=")
    return rows.assign(origin=origins)[COLUMNS].reset_index(drop=True)


def foremost_origin(cases: pd.DataFrame) -> str:
    """The origin that speaks most for the questions of customers: of a log, else own, else any other."""
    return _users_first(with_origin(cases))[0]


def rows_of_origin(rows: pd.DataFrame, cases: pd.DataFrame, origin: str) -> pd.DataFrame:
    """The rows, by case_id, whose cases are of this origin."""
    return rows[rows["case_id"].isin(cases.loc[with_origin(cases)[ORIGIN] == origin, "case_id"])]


def user_origins(cases: pd.DataFrame) -> list[str]:
    """Which origins of users' or the validator's own questions these cases have: gates rest on these."""
    there = set(with_origin(cases)[ORIGIN])
    return [name for name in OF_USERS if name in there]


def summarize_by_origin(
    scores: pd.DataFrame, cases: pd.DataFrame, asked: Iterable[tuple[str, str]], *, rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of the scorecard: each metric and slice asked for, within each origin that has such cases. What
    was drawn for one origin does not move another's interval: the table by origin has the same.

    cases : all that the scores are of; their column `origin` is filled where it is absent
    """
    known, wanted = with_origin(cases), list(asked)
    parts = [(metric, slice_name(name, origin)) for origin in _origins_of(known) for metric, name in wanted]
    of_these = scores[scores["case_id"].isin(known["case_id"])]
    return _with_cases(summarize_slices(of_these, known, parts, rng=rng))


def success_by_origin(
    paired: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Iterable[tuple[str, str]],
    *,
    system: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """True success of each slice asked for, within each origin; arguments as of `summarize_success`.

    Made questions of which no answer was rated have one row, over all: how many labels they need.
    """
    known = with_origin(cases)
    names = [name for metric, name in asked if metric == TRUE_SUCCESS]
    parts = [pd.DataFrame(columns=["metric", "slice"])]
    for origin in _origins_of(known):
        own = [slice_name(name, origin) for name in names]
        found = _with_cases(summarize_success(paired, known, own, system=system, rng=rng))
        if origin in MADE:
            found = found[(found["slice"] == slice_name(ALL, origin)) | (found["labelled"] > 0)]
        parts.append(found)
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def success(
    scores: pd.DataFrame,
    right: pd.DataFrame,
    cases: pd.DataFrame,
    *,
    verdict: str,
    factors: Sequence[str] = (),
    system: str,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """True success by origin, over all answers of the system and by the levels of each factor: the table
    `success` (the instruments' verdict and the raters' on each answer) and rows of the scorecard
    (`success_by_origin`), with the segment and origin that the slice names.

    scores : of all systems; right : of `raters.in_every_respect`; verdict : the metric, 0 or 1, that says
    whether an answer succeeds; factors : columns of the cases, or `system`

    Example: `paired, card = success(scores, right, cases, verdict="success_without_key", system="bot")`
    """
    paired = pair_verdicts(scores, right, verdict)
    asked = [(TRUE_SUCCESS, name) for name in all_slices(paired, cases, factors, system)]
    card = success_by_origin(paired, cases, asked, system=system, rng=np.random.default_rng(seed))
    named = card["slice"].str.rpartition(f"{ORIGIN}=")
    segment = named[0].str.removesuffix(BETWEEN).replace("", POOLED)
    return paired, card.assign(segment=segment, origin=named[2])


def add_gate_slices(
    card: pd.DataFrame,
    scores: pd.DataFrame,
    paired: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Iterable[tuple[str, str]],
    *,
    system: str,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The scorecard with rows for each metric and slice asked for, over all cases and within each origin; and
    the same without the engagement's own probes and questions without an answer, which no gate of the kit's
    may be passed by (one table twice where there are none).

    scores, cases : of every question, probes and varied ones included; paired : the table `success`
    """
    wanted, kit = list(asked), own_probes.without_own(scores)
    parts = [each for each in wanted if each[1] != ALL]
    whole = [name for metric, name in parts if metric == TRUE_SUCCESS]

    def extended(rows: pd.DataFrame, described: pd.DataFrame) -> pd.DataFrame:
        known, new = with_origin(described), np.random.default_rng
        return with_slices(
            card,
            success_by_origin(paired, known, wanted, system=system, rng=new(seed)),
            summarize_by_origin(rows, known, wanted, rng=new(seed)),
            summarize_success(paired, known, whole, system=system, rng=new(seed)),
            summarize_slices(rows, known, parts, rng=new(seed)),
        )

    every = extended(scores, cases)
    return every, every if len(kit) == len(scores) else extended(kit, own_probes.without_own(cases))


def summarize_each_origin(
    rows: pd.DataFrame,
    questions: pd.Series,
    cases: pd.DataFrame,
    summarize: Callable[[pd.DataFrame], pd.DataFrame],
) -> pd.DataFrame:
    """Rows of the scorecard that `summarize` makes of these rows: of all, and what it makes of all cases for
    each origin by itself.

    questions : of each row, in their order, the case that it goes back to; of an unknown one the row counts
        among all alone
    """
    parts = [summarize(rows)]
    for name, mine in split_by_origin(rows, questions, cases):
        found = summarize(mine)
        parts.append(found[found["slice"] == ALL].assign(slice=slice_name(ALL, name)))
    return pd.concat(parts, ignore_index=True)


def split_by_origin(
    rows: pd.DataFrame, questions: pd.Series, cases: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each origin that has some of these rows, with its rows; arguments as of `summarize_each_origin`."""
    origin = questions.map(with_origin(cases).set_index("case_id")[ORIGIN]).to_numpy()
    for name in ORIGINS:
        if (origin == name).any():
            yield name, rows[origin == name]


def rows_by_origin(card: pd.DataFrame, metric: str, slice: str) -> dict[str, Mapping]:
    """Origin -> row of the scorecard, of each origin that a metric and slice were measured in; `all` where
    they are known over all origins alone; empty where they were not measured. Made questions of which no
    answer was rated do not count: raters are drawn what users may ask."""
    names = {each: slice_name(slice, each) for each in ORIGINS}
    rows = card[(card["metric"] == metric) & card["slice"].isin([*names.values(), slice])]
    unread = rows["slice"].isin([names[each] for each in MADE]) & (rows.get("labelled", np.nan) == 0)
    known = {row["slice"]: row for row in rows[~unread].drop_duplicates("slice").to_dict("records")}
    found = {each: known[name] for each, name in names.items() if name in known}
    return found or {POOLED: known[slice]} if slice in known else found


def _origins_of(cases: pd.DataFrame) -> list[str]:
    return [name for name in ORIGINS if (cases[ORIGIN] == name).any()]


def _users_first(cases: pd.DataFrame) -> list[str]:
    of_users = {origin: place for place, origin in enumerate(OF_USERS)}
    return sorted(cases[ORIGIN].unique(), key=lambda origin: (of_users.get(origin, len(of_users)), origin))


def _with_cases(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["n"] + rows["left_out"]) > 0]
