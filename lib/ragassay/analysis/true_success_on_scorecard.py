"""True success on the scorecard, overall and by slice, so that gates can be set on it (Lesson, sections 7
and 12).

An answer succeeds where raters accept it in every respect they judged. The instruments' verdict on each
answer (by default end-to-end success, Lesson section 8) is observed for all answers, the raters' for some.
What raters said of one origin's questions says nothing of another's, so origins are never pooled
(`origin_slices.success_by_origin`), and an origin that nobody read needs labels of its own.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores, scorecard
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.analysis.slicing import scorecard_slices
from ragassay.calibration.inference import (
    JudgedAnswers,
    machine_only,
    machine_rates,
    possible_shares,
    prediction_powered,
    true_success,
)
from ragassay.cases import case_origins
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.scores.display_names import display_name, level_name
from ragassay.stats import Interval, interval_text, not_available, percent_text
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import TABLES

TRUE_SUCCESS = "true_success"
BY_INSTRUMENTS = "accepted by instruments"
SEVERAL_ORIGINS = "estimated by origin only"
COLUMNS = [
    *scorecard.COLUMNS, "state", "labelled", "by_instruments", "by_instruments_low", "by_instruments_high",
    "sensitivity", "specificity", "prediction_powered", "prediction_powered_low", "prediction_powered_high",
    "least_possible", "most_possible",
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

    Columns beside the scorecard's: state (scored, or not_measured: then `reason` says how many labels there
    are and would be needed, or that the slice has several origins), labelled, by_instruments (the share that
    their verdict accepts, as it stands), sensitivity and specificity on the labelled answers of the slice,
    prediction_powered (the cross-check), least_possible and most_possible (of these answers, given the
    labels); each interval at level 0.95 by itself. A slice is of the answers of `system`, unless its factor
    is `system`.
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
    if name != scorecard_slices.ALL:
        chosen = scorecard_slices.parse(name)
        if absent := scorecard_slices.why_absent(chosen, rows):
            return scorecard.row(TRUE_SUCCESS, name, not_available(absent)) | {"labelled": 0}
        rows = rows[scorecard_slices.members(rows, chosen)]
    if rows[case_origins.COLUMN].nunique() > 1:
        several = not_available(SEVERAL_ORIGINS, left_out=len(rows))
        return scorecard.row(TRUE_SUCCESS, name, several) | {"labelled": int(rows["human"].notna().sum())}
    judged, rng = _judged(rows), random_stream(base, TRUE_SUCCESS, name)
    found = true_success(judged, rng=rng) if len(judged.machine) else not_available(_why_none(rows))
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
    least, most = possible_shares(judged)
    return {
        "labelled": int(judged.labelled.sum()),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "least_possible": least,
        "most_possible": most,
        **_bounds("by_instruments", accepted),
        **_bounds("prediction_powered", check),
    }


def _bounds(name: str, found: Interval) -> dict:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def headline(card: pd.DataFrame) -> dict[str, str | float]:
    """Of the origin with most labels, by column of `success_display_table` (`true_success`, `cross_check`);
    and `agree`: whether the correction and the cross-check each lie in the other's interval, without which
    neither is established.

    card : of `origin_slices.success_by_origin`
    """
    found = card.sort_values("labelled", ascending=False, kind="stable").iloc[0]
    agree = (
        found["low"] <= found["prediction_powered"] <= found["high"]
        and found["prediction_powered_low"] <= found["value"] <= found["prediction_powered_high"]
    )
    shown = success_display_table(found.to_frame().T).drop(columns=["segment", "why not"]).iloc[0].to_dict()
    return {name.replace(" ", "_").replace("-", "_"): value for name, value in shown.items()} | {
        "origin": level_name(case_origins.COLUMN, shown["origin"]),
        "agree": bool(agree),
    }


def success_display_table(card: pd.DataFrame) -> pd.DataFrame:
    """The rows of `origin_slices.success_by_origin` as notebook 04 prints them, raw and corrected side by
    side."""
    named = card["slice"].str.rpartition(f"{case_origins.COLUMN}=")
    return pd.DataFrame(
        {
            "origin": named[2],
            "segment": named[0].str.removesuffix(case_scores.BETWEEN).replace("", scorecard_slices.ALL),
            "answers": card["n"],
            "labelled": card["labelled"],
            BY_INSTRUMENTS: _texts(card, "by_instruments", "by_instruments_low", "by_instruments_high"),
            "sensitivity": card["sensitivity"],
            "specificity": card["specificity"],
            "true success": _texts(card, "value", "low", "high"),
            "possible": [
                percent_text(least) if least == most else f"{100 * least:.0f} to {percent_text(most)}"
                for least, most in zip(card["least_possible"], card["most_possible"], strict=True)
            ],
            "cross-check": _texts(
                card, "prediction_powered", "prediction_powered_low", "prediction_powered_high"
            ),
            "why not": card["reason"],
        }
    )


def _texts(card: pd.DataFrame, *columns: str) -> list[str]:
    bounds = card[list(columns)].astype(float).itertuples(index=False)
    return [interval_text(value, low, high, percent=True) for value, low, high in bounds]
