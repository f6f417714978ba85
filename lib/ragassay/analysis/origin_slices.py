"""Measures of each origin of the cases by itself, so that no gate rests on a pool of own, generated and
logged questions: whoever adds easy questions of one origin moves the row of that origin alone. And true
success, overall and by slice, so that gates can be set on it (Lesson, sections 7 and 12).

An answer succeeds where raters accept it in every respect they judged. The instruments' verdict on each
answer (by default end-to-end success, Lesson section 8) is observed for all answers, the raters' for some.
What raters said of one origin's questions says nothing of another's: origins are never pooled.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores, scorecard
from ragassay.analysis.case_scores import ALL, BETWEEN, ORIGIN, SYSTEM, cluster_ids
from ragassay.analysis.scorecard import summarize_slices, with_slices
from ragassay.calibration import inference
from ragassay.cases import attack_probes
from ragassay.cases.case_table import MADE, OF_USERS, with_origin
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_registry import with_direction
from ragassay.stats import Interval, mean_interval, not_available, random_base
from ragassay.tables import TABLES

ORIGINS = TABLES["cases"].columns[ORIGIN].allowed
POOLED = ALL  # the origin of a rate that is known over all its questions alone
COLUMNS = ["metric", "origin", "better", "value", "low", "high", "n", "left_out", "method"]
TRUE_SUCCESS = "true_success"
SUCCESS_COLUMNS = [
    *scorecard.COLUMNS, "state", "labelled", "by_instruments", "by_instruments_low", "by_instruments_high",
    "sensitivity", "sensitivity_low", "sensitivity_high", "n_accepted",
    "specificity", "specificity_low", "specificity_high", "n_rejected",
    "prediction_powered", "prediction_powered_low", "prediction_powered_high",
    "established",
]  # fmt: skip


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
    asked = [(metric, f"{ORIGIN}={origin}") for metric in metrics for origin in origins_of(known)]
    rows = _with_cases(with_direction(summarize_slices(scores, known, asked, rng=rng)))
    return rows.assign(origin=rows["slice"].str.removeprefix(f"{ORIGIN}="))[COLUMNS].reset_index(drop=True)


def origins_of(cases: pd.DataFrame) -> list[str]:
    """The origins that these questions have, first those that speak most for the questions of customers: of a
    log, then own, then the others.

    >>> origins_of(pd.DataFrame({"case_id": ["a", "b", "c"], "origin": ["generated", "own", "generated"]}))
    ['own', 'generated']
    """
    there = set(with_origin(cases)[ORIGIN])
    return [name for name in dict.fromkeys((*OF_USERS, *ORIGINS)) if name in there]


def user_origins(cases: pd.DataFrame) -> list[str]:
    """Which origins of users' or the validator's own questions these cases have: gates rest on these."""
    return [name for name in origins_of(cases) if name in OF_USERS]


def summarize_by_origin(
    scores: pd.DataFrame, cases: pd.DataFrame, asked: Sequence[tuple[str, str]], *, rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of the scorecard: each metric and slice asked for, within each origin that has such cases.

    cases : all that the scores are of; their column `origin` is filled where it is absent
    """
    known = with_origin(cases)
    parts = [(metric, slice_name(name, origin)) for origin in origins_of(known) for metric, name in asked]
    return _with_cases(
        summarize_slices(scores[scores["case_id"].isin(known["case_id"])], known, parts, rng=rng)
    )


def summarize_success(
    paired: pd.DataFrame, cases: pd.DataFrame, asked: Sequence[str], *, system: str, rng: np.random.Generator
) -> pd.DataFrame:
    """True success of each slice asked for, as rows of the scorecard; in [0, 1], higher is better.

    Columns beside the scorecard's: state (scored, or not_measured: then `reason` says how many labels there
    are and would be needed, or that the slice has several origins), labelled, by_instruments (the share that
    their verdict accepts, as it stands), sensitivity and specificity on the labelled answers of the slice
    (n_accepted, n_rejected of them), prediction_powered (the cross-check), established (whether estimate and
    cross-check each lie in the other's interval). A slice is of the answers of
    `system`, unless its factor is `system`.
    """
    base, described = random_base(rng), case_scores.beside_cases(paired, with_origin(cases))
    own = described[described[SYSTEM] == system]
    return pd.DataFrame(
        [_success_row(name, described if name.startswith("system=") else own, base) for name in asked],
        columns=SUCCESS_COLUMNS,
    )


def success_by_origin(
    paired: pd.DataFrame, cases: pd.DataFrame, asked: Sequence[str], *, system: str, rng: np.random.Generator
) -> pd.DataFrame:
    """True success of each slice asked for, within each origin; arguments as of `summarize_success`.

    Made questions of which no answer was rated have one row, over all: how many labels they need.
    """
    names = [slice_name(name, origin) for origin in origins_of(cases) for name in asked]
    found = _with_cases(summarize_success(paired, cases, names, system=system, rng=rng))
    parts = [slice_name(name, origin) for origin in MADE for name in asked if name != ALL]
    return found[(found["labelled"] > 0) | ~found["slice"].isin(parts)].reset_index(drop=True)


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
    """True success by origin, over all answers of the system and by the levels of each factor (columns of the
    cases, or `system`; one that no case has, or with one level, is left out): the table `success`, every
    answer with the instruments' verdict and the raters', NaN where there is none; and rows of the scorecard
    (`success_by_origin`), with the segment and origin that the slice names.

    right : of `raters.in_every_respect`; verdict : the metric, 0 or 1, that says whether an answer succeeds

    Example: `paired, card = success(scores, right, cases, verdict="success_without_key", system="bot")`
    """
    key = ["case_id", "system"]
    machine = scores[(scores["metric"] == verdict) & (scores["state"] == "scored")]
    machine = machine[[*key, "value"]].rename(columns={"value": "machine"})
    human = right[[*key, "accepted"]].rename(columns={"accepted": "human"})
    paired = scores[key].drop_duplicates().merge(machine, on=key, how="left").merge(human, on=key, how="left")
    paired = paired.assign(verdict=verdict).astype({"machine": float, "human": float})
    paired = paired[list(TABLES["success"].columns)]
    described = case_scores.beside_cases(paired, with_origin(cases))
    names = [ALL]
    for factor in factors:
        rows = described if factor == SYSTEM else described[described[SYSTEM] == system]
        known = sorted(set(case_scores.levels(rows, factor))) if factor in rows else []
        names += [f"{factor}={level}" for level in known if len(known) > 1]
    card = success_by_origin(paired, cases, names, system=system, rng=np.random.default_rng(seed))
    named = card["slice"].str.rpartition(f"{ORIGIN}=")
    return paired, card.assign(
        segment=named[0].str.removesuffix(BETWEEN).replace("", POOLED), origin=named[2]
    )


