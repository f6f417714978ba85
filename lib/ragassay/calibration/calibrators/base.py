"""What every kind of calibrator shares:
JSON, what is refused before a fit, Platt's targets, the one optimiser.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.errors import LabelError

FEWEST_LABELS, FEWEST_PER_CLASS = 10, 3
LARGEST = 1e100


class Calibrator:
    """A frozen dataclass of plain numbers with `predict`; see the kinds for what it returns."""

    kind: ClassVar[str]

    @property
    def levels(self) -> tuple[float, ...]:
        """The labels whose probability the calibrator gives, ascending."""
        return (0.0, 1.0)

    @property
    def direction(self) -> str:
        """What the probability or level does as the score grows: `rises`, `falls` or `flat`."""
        change = self._change()
        return "rises" if change > 0 else "falls" if change < 0 else "flat"

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n,) probabilities in [0, 1] that a rater gives label 1; NaN where the score is NaN."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The calibrator as JSON text; `from_json` gives back the same numbers exactly."""
        content = {"kind": self.kind, **asdict(self)}  # type: ignore[call-overload]
        return json.dumps(content, sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The calibrator written by `to_json`. Raises ValueError for anything else."""
        names = tuple(field.name for field in fields(cls))  # type: ignore[arg-type]
        found = parse_json(text)
        if found.get("kind") != cls.kind or set(found) != {"kind", *names}:
            wanted = f"{cls.kind} calibrator with {', '.join(names)}"
            raise ValueError(f"expected a {wanted}; found {str(text)[:200]}")
        return _from_values(cls, {name: found[name] for name in names})

    def _change(self) -> float:
        """Above 0 where the probability rises with the score, below 0 where it falls."""
        raise NotImplementedError

    def _need(self, holds: object, what: str) -> None:
        if not holds:
            raise ValueError(f"expected a {self.kind} calibrator with {what}; found {repr(self)[:200]}")


def parse_json(text: str) -> dict[str, Any]:
    """The JSON object in a text, an empty one where there is none."""
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_monotone(values: Sequence[float]) -> bool:
    """Whether probabilities in [0, 1] never fall or never rise, and there is one."""
    p = np.asarray(values, dtype=float)
    steps = np.diff(p)
    return bool(len(p) and ((p >= 0) & (p <= 1)).all() and ((steps >= 0).all() or (steps <= 0).all()))


def check_scores_and_labels(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that differ and (n,) labels 0 or 1, enough of each; LabelError otherwise."""
    x, y = check_pairs(scores, labels)
    check_binary(y)
    check_enough(y)
    return x, y


def check_pairs(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that are not all the same, and as many labels, not yet checked;
    LabelError otherwise.
    """
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        shapes = f"scores of shape {x.shape}, labels of shape {y.shape}"
        raise LabelError("every score needs one label", found=shapes)
    check_finite(x)
    check_varied(x)
    return x, y


def check_finite(scores: NDArray, what: str = "a score") -> None:
    """Raise LabelError at the first score that is missing, infinite, or too large to have a standard
    deviation.
    """
    bad = ~(np.abs(scores) <= LARGEST)
    if bad.any():
        row = int(bad.argmax())
        raise LabelError(
            f"{what} is missing or infinite",
            where=f"row {row}",
            found=scores[row],
            expected=f"a number between -{LARGEST:g} and {LARGEST:g}",
            do="leave unscored cases out",
        )


def check_varied(scores: NDArray, what: str = "every score") -> None:
    """Raise LabelError if the scores are all the same."""
    if len(scores) and np.ptp(scores) <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        raise LabelError(
            f"{what} is the same, so it cannot distinguish answers",
            found=scores[0],
            do="leave this metric uncalibrated",
        )


def check_binary(labels: NDArray) -> None:
    """Raise LabelError unless every label is 0 or 1."""
    bad = ~np.isin(labels, (0.0, 1.0))
    if bad.any():
        row, do = int(bad.argmax()), "cut graded labels at a stated level, leave missing ones out"
        raise LabelError(
            "a label is not 0 or 1", where=f"row {row}", found=labels[row], expected="0 or 1", do=do
        )


def check_enough(labels: NDArray) -> None:
    """Raise LabelError for fewer than 10 labels, or fewer than 3 of either class."""
    n, ones = len(labels), int((labels == 1).sum())
    if n >= FEWEST_LABELS and ones in (0, n):
        raise LabelError(
            "too few labels to calibrate: they are all of one class",
            found=f"{n} labels to fit, all of them {int(ones > 0)}",
            do="label answers that people judge otherwise, too",
        )
    if n < FEWEST_LABELS or min(n - ones, ones) < FEWEST_PER_CLASS:
        raise LabelError(
            "too few labels to calibrate",
            found=f"{n} labels to fit, {ones} of them 1 and {n - ones} of them 0",
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each",
            do="label more answers, or report the score as uncalibrated",
        )


def correlation_sign(scores: NDArray, labels: NDArray) -> int:
    """1 where higher labels go with higher scores by rank correlation, -1 where with lower ones;
    1 where neither.
    """
    x, y = scipy.stats.rankdata(scores), scipy.stats.rankdata(labels)
    return -1 if float((x - x.mean()) @ (y - y.mean())) < 0 else 1


def platt_targets(labels: NDArray) -> tuple[float, float]:
    """What a label 0 and a label 1 count as:
    1/(n- + 2), (n+ + 1)/(n+ + 2), never 0 or 1 (Platt 1999, section 2.2).
    """
    positive = int(labels.sum())
    return 1 / (len(labels) - positive + 2), (positive + 1) / (positive + 2)


def smoothed_targets(labels: NDArray) -> NDArray:
    """(n,) Platt's target of each 0/1 label."""
    low, high = platt_targets(labels)
    return np.where(labels == 1, high, low)


def fit_logistic(features: NDArray, targets: NDArray, penalty: float = 0.0) -> NDArray:
    """(1 + m,) intercept and coefficients of (n, m) features of least cross-entropy plus penalty/2 times
    their squares.

    Convex, and finite since every target lies inside (0, 1). The intercept is not penalised. Features should
    be of unit size. scikit-learn's LogisticRegression finds the same on doubled, weighted rows, four to
    eleven times slower: full conformal prediction fits hundreds of these.
    """
    design = np.column_stack([np.ones(len(features)), features])
    ridge = np.r_[0.0, np.full(design.shape[1] - 1, penalty)]

    def loss(beta):
        return cross_entropy(design @ beta, targets) + float(ridge @ beta**2 / 2)

    def gradient(beta):
        return design.T @ (expit(design @ beta) - targets) + ridge * beta

    def hessian(beta):
        weight = expit(design @ beta) * expit(-(design @ beta))
        return design.T @ (weight[:, None] * design) + np.diag(ridge)

    start, options = np.zeros(design.shape[1]), {"gtol": 1e-10 * len(design)}
    found = scipy.optimize.minimize(
        loss, start, jac=gradient, hess=hessian, method="trust-exact", options=options
    )
    if np.abs(gradient(found.x)).max() > 1e-6 * len(design):
        do = "look at the scores for extreme values"
        raise LabelError("the calibrator did not converge", found=found.message, do=do)
    return found.x


def cross_entropy(log_odds: NDArray, targets: NDArray) -> float:
    """Summed loss of probabilities expit(log_odds) for targets in [0, 1]; lower is better."""
    return float(np.sum(np.logaddexp(0, log_odds) - targets * log_odds))


def _from_values(cls: Any, values: dict[str, Any]) -> Any:
    """The dataclass from values of its annotated types and nothing else."""
    return cls(**{field.name: _value(cls.kind, field.type, values[field.name]) for field in fields(cls)})


def _value(kind: str, annotation: Any, value: Any) -> Any:
    """A value of the type annotated: no text for a number, no NaN, no infinity."""
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    strict = ConfigDict(allow_inf_nan=False, strict=True)
    try:
        return TypeAdapter(annotation, config=strict).validate_json(json.dumps(value))
    except ValidationError as refusal:
        raise ValueError(f"expected a {kind} calibrator; found {str(refusal)[:400]}") from None
