"""Measures of each origin of the cases by itself, so that no gate rests on a pool of own, generated and
logged questions: whoever adds easy questions of one origin moves the row of that origin alone.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy

import numpy as np
import pandas as pd

from ragassay.analysis import true_success_on_scorecard
from ragassay.analysis.case_scores import BETWEEN
from ragassay.analysis.scorecard import summarize_slices, with_slices
from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases import case_origins, own_probes
from ragassay.tables import TABLES

ORIGINS = TABLES["cases"].columns[case_origins.COLUMN].allowed
POOLED = scorecard_slices.ALL  # the origin of a rate that is known over all its questions alone
Asked = list[tuple[str, str]]  # metric and slice


def slice_name(slice: str, origin: str) -> str:
    """The slice of the scorecard for one origin of a slice: `origin=own`, `language=es & origin=own`."""
    of_origin = f"{case_origins.COLUMN}={origin}"
    return of_origin if slice in (scorecard_slices.ALL, of_origin) else f"{slice}{BETWEEN}{of_origin}"


def summarize_by_origin(
    scores: pd.DataFrame, cases: pd.DataFrame, asked: Iterable[tuple[str, str]], *, rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of the scorecard: each metric and slice asked for, within each origin that has such cases. What
    was drawn for one origin does not move another's interval: the table by origin has the same.

    cases : all that the scores are of; their column `origin` is filled where it is absent
    """
    known = case_origins.with_origin(cases)

    def within(ids: Collection[str], wanted: Asked) -> pd.DataFrame:
        return summarize_slices(scores[scores["case_id"].isin(ids)], known, wanted, rng=deepcopy(rng))

    return _each_origin(known, list(asked), within)


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
    known = case_origins.with_origin(cases)

    def within(ids: Collection[str], wanted: Asked) -> pd.DataFrame:
        part = paired[paired["case_id"].isin(ids)]
        return true_success_on_scorecard.summarize_success(
            part, known, [name for _, name in wanted], system=system, rng=rng
        )

    found = _each_origin(
        known, [each for each in asked if each[0] == true_success_on_scorecard.TRUE_SUCCESS], within
    )
    made = found["slice"].str.endswith(
        tuple(BETWEEN + slice_name(scorecard_slices.ALL, origin) for origin in case_origins.MADE)
    )
    return found[~made.astype(bool) | (found.get("labelled", 0) > 0)]


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
    paired = true_success_on_scorecard.pair_verdicts(scores, right, verdict)
    names = true_success_on_scorecard.all_slices(paired, cases, factors, system)
    asked = [(true_success_on_scorecard.TRUE_SUCCESS, name) for name in names]
    card = success_by_origin(paired, cases, asked, system=system, rng=np.random.default_rng(seed))
    named = card["slice"].str.rpartition(f"{case_origins.COLUMN}=")
    segment = named[0].str.removesuffix(BETWEEN).replace("", POOLED)
    return paired, card.assign(segment=segment, origin=named[2])


def with_origins(
    card: pd.DataFrame,
    scores: pd.DataFrame,
    paired: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Iterable[tuple[str, str]],
    *,
    system: str,
    seed: int = 0,
) -> pd.DataFrame:
    """The scorecard with rows for each metric and slice asked for, over all cases and within each origin.

    scores, cases : of every question, probes and varied ones included; paired : the table `success`
    """
    wanted, new = list(asked), np.random.default_rng
    parts = [each for each in wanted if each[1] != scorecard_slices.ALL]
    whole = [name for metric, name in parts if metric == true_success_on_scorecard.TRUE_SUCCESS]
    known = case_origins.with_origin(cases)
    return with_slices(
        card,
        success_by_origin(paired, known, wanted, system=system, rng=new(seed)),
        summarize_by_origin(scores, known, wanted, rng=new(seed)),
        true_success_on_scorecard.summarize_success(paired, known, whole, system=system, rng=new(seed)),
        summarize_slices(scores, known, parts, rng=new(seed)),
    )


def of_all_and_of_kit(
    card: pd.DataFrame,
    scores: pd.DataFrame,
    paired: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Iterable[tuple[str, str]],
    *,
    system: str,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """`with_origins`, and the same without the engagement's own probes and questions without an answer, which
    no gate of the kit's may be passed by; one table twice where there are none."""
    kit, wanted = own_probes.without_own(scores), list(asked)
    every = with_origins(card, scores, paired, cases, wanted, system=system)
    if len(kit) == len(scores):
        return every, every
    return every, with_origins(card, kit, paired, own_probes.without_own(cases), wanted, system=system)


def of_each_origin(
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
    for name, mine in rows_of_origins(rows, questions, cases):
        found = summarize(mine)
        whole = found[found["slice"] == scorecard_slices.ALL]
        parts.append(whole.assign(slice=slice_name(scorecard_slices.ALL, name)))
    return pd.concat(parts, ignore_index=True)


def rows_of_origins(
    rows: pd.DataFrame, questions: pd.Series, cases: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each origin that has some of these rows, with its rows; arguments as of `of_each_origin`."""
    origin = questions.map(
        case_origins.with_origin(cases).set_index("case_id")[case_origins.COLUMN]
    ).to_numpy()
    return ((name, rows[mine]) for name in ORIGINS if (mine := origin == name).any())


def measured(card: pd.DataFrame, metric: str, slice: str) -> dict[str, Mapping]:
    """Origin -> row of the scorecard, of each origin that a metric and slice were measured in; `all` where
    they are known over all origins alone; empty where they were not measured. Made questions of which no
    answer was rated do not count: raters are drawn what users may ask."""
    names = {each: slice_name(slice, each) for each in ORIGINS}
    rows = card[(card["metric"] == metric) & card["slice"].isin([*names.values(), slice])]
    unread = rows["slice"].isin(map(names.get, case_origins.MADE)) & (rows.get("labelled", np.nan) == 0)
    known = {row["slice"]: row for row in rows[~unread].drop_duplicates("slice").to_dict("records")}
    found = {each: known[name] for each, name in names.items() if name in known}
    return found or {POOLED: known[slice]} if slice in known else found


def of_users(cases: pd.DataFrame) -> list[str]:
    """Which origins of users' or the validator's own questions these cases have: gates rest on these."""
    there = set(case_origins.with_origin(cases)[case_origins.COLUMN])
    return [name for name in case_origins.OF_USERS if name in there]


def _each_origin(
    cases: pd.DataFrame, asked: Asked, within: Callable[[Collection[str], Asked], pd.DataFrame]
) -> pd.DataFrame:
    parts = [
        _named(within(set(rows["case_id"]), _within_origin(asked, str(origin))), str(origin))
        for origin, rows in _by_origin(cases)
    ]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["metric", "slice"])


def _by_origin(cases: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    return ((name, rows) for name in ORIGINS if len(rows := cases[cases[case_origins.COLUMN] == name]))


def _within_origin(asked: Asked, origin: str) -> Asked:
    whole = f"{case_origins.COLUMN}={origin}"
    return [(metric, whole if slice == scorecard_slices.ALL else slice) for metric, slice in asked]


def _named(rows: pd.DataFrame, origin: str) -> pd.DataFrame:
    """The rows that have cases, under the names of their slices within the origin."""
    there = rows[(rows["n"] + rows["left_out"]) > 0]
    return there.assign(slice=[slice_name(name, origin) for name in there["slice"]])
