"""True success on the scorecard, overall and by slice, so that gates can be set on it (Lesson, sections 7
and 12).

An answer succeeds where raters accept it in every respect they judged. The instruments' verdict on each
answer (by default end-to-end success, Lesson section 8) is observed for all answers, the raters' for some.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ragassay.analysis import scorecard
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.analysis.slicing import scorecard_slices
from ragassay.calibration.true_success import (
    JudgedAnswers,
    machine_only,
    machine_rates,
    prediction_powered,
    success_of_slice,
)
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.scores.display_names import display_name
from ragassay.stats import Interval, interval_text, not_available
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import TABLES

TRUE_SUCCESS = "true_success"
BY_INSTRUMENTS = "accepted by instruments"
COLUMNS = [
    *scorecard.COLUMNS, "state", "labelled", "by_instruments", "by_instruments_low", "by_instruments_high",
    "sensitivity", "specificity", "prediction_powered", "prediction_powered_low", "prediction_powered_high",
]  # fmt: skip


def pair_verdicts(scores: pd.DataFrame, of_people: pd.DataFrame, verdict: str) -> pd.DataFrame:
    """The table `success`: every answer with the instruments' verdict and the raters', NaN where there is
    none.

    verdict : the metric, 0 or 1, that says whether an answer succeeds; of_people : `human_labels.as_scores`
    """
    key = ["case_id", "system"]
    machine = scores[(scores["metric"] == verdict) & (scores["state"] == "scored")]
    machine = machine[[*key, "value"]].rename(columns={"value": "machine"})
    asked = scores[key].drop_duplicates().merge(machine, on=key, how="left")
    human = of_people[of_people["metric"] == IN_EVERY_RESPECT][[*key, "value"]]
    paired = asked.merge(human.rename(columns={"value": "human"}), on=key, how="left").assign(verdict=verdict)
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

    Columns beside the scorecard's: state (scored, or not_measured: then `reason` says why, how many labels
    there are and would be needed), labelled, by_instruments (the share that
    their verdict accepts, as it stands), sensitivity and
    specificity on the labelled answers of the slice, prediction_powered (the cross-check); each interval at
    level 0.95 by itself. A slice is of the answers of `system`, unless its factor is `system`.
    """
    base, described = random_base(rng), _described(paired, cases)
    own = described[described[scorecard_slices.SYSTEM] == system]
    rows = [_row(name, described if name.startswith("system=") else own, base) for name in asked]
    return pd.DataFrame(rows, columns=COLUMNS)


def _described(paired: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    known = cases.assign(cluster=case_clusters(cases).to_numpy())
    fresh = ["case_id", *(name for name in known.columns if name not in paired.columns)]
    return paired.merge(known[fresh], on="case_id", how="left", validate="many_to_one")


def _row(name: str, rows: pd.DataFrame, base: int) -> dict:
    if name != scorecard_slices.ALL:
        chosen = scorecard_slices.parse(name)
        if absent := scorecard_slices.why_absent(chosen, rows):
            return scorecard.row(TRUE_SUCCESS, name, not_available(absent)) | {"labelled": 0}
        rows = rows[scorecard_slices.members(rows, chosen)]
    judged, rng = _judged(rows), random_stream(base, TRUE_SUCCESS, name)
    found = success_of_slice(judged, rng=rng) if len(judged.machine) else not_available(_why_none(rows))
    left_out = int(rows["machine"].isna().sum())
    shown = Interval(found.value, found.low, found.high, found.n, left_out, found.reason, found.method)
    return scorecard.row(TRUE_SUCCESS, name, shown) | _beside(judged, rng)


def _judged(rows: pd.DataFrame) -> JudgedAnswers:
    given = rows[rows["machine"].notna()]
    cluster = None if given["cluster"].is_unique else given["cluster"].to_numpy(dtype=object)
    return JudgedAnswers(given["machine"].to_numpy(), given["human"].to_numpy(), cluster)


def _why_none(rows: pd.DataFrame) -> str:
    verdict = next(iter(rows["verdict"]), "")
    return f"{display_name(verdict)} scored none of {len(rows)} answers"


def _beside(judged: JudgedAnswers, rng: np.random.Generator) -> dict:
    """What stands beside the corrected share: the labels, the share that the instruments accept, their rates,
    the cross-check."""
    if not len(judged.machine):
        return {"labelled": 0}
    accepted, check = machine_only(judged, rng=rng), prediction_powered(judged)
    sensitivity, specificity = machine_rates(judged)
    return {
        "labelled": int(judged.labelled.sum()),
        "sensitivity": sensitivity,
        "specificity": specificity,
        **_bounds("by_instruments", accepted),
        **_bounds("prediction_powered", check),
    }


def _bounds(name: str, found: Interval) -> dict:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def overall(card: pd.DataFrame) -> dict[str, str | float]:
    """Of all answers: how many, how many labelled, and as text the share accepted `by_instruments`,
    `corrected` for its errors (or why there is none) and by the cross-check (`check`); `agree`: whether the
    correction and the cross-check each lie in the other's interval, without which neither is established."""
    whole = (card["slice"] == scorecard_slices.ALL).to_numpy()
    row, found = success_display_table(card).loc[whole].iloc[0], card.loc[whole].iloc[0]
    return {
        **{name: row[name] for name in ("answers", "labelled", "sensitivity", "specificity")},
        "by_instruments": row[BY_INSTRUMENTS],
        "corrected": f"not measured ({row['why not']})" if row["why not"] else row["true success"],
        "check": row["cross-check"],
        "agree": bool(
            found["low"] <= found["prediction_powered"] <= found["high"]
            and found["prediction_powered_low"] <= found["value"] <= found["prediction_powered_high"]
        ),
    }


def success_display_table(card: pd.DataFrame) -> pd.DataFrame:
    """The rows of `summarize_success` as notebook 04 prints them, raw and corrected side by side."""
    return pd.DataFrame(
        {
            "segment": card["slice"],
            "answers": card["n"],
            "labelled": card["labelled"],
            BY_INSTRUMENTS: _texts(card, "by_instruments", "by_instruments_low", "by_instruments_high"),
            "sensitivity": card["sensitivity"],
            "specificity": card["specificity"],
            "true success": _texts(card, "value", "low", "high"),
            "cross-check": _texts(
                card, "prediction_powered", "prediction_powered_low", "prediction_powered_high"
            ),
            "why not": card["reason"],
        }
    )


def _texts(card: pd.DataFrame, *columns: str) -> list[str]:
    bounds = card[list(columns)].astype(float).itertuples(index=False)
    return [interval_text(value, low, high, percent=True) for value, low, high in bounds]
