"""What every kind of curve shares: its name, its levels, and JSON that gives the same numbers back bit for bit."""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize
from scipy.special import expit
from scipy.stats import rankdata

from ragassay.errors import LabelError


class Calibrator:
    """A frozen dataclass of plain numbers with `predict`; see the kinds for what it returns."""

    kind: ClassVar[str]

    @property
    def levels(self) -> tuple[float, ...]:
        """The labels whose probability the curve gives, ascending."""
        return (0.0, 1.0)

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n,) probabilities in [0, 1] of label 1; NaN where the score is NaN."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The curve as JSON text; `from_json` gives back the same numbers exactly."""
        return json.dumps({"curve": self.kind, **asdict(self)}, sort_keys=True, allow_nan=False)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The curve written by `to_json`. Raises ValueError for anything else."""
        names = tuple(field.name for field in fields(cls))  # type: ignore[arg-type]
        found = parse_json(text)
        if found.get("curve") != cls.kind or set(found) != {"curve", *names}:
            raise ValueError(
                f"expected {_a(cls.kind)} curve with {', '.join(names)}; found {str(text)[:200]}"
            )
        return _checked(cls, {name: found[name] for name in names})

    def _need(self, holds: object, what: str) -> None:
        if not holds:
            raise ValueError(f"expected {_a(self.kind)} curve with {what}; found {repr(self)[:200]}")

    @staticmethod
    def _tendency(rises: bool, falls: bool) -> str:
        return "rises" if rises else "falls" if falls else "flat"


def is_monotone(values: Sequence[float]) -> bool:
    """Whether probabilities in [0, 1] never fall or never rise, and there is one."""
    p = np.asarray(values, dtype=float)
    steps = np.diff(p)
    return bool(len(p) and ((p >= 0) & (p <= 1)).all() and ((steps >= 0).all() or (steps <= 0).all()))


def parse_json(text: str) -> dict[str, Any]:
    """The JSON object in a text; an empty one where there is none."""
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _checked(cls: Any, values: dict[str, Any]) -> Any:
    """The dataclass from values of its annotated types and nothing else."""
    return cls(**{field.name: _value(cls.kind, field.type, values[field.name]) for field in fields(cls)})


def _value(kind: str, annotation: Any, value: Any) -> Any:
    """A value of the type annotated: no text for a number, no NaN, no infinity; a curve within a curve is read as one."""
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if isinstance(annotation, type) and issubclass(annotation, Calibrator):
        return annotation.from_json(
            json.dumps({"curve": annotation.kind, **value} if isinstance(value, dict) else value)
        )
    try:
        return TypeAdapter(annotation, config=ConfigDict(allow_inf_nan=False, strict=True)).validate_json(
            json.dumps(value)
        )
    except ValidationError as refusal:
        raise ValueError(f"expected {_a(kind)} curve; found {str(refusal)[:400]}") from None


FEWEST_LABELS, FEWEST_PER_CLASS = 10, 3
LARGEST = 1e100


def check_scores_and_labels(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that differ and (n,) labels 0 or 1, enough of each; LabelError otherwise."""
    x, y = check_pairs(scores, labels)
    check_binary(y)
    check_enough(y)
    return x, y


