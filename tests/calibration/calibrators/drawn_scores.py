"""Scores with labels that follow them, drawn."""

import numpy as np
import pandas as pd
from scipy.special import expit


def labelled(n=120, seed=0, slope=1.5):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, (draw.random(n) < expit(0.5 + slope * score)).astype(float)


def graded(n=200, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, 1 + (score[:, None] * 1.5 + draw.logistic(size=(n, 1)) > [-1.5, 0, 2]).sum(axis=1)


def tabled(n=150, seed=0):
    score, label = labelled(n, seed)
    draw = np.random.default_rng(seed + 1)
    more = {"length": draw.normal(50, 20, n), "copy": 3 * score + draw.normal(size=n)}
    return pd.DataFrame({"support": score, **more}), label
