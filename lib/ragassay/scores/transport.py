"""Completeness as transport: what it costs to turn the retrieved sentences into the answer's (HCAT section 3.3.2)."""

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.vectors import cosines

STEPS = 10_000_000  # network simplex iterations before giving up; POT's own default of 100,000 is too few for long texts


def wasserstein_completeness(context: ArrayLike, answer: ArrayLike) -> float:
    """Cheapest cost of moving the context's sentences (n, d) onto the answer's (k, d), in [0, 2]; LOWER is better, 0 for equal texts.

    Cosine distance, every sentence of a text of equal mass, exact optimal transport.

    Raises
    ------
    ValueError
        If a text has no sentence, an embedding is all zeros, or the solver does not reach the optimum.

    Source
    ------
    HCAT section 3.3.2, the minimum over transport plans (its first equation). The average it prints next is `mean_pairwise_distance`.
    """
    distance = distances(context, answer)
    return float((plan(distance) * distance).sum())


def mean_pairwise_distance(context: ArrayLike, answer: ArrayLike) -> float:
    """Mean cosine distance over all pairs of context (n, d) and answer (k, d) sentences, in [0, 2]; LOWER is better.

    Not a distance: it is the cost of the plan that ignores which sentence goes where, hence never below `wasserstein_completeness`,
    and a text against itself does not score 0.

    Raises
    ------
    ValueError
        If a text has no sentence or an embedding is all zeros.

    Source
    ------
    HCAT section 3.3.2, second equation, there called an approximation of the Wasserstein distance.
    """
    return float(distances(context, answer).mean())


def distances(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine distance 1 - cos, in [0, 2], of every pair of rows of (n, d) and (k, d); shape (n, k). Rounding noise below 1e-12 is 0."""
    distance = 1.0 - cosines(these, those)
    return np.where(distance < 1e-12, 0.0, distance)


def plan(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cheapest transport plan for uniform masses; rows sum to 1/n, columns to 1/k; shape (n, k) as `distance`.

    Raises
    ------
    ValueError
        If the solver stops before the optimum.

    Source
    ------
    Network simplex of POT (Flamary et al. 2021, JMLR 22), `ot.emd2`.
    """
    n, k = distance.shape
    _, log = _transport().emd2(
        np.full(n, 1 / n), np.full(k, 1 / k), distance, numItermax=STEPS, return_matrix=True, log=True
    )
    if log["warning"]:
        raise ValueError(
            f"optimal transport of {n} onto {k} sentences did not reach the optimum: {log['warning']}"
        )
    return log["G"]


def _transport():
    """POT without its optional tensor backends: 3 s to import instead of 6."""
    for backend in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW"):
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{backend}", "1")
    import ot

    return ot
