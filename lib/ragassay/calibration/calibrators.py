"""Stage 1: calibrators, from a machine score to the probability that a rater accepts (HCAT section 5.1).

    scores, labels -> fit -> Calibrator -> predict (probability of label 1, or of each level)

logistic  Platt's, sklearn's sigmoid: log-odds linear in the score
isotonic  any monotone function, as steps (piecewise constant)
boosted   monotone gradient boosting, as the steps it is
ordinal   levels 1..k: proportional odds

Every kind fits targets pulled in from 0 and 1 as Platt does, 1/(n- + 2) and (n+ + 1)/(n+ + 2): a run of equal
labels earns no certainty, and perfectly separated scores give a finite calibrator. Which kind: the simplest
of those that do as well by cross-validated log loss. Fit and select on one part of the labels (`split`), and
let the conformal stage judge on another.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from scipy.special import expit

from ragassay.calibration import probability_metrics
from ragassay.errors import LabelError, ParameterError
from ragassay.stats import one_thread

FEWEST_LABELS, FEWEST_PER_CLASS = 10, 3
LARGEST = 1e100
FOLDS = 5  # of cross-validation
COLUMNS = ["kind", "state", "log_loss", "standard_error", "chosen", "reason"]
BINARY = ("logistic", "isotonic", "boosted")  # the simplest first
ROUNDS, RATE = 30, 0.1  # 60 trees were worse on held-out labels for 50 and 200 labels, equal for 2,000


class Calibrator(BaseModel):
    """Plain numbers with `predict`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    kind: str

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n,) probabilities in [0, 1] that a rater gives label 1; NaN where the score is NaN."""
        raise NotImplementedError


class Logistic(Calibrator):
    """P(label = 1) = 1 / (1 + exp(-(intercept + slope * (score - centre) / scale))), strictly monotone in the
    score.

    centre, scale : mean and standard deviation of the scores fitted; n : labels fitted
    """

    kind: Literal["logistic"] = "logistic"
    slope: float
    intercept: float
    centre: float
    scale: float = Field(gt=0)
    n: int

    def predict(self, scores: ArrayLike) -> NDArray:
        z = (np.asarray(scores, dtype=float) - self.centre) / self.scale
        return expit(self.intercept + self.slope * z)


class StepFunction(Calibrator):
    """P(label = 1) by steps: values[i] for edges[i-1] < score <= edges[i]; monotone.

    edges : (m - 1,) ascending scores; values : (m,) probabilities; n : labels fitted
    """

    kind: Literal["isotonic", "boosted"]
    edges: tuple[float, ...]
    values: tuple[float, ...]
    n: int

    def predict(self, scores: ArrayLike) -> NDArray:
        x = np.asarray(scores, dtype=float)
        return np.where(
            np.isnan(x), np.nan, np.asarray(self.values)[np.searchsorted(self.edges, x, side="left")]
        )


class Ordinal(Calibrator):
    """P(label >= grades[j]) = expit(slope * z - cuts[j - 1]) with z = (score - centre) / scale.

    cuts : (k - 1,) ascending, in log-odds
    centre, scale : mean and standard deviation of the scores fitted
    grades : (k,) the levels, ascending; counts : (k,) labels fitted, by level
    """

    kind: Literal["ordinal"] = "ordinal"
    slope: float
    cuts: tuple[float, ...]
    centre: float
    scale: float = Field(gt=0)
    grades: tuple[float, ...]
    counts: tuple[int, ...]

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n, k) probabilities of each level, rows summing to 1; a row of NaN where the score is NaN."""
        z = (np.asarray(scores, dtype=float) - self.centre) / self.scale
        above = expit(self.slope * z[:, None] - np.asarray(self.cuts))
        ends = np.where(np.isnan(above[:, :1]), np.nan, 1.0)
        return -np.diff(np.hstack([ends, above, 0 * ends]), axis=1)


_ANY: TypeAdapter = TypeAdapter(Annotated[Logistic | StepFunction | Ordinal, Field(discriminator="kind")])


def from_json(text: str) -> Calibrator:
    """The calibrator, of whatever kind, that `model_dump_json` wrote, number for number; ValueError for
    anything else."""
    return _ANY.validate_json(text)


