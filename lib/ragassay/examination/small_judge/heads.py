"""One classifier per mark, null as a class like any other:
multinomial logistic regression, its ridge penalty chosen by question.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

PENALTIES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
FOLDS = 5
LEAST = 1e-6  # chance taken for a class that a fold had not seen


@dataclass(frozen=True)
class Head:
    """P(class) = softmax(weights @ x + intercept) of standardised features x.

    classes : the marks it knows, ascending, None (null) last; one only: that mark, always
    weights : (k, f); intercept : (k,); penalty : ridge penalty on the squared weights; n : answers learned
        from
    """

    classes: tuple[float | None, ...]
    weights: tuple[tuple[float, ...], ...]
    intercept: tuple[float, ...]
    penalty: float
    n: int

    def chances(self, x: ArrayLike) -> NDArray:
        """(n, k) probabilities in [0, 1] of the classes, for (n, f) features."""
        return softmax(
            np.asarray(x, dtype=float) @ np.asarray(self.weights).T + np.asarray(self.intercept), axis=1
        )

    def predict(self, x: ArrayLike) -> list[float | None]:
        """The likeliest class of each row; of equal ones the first."""
        return [self.classes[place] for place in np.argmax(self.chances(x), axis=1)]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers; `of_dict` gives back the same head exactly."""
        return asdict(self)

    @classmethod
    def of_dict(cls, found: dict[str, Any]) -> "Head":
        """The head written by `to_dict`. Raises ValueError, KeyError or TypeError for anything else."""
        weights = tuple(tuple(float(each) for each in row) for row in found["weights"])
        classes = tuple(None if each is None else float(each) for each in found["classes"])
        intercept = tuple(float(each) for each in found["intercept"])
        head = cls(classes, weights, intercept, float(found["penalty"]), int(found["n"]))
        if (
            not len(classes) == len(weights) == len(head.intercept) > 0
            or len({len(row) for row in weights}) != 1
        ):
            counts = f"{len(classes)} classes, {len(weights)} rows"
            raise ValueError(f"a head needs a row of weights and an intercept per class; found {counts}")
        if not (np.isfinite(weights).all() and np.isfinite(head.intercept).all()):
            raise ValueError("a head's numbers must be finite")
        return head


def fit(x: NDArray, given: NDArray, groups: Sequence[str], *, balanced: bool = False) -> Head:
    """The head with the penalty of least log loss on questions left out; of equal losses the largest penalty.

    Parameters
    ----------
    x : (n, f) standardised features; given : (n,) marks, NaN for null; groups : (n,) the question of each
    balanced : every class weighs alike, however often it was given (GroUSE appendix H found that to change
        little)
    """
    classes, y = np.unique(np.where(np.isnan(given), np.inf, given), return_inverse=True)
    named = tuple(None if np.isinf(each) else float(each) for each in classes)
    if len(named) == 1:
        return Head(named, (tuple([0.0] * x.shape[1]),), (0.0,), 0.0, len(y))
    penalty = _best_penalty(x, y, groups, balanced)
    weights, intercept = _coefficients(x, y, penalty, balanced, len(named))
    return Head(
        named, tuple(tuple(row) for row in weights.tolist()), tuple(intercept.tolist()), penalty, len(y)
    )


def _best_penalty(x: NDArray, y: NDArray, groups: Sequence[str], balanced: bool) -> float:
    from sklearn.model_selection import GroupKFold

    folds = list(GroupKFold(min(FOLDS, len(set(groups)))).split(x, y, groups))
    return min(
        PENALTIES, key=lambda penalty: sum(_loss(x, y, kept, held, penalty, balanced) for kept, held in folds)
    )


def _loss(x: NDArray, y: NDArray, kept: NDArray, held: NDArray, penalty: float, balanced: bool) -> float:
    k = int(y.max()) + 1
    weights, intercept = _coefficients(x[kept], y[kept], penalty, balanced, k)
    chances = softmax(x[held] @ weights.T + intercept, axis=1)
    return float(-np.log(np.maximum(chances[np.arange(len(held)), y[held]], LEAST)).sum())


def _coefficients(x: NDArray, y: NDArray, penalty: float, balanced: bool, k: int) -> tuple[NDArray, NDArray]:
    """Weights (k, f) and intercept (k,); a class that is absent gets a chance near 0."""
    from sklearn.linear_model import LogisticRegression

    seen = np.unique(y)
    weights, intercept = np.zeros((k, x.shape[1])), np.full(k, -50.0)
    if len(seen) == 1:
        intercept[seen] = 0.0
        return weights, intercept
    model = LogisticRegression(
        C=1 / penalty, class_weight="balanced" if balanced else None, max_iter=2000
    ).fit(x, y)
    two = len(seen) == 2  # of two classes scikit-learn keeps the second's log-odds only
    weights[seen] = np.vstack([-model.coef_ / 2, model.coef_ / 2]) if two else model.coef_
    intercept[seen] = (
        np.concatenate([-model.intercept_ / 2, model.intercept_ / 2]) if two else model.intercept_
    )
    return weights, intercept
