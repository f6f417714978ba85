"""True success on the scorecard, overall and by slice, so that gates can be set on it (Lesson, sections 7
and 12).

An answer succeeds where raters accept it in every respect they judged. The instruments' verdict on each
answer (by default end-to-end success, Lesson section 8) is observed for all answers, the raters' for some.
What raters said of one origin's questions says nothing of another's, so origins are never pooled
(`origin_slices.success_by_origin`), and an origin that nobody read needs labels of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ragassay.analysis import scorecard, scorecard_slices
from ragassay.analysis.case_scores import case_clusters, cluster_ids
from ragassay.calibration.inference import (
    JudgedAnswers,
    machine_only,
    possible_shares,
    prediction_powered,
    true_success,
)
from ragassay.cases import case_origins
from ragassay.scores.display_names import display_name
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import TABLES

TRUE_SUCCESS = "true_success"
SEVERAL_ORIGINS = "estimated by origin only"
COLUMNS = [
    *scorecard.COLUMNS, "state", "labelled", "by_instruments", "by_instruments_low", "by_instruments_high",
    "sensitivity", "sensitivity_low", "sensitivity_high", "n_accepted",
    "specificity", "specificity_low", "specificity_high", "n_rejected",
    "prediction_powered", "prediction_powered_low", "prediction_powered_high",
    "least_possible", "most_possible", "established",
]  # fmt: skip


def pair_verdicts(scores: pd.DataFrame, right: pd.DataFrame, verdict: str) -> pd.DataFrame:
    """The table `success`: every answer with the instruments' verdict and the raters', NaN where there is
    none.

    right : of `raters.in_every_respect`; verdict : the metric, 0 or 1, that says whether an answer succeeds
    """
    key = ["case_id", "system"]
    machine = scores[(scores["metric"] == verdict) & (scores["state"] == "scored")]
    machine = machine[[*key, "value"]].rename(columns={"value": "machine"})
    asked = scores[key].drop_duplicates().merge(machine, on=key, how="left")
    human = right[[*key, "accepted"]].rename(columns={"accepted": "human"})
    paired = asked.merge(human, on=key, how="left").assign(verdict=verdict)
    return paired.astype({"machine": float, "human": float})[list(TABLES["success"].columns)]


def all_slices(paired: pd.DataFrame, cases: pd.DataFrame, factors: Sequence[str], system: str) -> list[str]:
    """`all`, then every level of each factor: a column of the cases, of the answers of `system`, or `system`
    itself. A factor with one level says what `all` says, and is left out; so is one that no case has."""
    described = _described(paired, cases)
    own = described[described[scorecard_slices.SYSTEM] == system]
    names = [scorecard_slices.ALL]
    for factor in factors:
        rows = described if factor == scorecard_slices.SYSTEM else own
        known = sorted(set(scorecard_slices.levels(rows, factor))) if factor in rows else []
        names += [str(scorecard_slices.Slice(factor, level)) for level in known if len(known) > 1]
    return names


def summarize_success(
    paired: pd.DataFrame, cases: pd.DataFrame, asked: Iterable[str], *, system: str, rng: np.random.Generator
) -> pd.DataFrame:
    """True success of each slice asked for, as rows of the scorecard; in [0, 1], higher is better.

    Columns beside the scorecard's: state (scored, or not_measured: then `reason` says how many labels there
    are and would be needed, or that the slice has several origins), labelled, by_instruments (the share that
    their verdict accepts, as it stands), sensitivity and specificity on the labelled answers of the slice
    (n_accepted, n_rejected of them), prediction_powered (the cross-check), least_possible and most_possible
    (of these answers, given the labels), established (whether estimate and cross-check each lie in the
    other's interval); each interval at level 0.95 by itself. A slice is of the answers of `system`, unless
    its factor is `system`.
    """
    base, described = random_base(rng), _described(paired, cases)
    own = described[described[scorecard_slices.SYSTEM] == system]
    rows = [_row(name, described if name.startswith("system=") else own, base) for name in asked]
    return pd.DataFrame(rows, columns=COLUMNS)


def _described(paired: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    known = case_origins.with_origin(cases).assign(cluster=case_clusters(cases).to_numpy())
    fresh = ["case_id", *(name for name in known.columns if name not in paired.columns)]
    return paired.merge(known[fresh], on="case_id", how="left", validate="many_to_one")


def _row(name: str, rows: pd.DataFrame, base: int) -> dict:
    if absent := scorecard_slices.why_absent(name, rows):
        return scorecard.row(TRUE_SUCCESS, name, not_available(absent)) | {"labelled": 0}
    rows = rows[scorecard_slices.members(rows, name)]
    n_labelled = int(rows["human"].notna().sum())
    if rows[case_origins.COLUMN].nunique() > 1:
        several = not_available(SEVERAL_ORIGINS, left_out=len(rows))
        return scorecard.row(TRUE_SUCCESS, name, several) | {"labelled": n_labelled}
    left_out, given = int(rows["machine"].isna().sum()), rows[rows["machine"].notna()]
    if given.empty:
        why = f"{display_name(next(iter(rows['verdict']), ''))} scored none of {len(rows)} answers"
        nothing = not_available(why, left_out=left_out)
        return scorecard.row(TRUE_SUCCESS, name, nothing) | {"labelled": 0, "established": False}
    clusters = cluster_ids(given["cluster"])
    judged = JudgedAnswers(given["machine"].to_numpy(), given["human"].to_numpy(), clusters)
    first = next(map(str, scorecard_slices.parse_parts(name)), name)  # drawn alike within every origin
    rng = random_stream(base, TRUE_SUCCESS, first)
    found = true_success(judged, rng=rng)
    accepted, check = machine_only(judged, rng=rng), prediction_powered(judged)
    rates: dict[str, float] = {}
    for rate, label, right in (("sensitivity", 1, judged.machine), ("specificity", 0, 1 - judged.machine)):
        own = judged.human == label
        drawn = None if clusters is None else clusters[own]
        rates |= _bounds(rate, mean_interval(right[own], clusters=drawn, span=(0.0, 1.0), rng=rng))
        rates["n_accepted" if label else "n_rejected"] = int(own.sum())
    least, most = possible_shares(judged)
    meet = found.low <= check.value <= found.high and check.low <= found.value <= check.high
    return {
        **scorecard.row(TRUE_SUCCESS, name, replace(found, left_out=left_out)),
        "labelled": int(judged.labelled.sum()),
        **rates,
        "least_possible": least,
        "most_possible": most,
        **_bounds("by_instruments", accepted),
        **_bounds("prediction_powered", check),
        "established": bool(meet),
    }


def _bounds(name: str, found: Interval) -> dict:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
