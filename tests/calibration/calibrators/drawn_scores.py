"""Scores with labels that follow them, drawn."""

import numpy as np
from scipy.special import expit


def labelled(n=120, seed=0, slope=1.5):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, (draw.random(n) < expit(0.5 + slope * score)).astype(float)


def graded(n=200, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, 1 + (score[:, None] * 1.5 + draw.logistic(size=(n, 1)) > [-1.5, 0, 2]).sum(axis=1)
