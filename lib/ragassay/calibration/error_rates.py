"""Errors of the machine against the human, at one threshold, over thresholds, and by segment (HCAT section
5).

type_1 : the machine accepts what the human rejects, as a share of the human's rejections (1 - specificity);
    lower is better
type_2 : the machine rejects what the human accepts, as a share of the human's acceptances (1 - sensitivity);
    lower is better
sensitivity, specificity : shares of the human's acceptances, rejections, the machine agrees with; higher is
    better
agreement : share of all cases both judge alike

The null hypothesis is that the answer is unacceptable, so a type I error lets a bad answer through.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.defaults import CONFIDENCE
from ragassay.errors import LabelError
from ragassay.stats import clopper_pearson

COLUMNS = ["measure", "events", "n", "left_out", "value", "low", "high", "reason"]


def error_rates(
    probability: ArrayLike, labels: ArrayLike, *, threshold: float = 0.5, level: float = CONFIDENCE
) -> pd.DataFrame:
    """One row per measure of the module's list:
    the machine accepts when probability >= threshold, the human when label = 1.

    Columns: measure, events, n, left_out, value, low, high (Clopper-Pearson), reason; value is NaN, with the
    reason, when the human never rejected (accepted).

    Raises LabelError if a label is not 0, 1 or missing, or lengths differ.
    """
    p, y = _checked(probability, labels)
    known = ~(np.isnan(p) | np.isnan(y))
    accepts, human = p[known] >= threshold, y[known] == 1
    measures = {
        "type_1": (accepts & ~human, ~human),
        "type_2": (~accepts & human, human),
        "sensitivity": (accepts & human, human),
        "specificity": (~accepts & ~human, ~human),
        "agreement": (accepts == human, np.ones_like(human)),
    }
    rows = [
        (name, *_row(events, among, int((~known).sum()), level)) for name, (events, among) in measures.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def error_rates_by_segment(
    probability: ArrayLike,
    labels: ArrayLike,
    segment: ArrayLike,
    *,
    threshold: float = 0.5,
    level: float = CONFIDENCE,
) -> pd.DataFrame:
    """`error_rates` of every segment, sorted, `segment` and `level` first;
    intervals at level 1 - (1 - level)/k: those of k segments hold together.
    """
    p, y = _checked(probability, labels)
    names = np.asarray(segment).astype(str)
    if names.shape != p.shape:
        raise LabelError("every case needs a segment", found=f"{len(names)} segments, {len(p)} cases")
    segments = sorted(set(names.tolist()))
    joint = 1 - (1 - level) / max(len(segments), 1)
    parts = [
        error_rates(p[names == name], y[names == name], threshold=threshold, level=joint) for name in segments
    ]
    columns = ["segment", "level", *COLUMNS]
    if not parts:
        return pd.DataFrame(columns=columns)
    named = [part.assign(segment=name, level=joint) for name, part in zip(segments, parts, strict=True)]
    return pd.concat(named, ignore_index=True)[columns]


def _checked(probability: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    p, y = np.asarray(probability, dtype=float), np.asarray(labels, dtype=float)
    if p.ndim != 1 or p.shape != y.shape:
        raise LabelError("every probability needs one label", found=f"shapes {p.shape} and {y.shape}")
    if not (np.isin(y, (0.0, 1.0)) | np.isnan(y)).all():
        raise LabelError(
            "a label is not 0 or 1", found=sorted(set(y[~np.isnan(y)].tolist())), expected="0, 1 or missing"
        )
    return p, y


def _row(events: NDArray, among: NDArray, left_out: int, level: float) -> tuple:
    found = clopper_pearson(int(events.sum()), int(among.sum()), level)
    reason = "" if found.n else "no case that the raters judged so"
    return int(events.sum()), found.n, left_out, found.value, found.low, found.high, reason
