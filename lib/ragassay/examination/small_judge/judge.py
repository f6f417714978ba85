"""The small judge: features, standardised and projected, into one head per mark (multinomial logistic
regression, null a class like any other, its ridge penalty chosen by question); a folder of JSON, and a scorer
of suites."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ragassay.errors import ModelError
from ragassay.examination.small_judge import features
from ragassay.examination.small_judge.traces import Traces
from ragassay.examination.unit_test_suite import MARKS
from ragassay.models import encoder
from ragassay.scores.shared_instruments import Tools

PENALTIES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
FOLDS = 5
LEAST = 1e-6  # chance taken for a class that a fold had not seen
MODEL, VERSION = "small_judge.json", 1
PROJECTED = 8  # principal components of the vectors
BATCH = 64  # rows whose vectors are held at once


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


def fit_head(x: NDArray, given: NDArray, groups: Sequence[str]) -> Head:
    """The head with the penalty of least log loss on questions left out; of equal losses the largest penalty.

    Parameters
    ----------
    x : (n, f) standardised features; given : (n,) marks, NaN for null; groups : (n,) the question of each
    """
    classes, y = np.unique(np.where(np.isnan(given), np.inf, given), return_inverse=True)
    named = tuple(None if np.isinf(each) else float(each) for each in classes)
    if len(named) == 1:
        return Head(named, (tuple([0.0] * x.shape[1]),), (0.0,), 0.0, len(y))
    penalty = _best_penalty(x, y, groups)
    weights, intercept = _coefficients(x, y, penalty, len(named))
    return Head(
        named, tuple(tuple(row) for row in weights.tolist()), tuple(intercept.tolist()), penalty, len(y)
    )


def _best_penalty(x: NDArray, y: NDArray, groups: Sequence[str]) -> float:
    from sklearn.model_selection import GroupKFold

    folds = list(GroupKFold(min(FOLDS, len(set(groups)))).split(x, y, groups))
    return min(PENALTIES, key=lambda penalty: sum(_loss(x, y, kept, held, penalty) for kept, held in folds))


def _loss(x: NDArray, y: NDArray, kept: NDArray, held: NDArray, penalty: float) -> float:
    k = int(y.max()) + 1
    weights, intercept = _coefficients(x[kept], y[kept], penalty, k)
    chances = softmax(x[held] @ weights.T + intercept, axis=1)
    return float(-np.log(np.maximum(chances[np.arange(len(held)), y[held]], LEAST)).sum())


def _coefficients(x: NDArray, y: NDArray, penalty: float, k: int) -> tuple[NDArray, NDArray]:
    """Weights (k, f) and intercept (k,); a class that is absent gets a chance near 0."""
    from sklearn.linear_model import LogisticRegression

    seen = np.unique(y)
    weights, intercept = np.zeros((k, x.shape[1])), np.full(k, -50.0)
    if len(seen) == 1:
        intercept[seen] = 0.0
        return weights, intercept
    model = LogisticRegression(C=1 / penalty, max_iter=2000).fit(x, y)
    two = len(seen) == 2  # of two classes scikit-learn keeps the second's log-odds only
    weights[seen] = np.vstack([-model.coef_ / 2, model.coef_ / 2]) if two else model.coef_
    intercept[seen] = (
        np.concatenate([-model.intercept_ / 2, model.intercept_ / 2]) if two else model.intercept_
    )
    return weights, intercept


@dataclass(frozen=True)
class View:
    """How features and vectors become what the heads read:
    standardised features, then the vectors' first principal components.

    names : (f,) of the features; centre, scale : (f + p,); mean : (v,), components : (p, v) of the vectors
    """

    names: tuple[str, ...]
    centre: NDArray
    scale: NDArray
    mean: NDArray
    components: NDArray

    def __call__(self, table: NDArray, vectors: NDArray) -> NDArray:
        return (np.hstack([table, (vectors - self.mean) @ self.components.T]) - self.centre) / self.scale


@dataclass(frozen=True)
class SmallJudge:
    """Rows of a suite to the four marks, by heads on the frozen encoder; a scorer for `examine.examine`.

    tools : instruments for the features, for tests; None takes the encoder that the heads were trained on
    """

    view: View
    heads: Mapping[str, Head]
    encoder: str
    tools: Tools | None = None

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, float | None]]:
        """The marks of each row (input, references, actual_output, expected_output): 1 to 5, or 0 and 1;
        None is null.
        """
        x = self._features(rows)
        given = {mark: head.predict(x) for mark, head in self.heads.items()} if len(rows) else {}
        return [{mark: marks[place] for mark, marks in given.items()} for place in range(len(rows))]

    def _features(self, rows: Sequence[Mapping[str, Any]]) -> NDArray:
        parts = [
            self.view(*features.table(rows[start : start + BATCH], self.tools or Tools())[:2])
            for start in range(0, len(rows), BATCH)
        ]
        return np.vstack(parts) if parts else np.empty((0, len(self.view.centre)))

    def save(self, folder: str | Path) -> Path:
        """Write the judge into a folder, made where it is missing; the file."""
        view = {"names": list(self.view.names)} | {
            name: getattr(self.view, name).tolist() for name in ("centre", "scale", "mean", "components")
        }
        about = {"version": VERSION, "kind": "heads", "encoder": self.encoder, "view": view}
        text = json.dumps(
            about | {"heads": {mark: head.to_dict() for mark, head in self.heads.items()}},
            sort_keys=True,
            allow_nan=False,
        )
        file = Path(folder) / MODEL
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")
        return file


def fit(traces: Traces, *, tools: Tools | None = None) -> SmallJudge:
    """A judge from all of these traces; PROJECTED principal components of the vectors beside the features."""
    batches = (traces.rows[start : start + BATCH] for start in range(0, len(traces), BATCH))
    parts = [features.table(batch, tools or Tools()) for batch in batches]
    table, vectors = (np.vstack([part[i] for part in parts]) for i in (0, 1))
    view = _view(table, vectors, parts[0][2])
    x, questions = view(table, vectors), [row["input"] for row in traces.rows]
    fitted = {
        mark: _head(mark, traces, x, questions)
        for mark in MARKS
        if any(mark in each for each in traces.marks)
    }
    return SmallJudge(view, fitted, encoder.identity()["sha256"], tools)


def load(folder: str | Path, *, tools: Tools | None = None) -> SmallJudge:
    """The judge in a folder that `train` wrote.

    Raises ModelError if there is none, it is damaged, or it was trained on another encoder.
    """
    file = Path(folder) / MODEL
    if not file.is_file():
        do = "train one: examination.small_judge.train"
        raise ModelError("there is no small judge in the folder", where=folder, expected=MODEL, do=do)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        judge = _of_dict(found, tools)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ModelError(
            "the small judge is damaged", where=file, found=repr(problem), do="train it again"
        ) from None
    here = encoder.identity()["sha256"]
    if judge.encoder != here:
        other = "the small judge was trained on another encoder"
        raise ModelError(other, where=file, found=judge.encoder, expected=here)
    return judge


def _of_dict(found: dict[str, Any], tools: Tools | None) -> SmallJudge:
    if found["version"] != VERSION or found["kind"] != "heads":
        raise ValueError(
            f"expected heads of version {VERSION}; found {found['kind']!r} of version {found['version']!r}"
        )
    view = View(
        tuple(found["view"]["names"]),
        *(_finite(found["view"][name]) for name in ("centre", "scale", "mean", "components")),
    )
    read = {mark: Head.of_dict(found["heads"][mark]) for mark in MARKS if mark in found["heads"]}
    width = len(view.names) + len(view.components)
    if (
        not read
        or any(len(head.weights[0]) != width for head in read.values())
        or view.centre.shape != (width,)
        or view.scale.shape != (width,)
    ):
        raise ValueError(f"expected heads and a view of {width} features")
    if view.components.shape != (len(view.components), len(view.mean)) or not (view.scale > 0).all():
        raise ValueError("expected components of the vectors' width and scales above 0")
    return SmallJudge(view, read, str(found["encoder"]), tools)


def _finite(values: ArrayLike) -> NDArray:
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError("a number is not finite")
    return array


def _view(table: NDArray, vectors: NDArray, names: tuple[str, ...]) -> View:
    mean = vectors.mean(axis=0)
    components = _components(vectors - mean)
    both = np.hstack([table, (vectors - mean) @ components.T])
    spread = both.std(axis=0)
    return View(names, both.mean(axis=0), np.where(spread > 1e-9, spread, 1.0), mean, components)


def _components(centred: NDArray) -> NDArray:
    """(p, v) first principal directions, each with its largest entry above 0; no more than the data have."""
    directions = np.linalg.svd(centred, full_matrices=False)[2][: max(0, min(PROJECTED, len(centred) - 1))]
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    return directions * np.where(largest < 0, -1.0, 1.0)


def _head(mark: str, traces: Traces, x: NDArray, questions: Sequence[str]) -> Head:
    marked = [place for place, each in enumerate(traces.marks) if mark in each]
    return fit_head(x[marked], traces.given(mark), [questions[place] for place in marked])
