"""Whether there are enough cases: per topic, and for what one wants to see."""

from bisect import bisect_left
from collections.abc import Sequence
from math import ceil, sqrt

import pandas as pd

from ragassay import parameter_ranges
from ragassay.defaults import HALF_WIDTH
from ragassay.stats.intervals import NORMAL_80, NORMAL_975, expected_half_width
from ragassay.tables import ANSWER_TYPES, QUERY_TYPES

SHARES = (0.5, 0.8, 0.95)


def adequacy(cases: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """One row per topic: topic, label, n_chunks, n_cases, counts by answer and query type, uncovered (no
    case).

    Variants (cases with a parent), unanswerable questions and those from a database are not counted: they
    test no passage of their own.
    """
    own = cases[cases["parent_id"].isna() & cases["answerable"].astype(bool) & (cases["kind"] != "grounded")]
    table = topics[["topic", "label", "n_chunks"]].copy()
    table["n_cases"] = _counts(table, own)
    for column, values in (
        ("answer_type", [v for v in ANSWER_TYPES if v != "no_answer"]),
        ("query_type", QUERY_TYPES),
    ):
        for value in values:
            table[value] = _counts(table, own[own[column] == value])
    return table.assign(uncovered=table["n_cases"] < 1)


def power(numbers: Sequence[int]) -> pd.DataFrame:
    """What n cases can show: half-width to be expected of the exact 95 % interval, and the smallest fall of a
    share that would be seen.

    Returns
    -------
    n, then for shares p = 0.50, 0.80, 0.95: half_width_p (in [0, 0.5], smaller is better) and fall_p: the
    difference p - p' between two independent groups of n found with 80 % power by a two-sided test at 5 %;
    NaN where even a fall to 0 would not be.

    Source
    ------
    Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, section 4.2 (no continuity
    correction).
    """
    rows = [
        {"n": n}
        | {f"half_width_{p:.2f}": expected_half_width(p, n) for p in SHARES}
        | {f"fall_{p:.2f}": minimum_detectable_effect(p, n) for p in SHARES}
        for n in numbers
    ]
    return pd.DataFrame(rows).round(4)


def required_sample_size(
    coverage: pd.DataFrame, width: float = HALF_WIDTH, share: float = 0.8
) -> pd.DataFrame:
    """How many questions more each topic needs before its own share is known as well as `width` says.

    Parameters
    ----------
    coverage : as `adequacy` gives it
    width : half-width of the 95 % interval wanted, in (0, 0.5): 0.15 takes 31 cases at a share of 0.8
    share : the share of good answers expected, in (0, 1)

    Returns
    -------
    topic, label, n_cases, half_width (now; NaN without a case), needed (cases more, 0 or more)
    """
    parameter_ranges.check("half_width", width, "in (0, 0.5)")
    parameter_ranges.check("share", share, "in (0, 1)")
    possible = range(ceil((1 / width + 1) ** 2))
    enough = bisect_left(possible, -width, lo=1, key=lambda n: -expected_half_width(share, n))
    now = [expected_half_width(share, n) for n in coverage["n_cases"]]
    table = coverage[["topic", "label", "n_cases"]].assign(half_width=now)
    return table.round({"half_width": 4}).assign(needed=(enough - coverage["n_cases"]).clip(lower=0))


def minimum_detectable_effect(p: float, n: int) -> float:
    """The smallest fall from p that two groups of n show with 80 % power at 5 %, two-sided;
    NaN if none does."""
    from scipy.optimize import brentq

    def missing(fall: float) -> float:
        q, middle = p - fall, p - fall / 2
        return (
            NORMAL_975 * sqrt(2 * middle * (1 - middle))
            + NORMAL_80 * sqrt(p * (1 - p) + q * (1 - q))
            - fall * sqrt(n)
        )

    return float(brentq(missing, 1e-9, p)) if missing(p) <= 0 else float("nan")


def _counts(table: pd.DataFrame, cases: pd.DataFrame) -> pd.Series:
    return table["topic"].map(cases["topic"].value_counts()).fillna(0).astype(int)