def add_gate_slices(
    card: pd.DataFrame,
    scores: pd.DataFrame,
    paired: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Sequence[tuple[str, str]],
    *,
    system: str,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The scorecard with rows for each metric and slice asked for, over all cases and within each origin; and
    the same without the engagement's own probes and questions without an answer, which no gate of the kit's
    may be passed by (one table twice where there are none).

    scores, cases : of every question, probes and varied ones included; paired : the table `success`
    """
    kit = attack_probes.without_own(scores)
    parts = [each for each in asked if each[1] != ALL]
    names = [name for metric, name in asked if metric == TRUE_SUCCESS]

    def extended(rows: pd.DataFrame, described: pd.DataFrame) -> pd.DataFrame:
        known, new = with_origin(described), np.random.default_rng
        whole = [name for name in names if name != ALL]
        return with_slices(
            card,
            success_by_origin(paired, known, names, system=system, rng=new(seed)),
            summarize_by_origin(rows, known, asked, rng=new(seed)),
            summarize_success(paired, known, whole, system=system, rng=new(seed)),
            summarize_slices(rows, known, parts, rng=new(seed)),
        )

    every = extended(scores, cases)
    return every, every if len(kit) == len(scores) else extended(kit, attack_probes.without_own(cases))


def summarize_each_origin(
    rows: pd.DataFrame,
    questions: pd.Series,
    cases: pd.DataFrame,
    measure: Callable[[pd.DataFrame], Mapping[str, Interval]],
) -> pd.DataFrame:
    """Rows of the scorecard of the metrics that are measured in these rows: in all, and in those of each
    origin by itself.

    questions : of each row, in their order, the case that it goes back to; of an unknown one the row counts
        among all alone
    """
    parts = [(ALL, rows)]
    parts += [(slice_name(ALL, name), mine) for name, mine in split_by_origin(rows, questions, cases)]
    return pd.DataFrame(
        [scorecard.row(metric, name, one) for name, mine in parts for metric, one in measure(mine).items()]
    )


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
    own = card[card["metric"] == metric].drop_duplicates("slice")
    known = {row["slice"]: row for row in own.to_dict("records")}
    named = {origin: known.get(slice_name(slice, origin), {}) for origin in ORIGINS}
    unread = {origin for origin in MADE if named[origin].get("labelled") == 0}
    found = {origin: row for origin, row in named.items() if row and origin not in unread}
    return {POOLED: known[slice]} if slice in known and not found else found


def _with_cases(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["n"] + rows["left_out"]) > 0]


def _success_row(name: str, rows: pd.DataFrame, base: int) -> dict:
    absent = case_scores.why_absent(name, rows)
    rows = rows.head(0) if absent else rows[case_scores.in_slice(rows, name)]
    given = rows[rows["machine"].notna()]
    if absent or rows[ORIGIN].nunique() > 1 or given.empty:
        unscored = f"{display_name(next(iter(rows['verdict']), ''))} scored none of {len(rows)} answers"
        why = absent or ("estimated by origin only" if len(given) else unscored)
        nothing = scorecard.row(TRUE_SUCCESS, name, not_available(why, left_out=len(rows)))
        return nothing | {"labelled": int(rows["human"].notna().sum()), "established": False}
    clusters, rng = cluster_ids(given["cluster"]), case_scores.slice_stream(base, TRUE_SUCCESS, name)
    judged = inference.JudgedAnswers(given["machine"].to_numpy(), given["human"].to_numpy(), clusters)
    found = inference.true_success(judged, rng=rng)
    accepted, check = (
        mean_interval(judged.machine, clusters=clusters, span=(0.0, 1.0), rng=rng),
        inference.prediction_powered(judged),
    )
    rates: dict[str, float] = {}
    for rate, label, right in (("sensitivity", 1, judged.machine), ("specificity", 0, 1 - judged.machine)):
        own = judged.human == label
        drawn = None if clusters is None else clusters[own]
        rates |= _bounds(rate, mean_interval(right[own], clusters=drawn, span=(0.0, 1.0), rng=rng))
        rates["n_accepted" if label else "n_rejected"] = int(own.sum())
    return {
        **scorecard.row(TRUE_SUCCESS, name, replace(found, left_out=len(rows) - len(given))),
        "labelled": int(judged.labelled.sum()),
        **rates,
        **_bounds("by_instruments", accepted),
        **_bounds("prediction_powered", check),
        "established": bool(
            found.low <= check.value <= found.high and check.low <= found.value <= check.high
        ),
    }


def _bounds(name: str, found: Interval) -> dict:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
