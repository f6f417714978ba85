"""Which answers to label: some at random, and beside them those of which a label teaches most.

Only the random part is like the answers to come: a calibration, a coverage or a share may rest on it alone,
and `labels.judgements` leaves the other part out of them. The active part serves to see where the machine and
people part: what the guide leaves open, which failures there are, a calibrator to be fitted for its shape
only.
"""

from collections.abc import Callable
from itertools import cycle, islice
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import tables
from ragassay.errors import LabelError, ParameterError
from ragassay.labels.labels_file import ACTIVE, RANDOM

RANDOM_SHARE = 0.5
LARGEST, NEAREST, THIN = "largest prediction set", "nearest the boundary", "thin topic"


def draw_random(answers: pd.DataFrame, n: int, *, rng: np.random.Generator) -> pd.DataFrame:
    """`n` of the answers (all, where there are fewer), each as likely as any other, in random order;
    column `drawn` is `random`.

    A larger n with the same generator keeps the answers of a smaller one: a sample can be extended.

    Raises ParameterError if n is below 1.
    """
    return (
        answers.iloc[rng.permutation(len(answers))[: _positive(n)]]
        .assign(drawn=RANDOM, why="")
        .reset_index(drop=True)
    )


def draw_active(
    answers: pd.DataFrame,
    n: int,
    *,
    probability: NDArray | None = None,
    set_size: NDArray | None = None,
    strata: NDArray | None = None,
    random_share: float = RANDOM_SHARE,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """`n` of the answers: a random part drawn first and from all of them, the rest by what is uncertain.

    The criteria that are given take turns: the largest prediction set (an empty one counts as the largest),
    the probability nearest to 0.5, an answer of the stratum with fewest chosen so far. Ties are settled at
    random. Column `drawn` is `random` or `active`, column `why` the criterion.

    Parameters
    ----------
    probability : (N,) that a rater accepts; NaN where there is none: such an answer comes last
    set_size : (N,) labels in the prediction set; NaN where there is none
    strata : (N,) topic or another stratum
    random_share : of n that is drawn at random, above 0 and at most 1; rounded up

    Raises ParameterError if n is below 1, the share is outside (0, 1], or no criterion is given.
    """
    if not 0 < random_share <= 1:
        raise ParameterError(
            "the random share must lie above 0 and at most 1",
            found=random_share,
            do="0.5 is usual: without it nothing is calibrated",
        )
    if probability is None and set_size is None and strata is None:
        raise ParameterError(
            "nothing says which answers are uncertain",
            expected="a probability, a set size or topics",
            do="draw at random",
        )
    n = min(_positive(n), len(answers))
    order = rng.permutation(len(answers))
    first, rest = order[: ceil(n * random_share)], order[ceil(n * random_share) :]
    chosen = _in_turn(_criteria(probability, set_size, strata), first, rest, n - len(first))
    picked = [*((place, RANDOM, "") for place in first), *((place, ACTIVE, why) for place, why in chosen)]
    mixed = [picked[place] for place in rng.permutation(len(picked))]
    places, drawn, why = zip(*mixed, strict=True) if mixed else ((), (), ())
    return answers.iloc[list(places)].assign(drawn=list(drawn), why=list(why)).reset_index(drop=True)


def read_verdicts(run: str | Path, metric: str) -> pd.DataFrame:
    """The verdicts of a metric in a run, by which answers are chosen:
    case_id, system, probability, prediction_set.

    Raises LabelError if there are none.
    """
    every = tables.read(run, "verdicts") if tables.exists(run, "verdicts") else pd.DataFrame({"metric": []})
    verdicts = every[every["metric"] == metric]
    if verdicts.empty:
        raise LabelError(
            f"the run has no verdicts of {metric!r}, so nothing says which answers are uncertain",
            found=", ".join(sorted(set(every["metric"]))) or "no verdicts",
            do="label a random sample first and calibrate the metric, or name one that is",
        )
    return verdicts[["case_id", "system", "probability", "prediction_set"]]


def _positive(n: int) -> int:
    if n < 1:
        raise ParameterError("the number of answers to label must be 1 or more", found=n)
    return n


def _criteria(
    probability: NDArray | None, set_size: NDArray | None, strata: NDArray | None
) -> dict[str, Callable[[NDArray, list[int]], NDArray]]:
    """Criterion -> how urgent answers are, given those chosen so far:
    (places, chosen) -> (n,), the smaller the more urgent.
    """
    found: dict[str, Callable[[NDArray, list[int]], NDArray]] = {}
    if set_size is not None:
        sizes = np.asarray(set_size, dtype=float)
        urgency = -np.where(sizes == 0, np.nanmax(sizes, initial=2), np.nan_to_num(sizes, nan=-1))
        found[LARGEST] = lambda places, _: urgency[places]
    if probability is not None:
        distance = np.nan_to_num(np.abs(np.asarray(probability, dtype=float) - 0.5), nan=1)
        found[NEAREST] = lambda places, _: distance[places]
    if strata is not None:
        codes = pd.factorize(pd.Series(strata).astype(str))[0]
        found[THIN] = lambda places, chosen: np.bincount(codes[chosen], minlength=codes.max(initial=0) + 1)[
            codes[places]
        ]
    return found


def _in_turn(criteria: dict, first: NDArray, rest: NDArray, n: int) -> list[tuple[int, str]]:
    """The `n` most urgent of the rest, each criterion naming one in turn; place and criterion."""
    taken, left, named = first.tolist(), rest, []
    for why in islice(cycle(criteria), n):
        at = int(np.argmin(criteria[why](left, taken)))
        named.append((int(left[at]), why))
        taken.append(int(left[at]))
        left = np.delete(left, at)
    return named
