"""Whether there are enough cases: per topic, and for what one wants to see."""

from itertools import count
from math import nan, sqrt

import pandas as pd

from ragassay.defaults import HALF_WIDTH
from ragassay.stats.intervals import NORMAL_80, NORMAL_975, expected_half_width, zero_event_bound
from ragassay.tables import ANSWER_TYPES, QUERY_TYPES

SHARE = 0.8  # of good answers expected


def adequacy(cases: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """The topics, and for each: n_cases, counts by answer and query type, uncovered (no case), half_width of
    the 95 % interval around a share of 0.8 (NaN without a case), needed (cases more until it is HALF_WIDTH).

    Variants (cases with a parent), unanswerable questions and those from a database are not counted: they
    test no passage of their own.
    """
    own = cases[cases["parent_id"].isna() & cases["answerable"].astype(bool) & (cases["kind"] != "grounded")]

    def counts(rows: pd.DataFrame) -> pd.Series:
        return topics["topic"].map(rows["topic"].value_counts()).fillna(0).astype(int)

    table = topics.assign(n_cases=counts(own))
    for column, values in (("answer_type", ANSWER_TYPES), ("query_type", QUERY_TYPES)):
        for value in values:
            if value != "no_answer":
                table[value] = counts(own[own[column] == value])
    enough = next(n for n in count(1) if expected_half_width(SHARE, n) <= HALF_WIDTH)
    return table.assign(
        uncovered=table["n_cases"] < 1,
        half_width=[round(expected_half_width(SHARE, n), 4) for n in table["n_cases"]],
        needed=(enough - table["n_cases"]).clip(lower=0),
    )


def power(numbers: pd.Series) -> pd.DataFrame:
    """What so many cases can show: a row a part, with its number n.

    numbers : n of each part, by its name

    Returns
    -------
    The index of `numbers`; n; half_width to be expected of the exact 95 % interval around 0.8; fall, see
    `minimum_detectable_effect`; bound, the largest rate that no failure among n leaves possible (upper end of
    the exact 95 % interval).

    Source
    ------
    Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, section 4.2 (no continuity
    correction).
    """
    table = numbers.rename("n").to_frame()
    return table.assign(
        half_width=[expected_half_width(SHARE, n) for n in table["n"]],
        fall=[minimum_detectable_effect(SHARE, n) for n in table["n"]],
        bound=[zero_event_bound(n) if n else nan for n in table["n"]],
    ).round(4)


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