def fit_logistic(scores: ArrayLike, labels: ArrayLike) -> Logistic:
    """The logistic calibrator by Platt's method: maximum likelihood with smoothed targets.

    Two ordered levels by the optimiser of `ordinal`: the same optimum, in the same time, as scikit-learn's
    LogisticRegression on doubled, weighted rows.

    Source: Platt (1999), Probabilistic Outputs for Support Vector Machines, section 2.2; HCAT section 5.1.
    """
    x, y = check_scores_and_labels(scores, labels)
    centre, scale = float(x.mean()), float(x.std())
    target = np.where(y == 1, *platt_targets(y)[::-1])
    slope, (cut,) = _proportional_odds((x - centre) / scale, np.column_stack([1 - target, target]))
    return Logistic(slope=slope, intercept=-cut, centre=centre, scale=scale, n=len(y))


def fit_isotonic(scores: ArrayLike, labels: ArrayLike) -> StepFunction:
    """The monotone steps of least squared error, rising or falling by the sign of the rank correlation:
    scikit-learn's IsotonicRegression, squeezed between Platt's targets. A step lies halfway between two
    labelled scores.

    Source: HCAT 5.1 (piecewise constant); Zadrozny, Elkan (2002), KDD, section 3.
    """
    from sklearn.isotonic import IsotonicRegression

    x, y = check_scores_and_labels(scores, labels)
    plain, (low, high) = (
        IsotonicRegression(increasing=bool(scipy.stats.spearmanr(x, y)[0] >= 0)).fit(x, y),
        platt_targets(y),
    )
    values = low + (high - low) * np.asarray(plain.y_thresholds_, dtype=float)
    return _steps("isotonic", np.asarray(plain.X_thresholds_), values, len(y))


def fit_boosted(scores: ArrayLike, labels: ArrayLike) -> StepFunction:
    """Gradient boosted trees on the one score, monotone by the sign of the rank correlation, read off as
    steps.

    Trees of at most four leaves, each with at least 5 labels and 5 % of them, no early stopping. Its value at
    every labelled score is that of scikit-learn's HistGradientBoostingClassifier, squeezed between Platt's
    targets; a step lies halfway between two labelled scores.

    Source: HCAT 5.1 (monotonic XGBoost); Friedman (2001), Annals of Statistics 29.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    x, y = check_scores_and_labels(scores, labels)
    sign, at, (low, high) = 1 if scipy.stats.spearmanr(x, y)[0] >= 0 else -1, np.unique(x), platt_targets(y)
    model = HistGradientBoostingClassifier(
        learning_rate=RATE, max_iter=ROUNDS, max_leaf_nodes=4, min_samples_leaf=max(5, len(x) // 20),
        monotonic_cst=[sign], early_stopping=False, random_state=0,
    )  # fmt: skip
    with one_thread():
        found = model.fit(x[:, None], y).predict_proba(at[:, None])[:, 1]
    monotone = np.abs(np.maximum.accumulate(sign * found))  # to the last bit
    return _steps("boosted", at, low + (high - low) * monotone, len(y))


def fit_ordinal(scores: ArrayLike, labels: ArrayLike) -> Ordinal:
    """The proportional odds calibrator of the levels that occur, by maximum likelihood with smoothed targets.

    At every cut a label counts as Platt has it: as (n+ + 1)/(n+ + 2) of a yes or 1/(n- + 2) of one, n+ labels
    lying at or above the cut; what lies between two cuts is the level's weight. So perfectly separated levels
    stay finite, and for two levels the calibrator is the logistic one.

    Source: HCAT section 5.1; McCullagh (1980), JRSS B 42, section 2; smoothing after Platt (1999), section
    2.2. statsmodels' OrderedModel takes no such targets.
    """
    x, y = check_pairs(scores, labels)
    grades, place, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(y) < FEWEST_LABELS or (counts >= FEWEST_PER_CLASS).sum() < 2:
        raise LabelError(
            "too few labels to calibrate",
            found=f"{len(y)} labels: "
            + ", ".join(f"{n} of level {grade:g}" for n, grade in zip(counts, grades, strict=True)),
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of two levels each",
            do="label more answers, or report the score as uncalibrated",
        )
    above = np.cumsum(counts[::-1])[::-1][1:]
    at_least = np.where(
        place[:, None] >= np.arange(1, len(counts)), (above + 1) / (above + 2), 1 / (len(y) - above + 2)
    )
    ends = np.ones((len(y), 1))
    targets = -np.diff(np.hstack([ends, at_least, 0 * ends]), axis=1)
    centre, scale = float(x.mean()), float(x.std())
    slope, cuts = _proportional_odds((x - centre) / scale, targets)
    levels, n = tuple(grades.tolist()), tuple(counts.tolist())
    return Ordinal(slope=slope, cuts=cuts, centre=centre, scale=scale, grades=levels, counts=n)


KINDS: dict[str, Callable[[ArrayLike, ArrayLike], Calibrator]] = {  # the simplest first
    "logistic": fit_logistic,
    "ordinal": fit_ordinal,
    "isotonic": fit_isotonic,
    "boosted": fit_boosted,
}


def check_scores_and_labels(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that differ and (n,) labels 0 or 1, enough of each; LabelError otherwise."""
    x, y = check_pairs(scores, labels)
    bad = ~np.isin(y, (0.0, 1.0))
    if bad.any():
        row, do = int(bad.argmax()), "cut graded labels at a stated level, leave missing ones out"
        raise LabelError("a label is not 0 or 1", where=f"row {row}", found=y[row], expected="0 or 1", do=do)
    n, ones = len(y), int((y == 1).sum())
    if n < FEWEST_LABELS or min(n - ones, ones) < FEWEST_PER_CLASS:
        raise LabelError(
            "too few labels to calibrate"
            + (": they are all of one class" if n >= FEWEST_LABELS and ones in (0, n) else ""),
            found=f"{n} labels to fit, {ones} of them 1 and {n - ones} of them 0",
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each",
            do="label more answers, or report the score as uncalibrated",
        )
    return x, y


