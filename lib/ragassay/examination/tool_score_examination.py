"""Scores that a tool gave with the log, examined as ours are: their errors against the raters."""

from collections.abc import Mapping
from math import nan

import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.calibration import calibration_pipeline, error_rates
from ragassay.errors import NotMeasuredError

BOUNDS = ["type_1", "type_1_low", "type_1_high", "n_rejected", "type_2", "type_2_low", "type_2_high"]
ERRORS = ["score", "dimension", "decided_by", *BOUNDS, "n_accepted", "reason"]
OWN, CALIBRATED = "its own verdict", "calibrated, one half"


def errors(
    scores: pd.DataFrame,
    judged: pd.DataFrame,
    pairs: Mapping[str, str],
    *,
    clusters: Mapping[str, str] | pd.Series | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """One row per given score, ERRORS: `type_1`, the share of what raters reject that it accepts, and
    `type_2`, of what they accept that it rejects, in [0, 1], lower is better, Clopper-Pearson intervals.

    A score of 0 and 1 alone is a verdict and judges every labelled answer as it stands, turned where lower is
    better; another is calibrated as ours are, and judges the held-out half at a probability of one half.

    judged : of `raters.accepted`; pairs : score -> the judgement it should predict
    """
    rows = []
    for score, dimension in pairs.items():
        labelled = calibration_pipeline.join(
            scores, judged, metric=score, dimension=dimension, clusters=clusters
        )
        row = {"score": score, "dimension": dimension, "decided_by": "", "reason": ""}
        if len(labelled) and labelled["value"].isin((0, 1)).all():
            lower = tool_scores.card(score).better == "lower"
            verdict = 1 - labelled["value"] if lower else labelled["value"]
            rows.append(row | {"decided_by": OWN} | _rates(verdict, labelled["label"]))
            continue
        try:
            held = calibration_pipeline.calibrate(labelled, score, dimension, seed=seed).held_out
            rows.append(row | {"decided_by": CALIBRATED} | _rates(held["probability"], held["label"]))
        except NotMeasuredError as problem:
            rows.append(row | dict.fromkeys(BOUNDS, nan) | {"reason": problem.what})
    return pd.DataFrame(rows, columns=ERRORS).astype(dict.fromkeys(BOUNDS, float))


def _rates(verdict: pd.Series, label: pd.Series) -> dict[str, float]:
    found = error_rates.error_rates(verdict, label).set_index("measure")
    one, two = (found.loc[name, ["value", "low", "high", "n"]].tolist() for name in ("type_1", "type_2"))
    return dict(zip([*BOUNDS, "n_accepted"], [*one, *two], strict=True))
