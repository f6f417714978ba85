"""What a machine may release alone: from which probability on, so that the share of wrong answers among those
released keeps a limit, with stated confidence (Learn then Test).

Prediction sets bound the error over all answers, not over those decided: full sets are never wrong, so errors
gather where the sets decide. Here the error among the answers released is bounded itself.
"""

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from ragassay.defaults import CONFIDENCE
from ragassay.stats import clopper_pearson

FIRST = 5  # the first size tried is at least one in so many of the labels
COLUMNS = ["decision", "labelled", "n", "wrong", "bound", "allowed", "threshold", "alone", "share", "reason"]
NO_RELEASES = pd.DataFrame(columns=COLUMNS)


@dataclass(frozen=True)
class Release:
    """From which probability on a machine may release answers; where it may not, of the first one tried.

    threshold : release where p >= threshold; infinite: nothing, and the reason
    labelled : answers it was chosen by, one of each cluster; n, wrong : of these at or above it
    bound : upper bound of the share of wrong ones with 95 % confidence, in [0, 1] (Clopper-Pearson)
    """

    threshold: float
    labelled: int
    n: int
    wrong: int
    bound: float
    reason: str = ""


def release(
    p: ArrayLike, y: ArrayLike, error: float, *, clusters: ArrayLike | None = None, seed: int = 0
) -> Release:
    """The lowest threshold at which at most `error` of the answers released are wrong, with 95 % confidence;
    or none.

    Thresholds are tried from the top down, in a sequence that no label shapes, and the first that fails ends
    it, so that one test's error serves all (fixed-sequence testing). Tried are the sizes at which the
    binomial test first bears one wrong answer more (29, 46, 61 labels, ... for 0.1), from a fifth of the
    labels on, and all of them. Of each of the `clusters` one answer, drawn at random, is used.

    Measured, in 2,000 worlds each: how often more than `error` was wrong (at most 5 % allowed; standard error
    0.4 % at most), and the share of answers released on average.

    informative score, 130 labels, error 0.1      1.7 %    19 %
    the same, 400 labels                          3.1 %    46 %
    weak score, 130 labels, error 0.2             2.6 %    30 %
    blind, 11 % wrong, 150 labels, error 0.1      3.1 %     1 %
    reversed score, 150 labels, error 0.1         0.0 %     0 %
    ties (about nine values), 200 labels, 0.1     0.4 %    14 %
    80 clusters of 5, error 0.2                   1.5 %    10 %

    Parameters
    ----------
    p : (n,) probability that the answer is right, from a calibrator that saw none of these labels; any order
        of preference serves. For what to reject alone: 1 - p and 1 - y
    y : (n,) 1 right, 0 wrong
    error : share of wrong answers allowed, strictly between 0 and 1

    Raises ValueError if p and y differ in length, one is missing, y is not 0 or 1, or error is not in (0, 1).

    Source: Angelopoulos, Bates, Candes, Jordan, Lei (2025), Learn then Test, Annals of Applied Statistics,
    section 3 (fixed-sequence testing). One answer of each cluster: Dunn, Wasserman, Ramdas (2023), JASA 118.
    """
    score, wrong = np.asarray(p, dtype=float), 1 - np.asarray(y, dtype=float)
    if score.shape != wrong.shape or np.isnan(score).any() or not np.isin(wrong, (0, 1)).all():
        raise ValueError(f"every p needs a y of 0 or 1; found shapes {score.shape} and {wrong.shape}")
    if not 0 < error < 1:
        raise ValueError(f"error lies in (0, 1); found {error}")
    if clusters is not None:
        order = np.random.default_rng(seed).permutation(len(score))
        one = order[np.unique(np.asarray(clusters)[order], return_index=True)[1]]
        score, wrong = score[one], wrong[one]
    ranked = np.append(-np.sort(-score), -inf)
    every_n = np.arange(len(score) + 1)
    too_many = scipy.stats.binom.ppf(1 - CONFIDENCE, every_n, error)  # so many wrong fail the test
    steps = np.flatnonzero(np.diff(too_many) > 0) + 1  # the sizes at which it bears one more; none: too few
    sizes: Any = np.unique([*steps[steps * FIRST >= len(score)], len(score)]) if len(steps) else []
    found = Release(inf, len(score), 0, 0, nan, "too few labels")
    for size in sizes:
        limit = float(np.nextafter(ranked[size], inf)) if size < len(score) else -inf
        n, mistakes = int((score >= limit).sum()), int(wrong[score >= limit].sum())
        if n < sizes[0]:
            continue  # ties at the top
        bound = clopper_pearson(mistakes, n, 2 * CONFIDENCE - 1).high
        if bound > error:
            return found if found.n else Release(inf, len(score), n, mistakes, bound, "too many wrong")
        found = Release(limit, len(score), n, mistakes, bound)
    return found


def releases(
    held: pd.DataFrame, right: pd.DataFrame, answers: pd.DataFrame, *, alpha: float, seed: int = 0
) -> pd.DataFrame:
    """The table `releases`: what the machine may accept and what it may reject alone, a row each.

    An answer is wrongly accepted where raters do not accept it, and wrongly rejected where they do.

    held : labelled answers that the calibrator has not seen: case_id, system, cluster, probability
    right : case_id, system, accepted (0 or 1), such as `raters.in_every_respect` gives them
    answers : of `like_users`; share : of these, the share so decided
    alpha : share of wrong ones allowed

    Example: `releases(held, right, like_users(verdicts, scores, cases), alpha=0.1)`
    """
    known = right[["case_id", "system", "accepted"]].rename(columns={"accepted": "right"})
    both = held.merge(known, on=["case_id", "system"])
    p, y, new = both["probability"].to_numpy(dtype=float), both["right"], answers["probability"]
    rows = []
    for decision, sure, is_right, of in (("accept", p, y, new), ("reject", 1 - p, 1 - y, 1 - new)):
        found = release(sure, is_right, alpha, clusters=both["cluster"], seed=seed)
        share = float((of >= found.threshold).mean()) if len(of) else 0.0
        limit = found.threshold if decision == "accept" else 1 - found.threshold
        row = (decision, found.labelled, found.n, found.wrong, found.bound, alpha, limit)
        rows.append((*row, not found.reason, share, found.reason))
    return pd.DataFrame(rows, columns=COLUMNS)
