"""Groundedness by entailment: how far each answer sentence lies on the side of what its premise entails (HCAT 3.2.2).

The head has three classes. It is reduced to HCAT's hyperplane by z = score of entailment less the mean of the two other scores, which is
linear in the head's last features: w = w_e - (w_n + w_c) / 2. D = z / |w| is the distance to the boundary, positive on the entailed side.
sigma(D) is a score between 0 and 1, not a probability: that is what stage 1 of the calibration makes of it (FORMULAS 3).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def distances(z: ArrayLike, length: float) -> NDArray[np.float64]:
    """D = z / |w| for scores z (n,) and the length of w. Raises ValueError unless the length is above 0. Source: HCAT 3.2.2."""
    if not length > 0:
        raise ValueError(f"the length of w must be above 0; found {length}")
    return np.asarray(z, dtype=float) / length


def sigma(distance: ArrayLike) -> NDArray[np.float64]:
    """1 / (1 + exp(-D)) in (0, 1), rising; 0.5 on the boundary. Source: HCAT 3.2.2."""
    from scipy.special import expit

    return expit(np.asarray(distance, dtype=float))


def groundedness(distance: ArrayLike) -> NDArray[np.float64]:
    """sigma(D) per answer sentence (k,). Raises ValueError if a distance does not exist: the model's last layer is not linear."""
    values = np.asarray(distance, dtype=float)
    if np.isnan(values).any():
        raise ValueError(
            "the entailment model has no linear last layer: its distance to the boundary does not exist"
        )
    return sigma(values)