def check_pairs(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that are not all the same, and as many labels, not yet checked; LabelError otherwise."""
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise LabelError(
            "every score needs one label", found=f"scores of shape {x.shape}, labels of shape {y.shape}"
        )
    check_finite(x)
    check_varied(x)
    return x, y


def check_finite(scores: NDArray, named: str = "a score") -> None:
    """Raise LabelError at the first score that is missing, infinite, or too large to have a standard deviation."""
    bad = ~(np.abs(scores) <= LARGEST)
    if bad.any():
        row, expected = int(bad.argmax()), f"a number between -{LARGEST:g} and {LARGEST:g}"
        raise LabelError(
            f"{named} is missing or infinite",
            where=f"row {row}",
            found=scores[row],
            expected=expected,
            do="leave unscored cases out",
        )


def check_varied(scores: NDArray, named: str = "every score") -> None:
    """Raise LabelError if the scores are all the same, or none."""
    if len(scores) and np.ptp(scores) <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        raise LabelError(
            f"{named} is the same, so it cannot tell answers apart",
            found=scores[0],
            do="leave this metric uncalibrated",
        )


def check_binary(labels: NDArray) -> None:
    """Raise LabelError unless every label is 0 or 1."""
    bad = ~np.isin(labels, (0.0, 1.0))
    if bad.any():
        row = int(bad.argmax())
        do = "cut graded labels at a stated level, leave missing ones out"
        raise LabelError(
            "a label is not 0 or 1", where=f"row {row}", found=labels[row], expected="0 or 1", do=do
        )


def check_enough(labels: NDArray) -> None:
    """Raise LabelError for fewer than 10 labels, or fewer than 3 of either class."""
    n_each = {0: int((labels == 0).sum()), 1: int((labels == 1).sum())}
    if len(labels) >= FEWEST_LABELS and min(n_each.values()) == 0:
        found = f"{len(labels)} labels to fit, all of them {int(labels[0])}"
        raise LabelError(
            "too few labels to calibrate: they are all of one class",
            found=found,
            do="label answers that people judge otherwise, too",
        )
    if len(labels) < FEWEST_LABELS or min(n_each.values()) < FEWEST_PER_CLASS:
        raise LabelError(
            "too few labels to calibrate",
            found=f"{len(labels)} labels to fit, {n_each[1]} of them 1 and {n_each[0]} of them 0",
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each",
            do="label more answers, or report the raw score as uncalibrated",
        )


def correlation_sign(scores: NDArray, labels: NDArray) -> int:
    """1 where higher labels go with higher scores by rank correlation, -1 where they go with lower ones; 1 where neither."""
    x, y = rankdata(scores), rankdata(labels)
    return -1 if float((x - x.mean()) @ (y - y.mean())) < 0 else 1


def platt_targets(labels: NDArray) -> tuple[float, float]:
    """What a label 0 and a label 1 count as: 1/(n- + 2) and (n+ + 1)/(n+ + 2), so never 0 or 1 (Platt 1999, section 2.2)."""
    positive = int(labels.sum())
    return 1 / (len(labels) - positive + 2), (positive + 1) / (positive + 2)


def smoothed_targets(labels: NDArray) -> NDArray:
    """(n,) Platt's target of each 0/1 label."""
    low, high = platt_targets(labels)
    return np.where(labels == 1, high, low)


def fit_logistic(features: NDArray, targets: NDArray, penalty: float = 0.0) -> NDArray:
    """(1 + m,) intercept and coefficients of the (n, m) features with the least cross-entropy, plus penalty/2 times their squares.

    Convex, and finite since every target lies inside (0, 1). The intercept is not penalised. Features should be of unit size.
    """
    design = np.column_stack([np.ones(len(features)), features])
    ridge = np.r_[0.0, np.full(design.shape[1] - 1, penalty)]

    def loss(beta):
        return float(np.sum(np.logaddexp(0, design @ beta) - targets * (design @ beta)) + ridge @ beta**2 / 2)

    def gradient(beta):
        return design.T @ (expit(design @ beta) - targets) + ridge * beta

    def hessian(beta):
        weight = expit(design @ beta) * expit(-(design @ beta))
        return design.T @ (weight[:, None] * design) + np.diag(ridge)

    start = np.zeros(design.shape[1])
    found = optimize.minimize(
        loss, start, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-10 * len(design)}
    )
    if np.abs(gradient(found.x)).max() > 1e-6 * len(design):
        raise LabelError(
            "the curve did not converge", found=found.message, do="look at the scores for extreme values"
        )
    return found.x


def cross_entropy(log_odds: NDArray, targets: NDArray) -> float:
    """Summed loss of probabilities expit(log_odds) for targets in [0, 1]; lower is better."""
    return float(np.sum(np.logaddexp(0, log_odds) - targets * log_odds))