def platt_targets(labels: NDArray) -> tuple[float, float]:
    """What a label 0 and a label 1 count as, never 0 or 1 (Platt 1999, section 2.2)."""
    positive = int(labels.sum())
    return 1 / (len(labels) - positive + 2), (positive + 1) / (positive + 2)


def check_pairs(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that are not all the same, and as many finite labels; LabelError otherwise."""
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise LabelError(
            "every score needs one label", found=f"scores of shape {x.shape}, labels of shape {y.shape}"
        )
    bad = ~((np.abs(x) <= LARGEST) & np.isfinite(y))
    if bad.any():
        row = int(bad.argmax())
        raise LabelError(
            "a score or label is missing or infinite",
            where=f"row {row}",
            found=f"score {x[row]}, label {y[row]}",
            expected=f"numbers between -{LARGEST:g} and {LARGEST:g}",
            do="leave such cases out",
        )
    if len(x) and np.ptp(x) <= 1e-12 * max(1.0, float(np.abs(x).max())):
        what = "every score is the same, so it cannot distinguish answers"
        raise LabelError(what, found=x[0], do="leave this metric uncalibrated")
    return x, y


def _steps(kind: Literal["isotonic", "boosted"], at: NDArray, probability: NDArray, n: int) -> StepFunction:
    """The steps through (m,) ascending scores with their probabilities: each halfway between two scores
    whose probabilities differ."""
    last = np.flatnonzero(np.diff(probability))
    halfway = at[last] / 2 + at[last + 1] / 2
    edges = np.where(halfway < at[last + 1], halfway, at[last])
    return StepFunction(
        kind=kind, edges=tuple(edges.tolist()), values=tuple(probability[np.r_[0, last + 1]].tolist()), n=n
    )


def _proportional_odds(z: NDArray, targets: NDArray) -> tuple[float, tuple[float, ...]]:
    """Slope and ascending cuts with the least cross-entropy, over slope, first cut and the logarithms of the
    gaps between cuts."""

    def cuts_of(parameters: NDArray) -> NDArray:
        return np.cumsum(np.r_[parameters[1], np.exp(parameters[2:])])

    def loss(parameters: NDArray) -> tuple[float, NDArray]:
        at_least = expit(parameters[0] * z[:, None] - cuts_of(parameters))
        ends = np.ones((len(z), 1))
        chance = np.maximum(-np.diff(np.hstack([ends, at_least, 0 * ends]), axis=1), 1e-300)
        by_odds = np.diff(-targets / chance, axis=1) * at_least * (1 - at_least)
        by_cut = np.cumsum(-by_odds.sum(axis=0)[::-1])[::-1]  # a gap moves every cut above it
        slopes = np.r_[z @ by_odds.sum(axis=1), by_cut[0], np.exp(parameters[2:]) * by_cut[1:]]
        return float(-(targets * np.log(chance)).sum()), slopes

    start = np.zeros(targets.shape[1])
    start[1] = -np.log(max(targets[:, 1:].sum(), 1e-9) / targets[:, 0].sum())
    found = scipy.optimize.minimize(
        loss, start, jac=True, method="BFGS", options={"gtol": 1e-9 * len(z), "maxiter": 2000}
    )
    if np.abs(found.jac).max() > 1e-5 * len(z):
        raise LabelError(
            "the calibrator did not converge", found=found.message, do="look at the scores for extreme values"
        )
    return float(found.x[0]), tuple(cuts_of(found.x).tolist())


def split(
    labelled: pd.DataFrame,
    seed: int = 0,
    *,
    shares: Sequence[float] = (0.5, 0.5),
    stratify: str = "label",
    together: str | None = None,
) -> tuple[pd.DataFrame, ...]:
    """Disjoint random parts of the labelled rows, one per share: (fitting, conformal) by default;
    every row lands in exactly one.

    Each value of `stratify` is dealt out in the same shares (to within one row), and every row has the same
    chance of each part. Rows alike in `together` (a conversation, a paraphrase group) stay in one part and
    are stratified by their most frequent value. The same rows in any order and the same seed give the same
    parts, in the same order.

    Raises LabelError if a column is absent, a label is missing, or a part would be empty.

    >>> data = pd.DataFrame({"value": np.arange(40) / 40, "label": [0] * 20 + [1] * 20})
    >>> [part["label"].value_counts().to_dict() for part in split(data)]
    [{0: 10, 1: 10}, {0: 10, 1: 10}]
    """
    for name in filter(None, (stratify, together)):
        if name not in labelled:
            raise LabelError(f"column {name!r} is absent", found=list(labelled.columns), expected=name)
        if labelled[name].isna().any():
            where = f"row {int(np.flatnonzero(labelled[name].isna())[0])}"
            raise LabelError(f"{name!r} is missing", where=where, do="leave such rows out before the split")
    keys = [labelled[name].map(repr).to_numpy(dtype=str) for name in sorted(labelled.columns, key=str)]
    rows = labelled.iloc[np.lexsort(keys[::-1])]  # whatever order they came in
    units = rows[together].astype(str) if together else pd.Series(np.arange(len(rows)), index=rows.index)
    counts = rows.groupby([units.to_numpy(), stratify]).size().unstack(fill_value=0)
    most_frequent = counts.idxmax(axis=1)  # the smallest of several
    part = units.map(_deal(most_frequent, shares, np.random.default_rng(seed))).to_numpy()
    parts = tuple(rows[part == number].reset_index(drop=True) for number in range(len(shares)))
    if any(len(each) == 0 for each in parts):
        found = f"{len(rows)} rows, parts of {', '.join(str(len(each)) for each in parts)}"
        raise LabelError("too few labels to split", found=found, do="label more answers")
    return parts


def folds_of(labels: ArrayLike, folds: int, seed: int, clusters: ArrayLike | None = None) -> NDArray:
    """(n,) the fold, 0 to folds - 1, each row is held out in: stratified by label, rows of one cluster in one
    fold. Raises LabelError if a label or cluster is missing, or a fold would be empty.
    """
    rows = pd.DataFrame({"label": np.asarray(labels)}).assign(row=range(len(np.asarray(labels))))
    if clusters is not None:
        rows["cluster"] = np.asarray(clusters)
    parts = split(rows, seed, shares=[1 / folds] * folds, together=None if clusters is None else "cluster")
    fold = np.empty(len(rows), dtype=int)
    for number, part in enumerate(parts):
        fold[part["row"]] = number
    return fold


def _deal(value_of_unit: pd.Series, shares: Sequence[float], rng: np.random.Generator) -> pd.Series:
    """The part of each unit: every stratum shuffled and cut at the shares, left-over units going to a part
    with its share's chance.
    """
    part = pd.Series(0, index=value_of_unit.index)
    for value in sorted(value_of_unit.unique()):
        members = rng.permutation(value_of_unit.index[value_of_unit == value].to_numpy())
        ideal = len(members) * np.asarray(shares)
        whole = np.floor(ideal + 1e-9)
        edges = np.floor(np.cumsum(np.maximum(0, ideal - whole)) + rng.random() + 1e-9)
        edges[-1] = len(members) - whole.sum()
        sizes = (whole + np.diff(np.concatenate([[0], edges]))).astype(int)
        part.loc[members] = np.repeat(np.arange(len(shares)), sizes)
    return part


def cross_validate(fitting: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Kinds of calibrator compared on labels they have not seen, the simplest first: kind, state, log_loss
    (mean over folds; lower is better), standard_error (of that mean, from the folds), chosen, reason (why it
    could not be fitted).

    Log loss is averaged within each fold, then over folds; its standard error is the folds' standard
    deviation over the root of their number. Of the kinds whose mean is at most the best mean plus the best's
    standard error the simplest is chosen, in the order of `BINARY`. Where no kind can be cross-validated
    (fewer clusters than folds), the simplest is chosen unmeasured.

    fitting : value (the score), label (0 or 1); cluster, where answers hang together: one stays in one fold

    Raises LabelError if the labels cannot carry any calibrator (see `fit`).

    >>> data = pd.DataFrame({"value": np.arange(40) / 40, "label": [0] * 20 + [1] * 20})
    >>> cross_validate(data).query("chosen")["kind"].tolist()
    ['logistic']

    Source: HCAT section 5.1; Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees,
    section 3.4.3 (the one standard error rule).
    """
    x, y = check_scores_and_labels(fitting["value"], fitting["label"])
    rows: list[tuple] = []
    for kind in BINARY:
        losses = []
        try:
            fold = folds_of(y, FOLDS, seed, fitting.get("cluster"))
            for held in (fold == number for number in range(FOLDS)):
                promised = fit(fitting[~held], kind).predict(x[held])
                losses.append(probability_metrics.log_loss_per_case(promised, y[held]).mean())
        except LabelError as refusal:
            reason = f"without fold {len(losses) + 1}: {refusal.what} (found: {refusal.found})"
            rows.append((kind, "not_measured", np.nan, np.nan, reason))
            continue
        rows.append(
            (kind, "scored", float(np.mean(losses)), float(np.std(losses, ddof=1) / np.sqrt(FOLDS)), "")
        )
    table = pd.DataFrame(rows, columns=["kind", "state", "log_loss", "standard_error", "reason"])
    return table.assign(chosen=table["kind"] == simplest(table))[COLUMNS]


def simplest(table: pd.DataFrame) -> str:
    """The first kind whose mean loss is within one standard error of the best; the first of all where no loss
    was measured. table : kind, log_loss, standard_error, the simplest first"""
    known = table[table["log_loss"].notna()]
    if known.empty:
        return str(table["kind"].iloc[0])
    best = known.loc[known["log_loss"].idxmin()]
    return str(known.loc[known["log_loss"] <= best.log_loss + best.standard_error, "kind"].iloc[0])


def fit(fitting: pd.DataFrame, kinds: pd.DataFrame | str = "logistic") -> Calibrator:
    """The calibrator from score to the probability that a rater accepts, fitted to `value` and `label`.

    kinds : logistic, isotonic, boosted, or what `cross_validate` chose; ordinal, whose labels are any levels

    Raises ParameterError if there is no such kind; LabelError if a score or label is missing, a label is not
    0 or 1, there are fewer than 10 labels or fewer than 3 of either class (for ordinal: of two levels), or
    every score is the same.

    >>> data = pd.DataFrame({"value": np.arange(40) / 40, "label": [0] * 20 + [1] * 20})
    >>> fit(data, "isotonic").predict([0.1, 0.9]).round(2).tolist()
    [0.05, 0.95]
    """
    kind = kinds if isinstance(kinds, str) else str(kinds.loc[kinds["chosen"], "kind"].iloc[0])
    if kind not in KINDS:
        raise ParameterError("no such kind of calibrator", found=kind, expected=", ".join(KINDS))
    return KINDS[kind](fitting["value"], fitting["label"])
