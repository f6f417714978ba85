"""Stage 1: a machine score becomes the probability that a human accepts (HCAT section 5.1, logistic model)."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import optimize
from scipy.special import expit

from ragassay.errors import LabelError
from ragassay.verdicts.quality import (
    auroc,
    brier,
    calibration_error_debiased,
    calibration_error_if_perfect,
    expected_calibration_error,
    reliability,
)

__all__ = [
    "Logistic",
    "auroc",
    "brier",
    "calibration_error_debiased",
    "calibration_error_if_perfect",
    "expected_calibration_error",
    "fit",
    "reliability",
    "split",
]
FEWEST_LABELS, FEWEST_PER_CLASS = 10, 3


@dataclass(frozen=True)
class Logistic:
    """P(label = 1) = 1 / (1 + exp(-(intercept + slope * (score - centre) / scale))), strictly monotone in the score.

    slope > 0: a higher score makes acceptance likelier, as a metric should; slope < 0: the metric ranks the wrong way round.
    centre, scale : mean and standard deviation of the scores fitted; n, n_positive : labels fitted, of which 1
    """

    slope: float
    intercept: float
    centre: float
    scale: float
    n: int
    n_positive: int

    @property
    def direction(self) -> str:
        """`rises`, `falls` or `flat`: what the probability does as the score grows."""
        return "rises" if self.slope > 0 else "falls" if self.slope < 0 else "flat"

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n,) probabilities in [0, 1] that a human gives label 1; NaN where the score is NaN."""
        z = (np.asarray(scores, dtype=float) - self.centre) / self.scale
        return expit(self.intercept + self.slope * z)

    def __str__(self) -> str:
        warning = " (against the metric's sense)" if self.slope < 0 else ""
        return (
            f"logistic: probability {self.direction} with the score{warning}, log-odds {self.slope:+.3g} per standard deviation "
            f"({self.scale:.3g}), n={self.n} labels, {self.n_positive} positive"
        )

    def to_json(self) -> str:
        """The curve as JSON text; `Logistic.from_json` gives back the same numbers exactly."""
        return json.dumps({"curve": "logistic", **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Logistic":
        """The curve written by `to_json`. Raises ValueError for anything else."""
        names = tuple(cls.__dataclass_fields__)
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("curve") != "logistic" or set(found) != {"curve", *names}:
            raise ValueError(f"expected a logistic curve with {', '.join(names)}; found {text[:200]}")
        curve = {name: float(found[name]) for name in names if not name.startswith("n")}
        return cls(**curve, n=int(found["n"]), n_positive=int(found["n_positive"]))


def split(
    labelled: pd.DataFrame, seed: int, *, shares: Sequence[float] = (0.5, 0.5), stratify: str | None = "label", together: str | None = None
) -> tuple[pd.DataFrame, ...]:
    """Disjoint random parts of the labelled rows, one per share: (fitting, conformal) by default; every row lands in exactly one.

    Each value of `stratify` is dealt out in the same shares (to within one row), and every row has the same chance of each part. Rows
    alike in `together` (a conversation, a paraphrase group) stay in one part and are stratified by their most frequent value. The
    same rows in any order and the same seed give the same parts, in the same order.

    Raises
    ------
    LabelError
        If a column is absent, a label is missing, or a part would be empty.
    ValueError
        If shares are not positive or do not sum to 1.
    """
    if len(shares) < 2 or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares must be at least two positive numbers that sum to 1; found {tuple(shares)}")
    _need_columns(labelled, [name for name in (stratify, together) if name])
    rows = _in_fixed_order(labelled)
    units = rows[together].astype(str) if together else pd.Series(np.arange(len(rows)), index=rows.index)
    strata = rows[stratify] if stratify else pd.Series(0, index=rows.index)
    of_unit = strata.groupby(units.to_numpy(), sort=True).agg(lambda values: values.mode().iloc[0])
    part_of_unit = _dealt(of_unit, shares, np.random.default_rng(seed))
    part = units.map(part_of_unit).to_numpy()
    parts = tuple(rows[part == number].reset_index(drop=True) for number in range(len(shares)))
    if any(len(each) == 0 for each in parts):
        sizes = ", ".join(str(len(each)) for each in parts)
        raise LabelError("too few labels to split", found=f"{len(rows)} rows, parts of {sizes}", do="label more answers")
    return parts


def fit(scores: ArrayLike, labels: ArrayLike) -> Logistic:
    """The logistic curve from score to probability, by Platt's method: maximum likelihood with smoothed targets.

    A label 1 counts as (n+ + 1)/(n+ + 2) and a label 0 as 1/(n- + 2), so that even perfectly separated scores give a finite
    slope and no probability is ever promised beyond what n labels can show.

    Parameters
    ----------
    scores : (n,) finite machine scores
    labels : (n,) human labels, 0 or 1

    Raises
    ------
    LabelError
        If a score or label is missing, a label is not 0 or 1, there are fewer than 10 labels or fewer than 3 of either class,
        or every score is the same.

    Source
    ------
    Platt (1999), Probabilistic Outputs for Support Vector Machines, section 2.2; HCAT section 5.1.
    """
    x, y = _score_label(scores, labels)
    n, positive = len(y), int(y.sum())
    centre, scale = float(x.mean()), float(x.std())
    targets = np.where(y == 1, (positive + 1) / (positive + 2), 1 / (n - positive + 2))
    intercept, slope = _newton((x - centre) / scale, targets)
    return Logistic(slope, intercept, centre, scale, n, positive)


def _newton(z: NDArray, targets: NDArray) -> tuple[float, float]:
    """Intercept and slope with the least cross-entropy; convex, and finite since every target lies inside (0, 1)."""
    design = np.column_stack([np.ones_like(z), z])

    def loss(beta):
        return float(np.sum(np.logaddexp(0, design @ beta) - targets * (design @ beta)))

    def gradient(beta):
        return design.T @ (expit(design @ beta) - targets)

    def hessian(beta):
        weight = expit(design @ beta) * expit(-(design @ beta))
        return design.T @ (weight[:, None] * design)

    found = optimize.minimize(loss, np.zeros(2), jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-10 * len(z)})
    if np.abs(gradient(found.x)).max() > 1e-6 * len(z):
        raise LabelError("the logistic curve did not converge", found=found.message, do="look at the scores for extreme values")
    return float(found.x[0]), float(found.x[1])


def _score_label(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise LabelError("every score needs one label", found=f"scores of shape {x.shape}, labels of shape {y.shape}")
    bad = ~np.isfinite(x)
    if bad.any():
        row = int(bad.argmax())
        raise LabelError("a score is missing or infinite", where=f"row {row}", found=x[row], do="leave unscored cases out")
    check_binary(y)
    n_each = {0: int((y == 0).sum()), 1: int((y == 1).sum())}
    if len(y) < FEWEST_LABELS or min(n_each.values()) < FEWEST_PER_CLASS:
        raise LabelError(
            "too few labels to calibrate",
            found=f"{len(y)} labels, {n_each[1]} of them 1 and {n_each[0]} of them 0",
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each",
            do="label more answers, or report the raw score as uncalibrated",
        )
    if np.ptp(x) <= 1e-12 * max(1.0, float(np.abs(x).max())):
        raise LabelError("every score is the same, so it cannot tell answers apart", found=x[0], do="leave this metric uncalibrated")
    return x, y


def check_binary(labels: NDArray) -> None:
    """Raise LabelError unless every label is 0 or 1."""
    bad = ~np.isin(labels, (0.0, 1.0))
    if bad.any():
        row = int(bad.argmax())
        do = "cut graded labels at a stated level, leave missing ones out"
        raise LabelError("a label is not 0 or 1", where=f"row {row}", found=labels[row], expected="0 or 1", do=do)


def _need_columns(labelled: pd.DataFrame, names: list[str]) -> None:
    for name in names:
        if name not in labelled:
            raise LabelError(f"column {name!r} is absent", found=list(labelled.columns), expected=name)
        if labelled[name].isna().any():
            row = int(np.flatnonzero(labelled[name].isna())[0])
            raise LabelError(f"{name!r} is missing", where=f"row {row}", do="leave rows without a label out before the split")


def _in_fixed_order(labelled: pd.DataFrame) -> pd.DataFrame:
    keys = pd.DataFrame({name: labelled[name].map(repr) for name in sorted(labelled.columns, key=str)})
    return labelled.iloc[np.lexsort([keys[name].to_numpy(dtype=str) for name in reversed(keys.columns)])]


def _dealt(of_unit: pd.Series, shares: Sequence[float], rng: np.random.Generator) -> pd.Series:
    """The part of each unit: every stratum shuffled and cut at the shares, left-over units going to a part with its share's chance."""
    part = pd.Series(0, index=of_unit.index)
    for value in sorted(of_unit.unique()):
        members = rng.permutation(of_unit.index[of_unit == value].to_numpy())
        ideal = len(members) * np.asarray(shares)
        whole = np.floor(ideal + 1e-9)
        edges = np.floor(np.cumsum(np.maximum(0, ideal - whole)) + rng.random() + 1e-9)
        edges[-1] = len(members) - whole.sum()
        sizes = (whole + np.diff(np.concatenate([[0], edges]))).astype(int)
        part.loc[members] = np.repeat(np.arange(len(shares)), sizes)
    return part
