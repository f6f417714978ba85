"""What the raters' agreement says of the labels:
per dimension whether they can carry a calibration, per pair of raters
how far they agree, and the answers they judge unlike.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from ragassay import parameter_ranges
from ragassay.labels.agreement_coefficients import (
    Coincidences,
    cohen_kappa,
    coincidences,
    gwet_ac,
    krippendorff_alpha,
    rank_correlation,
    raw_agreement,
    weighted_kappa,
)
from ragassay.labels.dimensions import scale_ends
from ragassay.stats import Interval, interval_text

FEWEST_TWICE, LEAST_CORRELATION = 20, 0.1
COLUMNS = [
    *("dimension", "answers", "twice", "raters", "rank_correlation", "krippendorff_alpha", "gwet_ac"),
    *("overlap", "state", "reason"),
]
SUFFICIENT = {"carried": "sufficient", "not_assessable": "not assessable", "refused": "not sufficient"}
PAIR_COLUMNS = [
    *("dimension", "first", "second", "n", "agreement", "agreement_low", "agreement_high"),
    *("kappa", "kappa_low", "kappa_high", "kind", "reason"),
]
UNLIKE_COLUMNS = ["case_id", "system", "dimension", "lowest", "highest", "spread", "given"]


def label_reliability(
    labels: pd.DataFrame, *, clusters: pd.Series | None = None, rng: np.random.Generator
) -> pd.DataFrame:
    """What the labels of each dimension can carry: one row each, sorted;
    columns COLUMNS, estimates as `Interval`.

    overlap : which raters share answers (`rater_overlap`)
    state
        refused : 20 answers or more were labelled twice, and the lower 95 % bound of the raters' rank
            correlation is below 0.1: they may as well have judged different things, and no score can be
            calibrated to that
        not_assessable : fewer than 20 answers were labelled twice, or all alike; a calibration is allowed,
            its labels' reliability is not known
        carried : otherwise
    The two numbers are ours; Krippendorff (2019) would draw tentative conclusions from alpha >= 0.667 only,
    which is why alpha is shown.
    """
    rows = []
    for dimension, part in labels.groupby("dimension", sort=True):
        found = coincidences(part, clusters)
        rank, ordinal = rank_correlation(found, rng=rng), krippendorff_alpha(found, rng=rng)
        ac = gwet_ac(found, weighted=len(found.levels) > 2, rng=rng)
        state, reason = _state(str(dimension), found, rank)
        counts = (found.answers, found.twice, part.rater.nunique())
        rows.append((dimension, *counts, rank, ordinal, ac, rater_overlap(part), state, reason))
    return pd.DataFrame(rows, columns=COLUMNS)


def rater_overlap(labels: pd.DataFrame) -> str:
    """Which raters of one dimension share answers: `none`, `every pair`, `star` (every shared answer is one
    rater's, whose strictness cannot be told from that of the others' questions), `connected` (some pairs,
    which link all raters) or `apart` (not all are linked)."""
    read = pd.crosstab([labels["case_id"], labels["system"]], labels["rater"]).to_numpy() > 0
    linked = (read.T.astype(int) @ read.astype(int)) > 0
    pairs, partners = int(linked.sum() - len(linked)) // 2, linked.sum(axis=0) - 1
    if not pairs:
        return "none"
    if (partners == len(linked) - 1).all():
        return "every pair"
    if partners.max() == pairs == len(linked) - 1:
        return "star"
    return "connected" if connected_components(linked, directed=False)[0] == 1 else "apart"


def sufficiency(found: pd.DataFrame, *, independent: str = "unstated") -> pd.Series:
    """Whether agreement is sufficient, of each row of `label_reliability`; of raters who are not
    `independent` (yes, no, unstated) it never is. ParameterError of another word."""
    parameter_ranges.check("raters_independent", independent, "one of yes, no, unstated")
    words = SUFFICIENT | ({"carried": "not independent"} if independent == "no" else {})
    return found["state"].map(words)


def alphas(found: pd.DataFrame) -> dict[str, str]:
    """Krippendorff's alpha of each dimension with its interval, as text; of the rows of `label_reliability`
    that two raters judged."""
    rows = [(row.dimension, row.krippendorff_alpha) for row in found.itertuples() if row.twice]
    return {name: interval_text(one.value, one.low, one.high) for name, one in rows}


def between_raters(labels: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """Agreement of every pair of raters on every dimension they share; one row each, sorted;
    columns PAIR_COLUMNS.

    kind : cohen for a 0-1 scale, quadratic for a longer one. No row when no answer was labelled twice.
    """
    rows = []
    for dimension, part in labels.groupby("dimension", sort=True):
        wide = part.pivot(index=["case_id", "system"], columns="rater", values="label").sort_index()
        scale = _scale(part)
        for one, other in combinations(sorted(wide.columns), 2):
            pair = wide[[one, other]].dropna()
            if len(pair):
                found = _pair(pair[one].to_numpy(), pair[other].to_numpy(), scale, rng)
                rows.append((dimension, one, other, *found))
    return pd.DataFrame(rows, columns=PAIR_COLUMNS)


def disagreements(labels: pd.DataFrame) -> pd.DataFrame:
    """Answers labelled unlike by different raters, widest first; columns UNLIKE_COLUMNS.

    `given` reads `rater: label; rater: label`, raters sorted; ties in spread are sorted by dimension, case
    and system.
    """
    keys = ["dimension", "case_id", "system"]
    known = labels.dropna(subset=["label"]).sort_values([*keys, "rater"])
    rows = []
    for (dimension, case, system), part in known.groupby(keys, sort=True):
        low, high = part["label"].min(), part["label"].max()
        if low < high:
            rows.append((case, system, dimension, low, high, high - low, _given(part)))
    table = pd.DataFrame(rows, columns=UNLIKE_COLUMNS)
    return table.sort_values("spread", ascending=False, kind="stable", ignore_index=True)


def _state(dimension: str, found: Coincidences, rank: Interval) -> tuple[str, str]:
    if found.twice < FEWEST_TWICE:
        return "not_assessable", f"{found.twice} answers labelled twice on {dimension}, {FEWEST_TWICE} needed"
    if np.isnan(rank.value):
        return "not_assessable", f"agreement on {dimension} not known: {rank.reason}"
    correlation = f"two raters' rank correlation on {dimension} is {rank}"
    if not rank.low >= LEAST_CORRELATION:
        return "refused", f"{correlation}, lower bound below {LEAST_CORRELATION:g}"
    return "carried", correlation


def _scale(labels: pd.DataFrame) -> tuple[float, float]:
    if "scale" in labels:
        return scale_ends(str(labels["scale"].iloc[0]))
    return float(labels["label"].min()), float(labels["label"].max())


def _pair(one: NDArray, other: NDArray, scale: tuple[float, float], rng: np.random.Generator) -> tuple:
    alike = raw_agreement(one, other)
    nominal = scale == (0.0, 1.0)
    kappa = cohen_kappa(one, other, rng=rng) if nominal else weighted_kappa(one, other, rng=rng)
    found = (alike.n, alike.value, alike.low, alike.high, kappa.value, kappa.low, kappa.high)
    return *found, "cohen" if nominal else "quadratic", kappa.reason


def _given(part: pd.DataFrame) -> str:
    return "; ".join(f"{rater}: {label:g}" for rater, label in zip(part["rater"], part["label"], strict=True))
