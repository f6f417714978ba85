"""Generator competence: one number per answer from several metrics, weighted by what the metrics themselves
show (Hybrid section 2.8).

Three weightings: the first principal component, entropy, and the coefficient of variation (the source's
"adaptive" has no formula: our choice, decision 13). The harmonic mean of the three weighted harmonic means is
one with the mean of the three weightings.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.metric import Detail, NotApplicable, Result

CONSTANT = 1e-9  # a metric that varies less than this over the answers says nothing about any of them
LOWER_IS_BETTER = ("hallucination",)
STRATEGIES = ("pca", "entropy", "variation")


def generator_competence(values: NDArray, names: Sequence[str]) -> list[Result | NotApplicable]:
    """2.8 over a table of metrics (n, m): answers that lack one of them are left out and get the reason."""
    whole = np.isfinite(values).all(axis=1)
    table = np.clip(values[whole], 0.0, 1.0)
    lower = [names.index(name) for name in LOWER_IS_BETTER if name in names]
    table[:, lower] = 1 - table[:, lower]
    try:
        scores, weighting = competence(table), weights(table)
    except ValueError as why:
        return [NotApplicable(str(why)) for _ in values]
    rows = iter(zip(scores, table, strict=True))
    results: list[Result | NotApplicable] = []
    for is_whole, given in zip(whole, values, strict=True):
        if not is_whole:
            lacking = np.array(names)[~np.isfinite(given)]
            results.append(NotApplicable("no value of " + ", ".join(lacking)))
            continue
        score, row = next(rows)
        detail: Detail = []
        for i, name in enumerate(names):
            used = {strategy: each[i] for strategy, each in weighting.items()}
            record = {"metric": name, "score": row[i], "constant": not any(used.values())}
            detail.append(record | used)
        results.append((float(score), detail))
    return results


def competence(values: ArrayLike) -> NDArray[np.float64]:
    """Competence shown in each answer, in [0, 1], shape (n,); higher is better.

    values : (n, m) metrics of n answers, each in [0, 1] with higher better; a zero gives zero, whatever its
        weight

    Raises ValueError as `weights`. Source: Hybrid 2.8 and decision 13.
    """
    values = _checked(values)
    return harmonic_mean(values, np.mean(list(weights(values).values()), axis=0))


def weights(values: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """Weights (m,) of the metrics by each strategy, each summing to 1; a constant metric has weight 0.

    Raises ValueError if values (n, m) are not in [0, 1], there are fewer than two answers, or no metric
    varies.
    """
    values = _checked(values)
    varying = np.ptp(values, axis=0) >= CONSTANT
    if not varying.any():
        raise ValueError(
            "no metric varies over the answers: there are no weights (two answers that differ are needed)"
        )
    found = {}
    for name, strategy in zip(STRATEGIES, (pca_weights, entropy_weights, variation_weights), strict=True):
        found[name] = np.zeros(values.shape[1])
        found[name][varying] = strategy(values[:, varying])
    return found


def pca_weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Absolute loadings of the first principal component of the standardised metrics (n, m), summing to 1;
    shape (m,). None may be constant."""
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    loadings = np.abs(np.linalg.eigh(standard.T @ standard / len(values))[1][:, -1])
    return loadings / loadings.sum()


def entropy_weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Classical entropy weights (m,) of the metrics (n, m): 1 less the entropy of a metric's shares over the
    answers, base n, summing to 1."""
    shares = values / values.sum(axis=0)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    divergence = np.maximum(1 + (shares * logs).sum(axis=0) / np.log(len(values)), np.finfo(float).tiny)
    return divergence / divergence.sum()


def variation_weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of variation (m,) of the metrics (n, m): standard deviation over mean, summing to 1."""
    variation = values.std(axis=0) / values.mean(axis=0)
    return variation / variation.sum()


def harmonic_mean(values: NDArray[np.float64], weighting: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted harmonic mean of each row of values (n, m) in [0, 1], weights (m,) summing to 1; shape (n,); 0
    where a row holds a 0."""
    positive = (values > 0).all(axis=1)
    means = np.zeros(len(values))
    means[positive] = 1 / (weighting / values[positive]).sum(axis=1)
    return np.clip(means, 0.0, 1.0)


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=float)
    if found.ndim != 2 or not np.isfinite(found).all() or (found < 0).any() or (found > 1).any():
        raise ValueError("the metrics must be a table of numbers between 0 and 1, one row per answer")
    if len(found) < 2:
        raise ValueError(f"weights need two answers or more; found {len(found)}")
    return found
