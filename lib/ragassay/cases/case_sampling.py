"""How many cases each topic gets; which questions; and whether there are enough (HCAT section 2, step 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from math import nan, sqrt

import numpy as np
import pandas as pd

from ragassay.defaults import HALF_WIDTH
from ragassay.stats.intervals import NORMAL_80, NORMAL_975, expected_half_width, zero_event_bound

Allocation = str | Mapping[str, float]
KEYS = ("fact", "query_type", "family", "chunk_id")  # what questions of a topic should differ in, by weight
SHARE = 0.8  # of good answers expected


def allocate(sizes: Mapping[str, int], n: int, allocation: Allocation = "proportional") -> dict[str, int]:
    """Rows to draw per topic: they add up to min(n, all rows), none above its topic's size.

    One per topic that has rows and a share, where n allows; each further one to the topic whose share divided
    by 2 * (its rows so far) + 1 is largest (Sainte-Laguë); ties to the larger topic, then the first name.

    Parameters
    ----------
    sizes : rows per topic, 0 or more
    n : rows wanted, 0 or more
    allocation : "proportional" to sizes, "equal", or a weight for each topic, 0 or more; a topic of weight 0
        is asked only when all others are full

    Raises
    ------
    ValueError
        If a size or n is negative, the allocation is another word, or a weight is missing or negative.

    Source
    ------
    HCAT section 2, step 4.
    """
    if n < 0 or any(size < 0 for size in sizes.values()):
        raise ValueError(f"sizes and n must be 0 or more; found n={n}, sizes={dict(sizes)}")
    named: dict[str, Mapping[str, float]] = {"proportional": sizes, "equal": dict.fromkeys(sizes, 1.0)}
    if isinstance(allocation, str) and allocation not in named:
        raise ValueError(f"allocation {allocation!r} is unknown; allowed: {', '.join(named)}, or weights")
    shares = named[allocation] if isinstance(allocation, str) else allocation
    for name in sizes:
        if not 0 <= shares.get(name, -1) < float("inf"):
            raise ValueError(f"topic {name!r} needs a finite weight of 0 or more; found {shares.get(name)}")
    counts = dict.fromkeys(sorted(sizes), 0)

    def claim(name: str) -> tuple[bool, float, int]:
        unserved = bool(shares[name]) and not counts[name]
        return unserved, shares[name] / (2 * counts[name] + 1), sizes[name]

    for _ in range(min(n, sum(sizes.values()))):
        counts[max((name for name in counts if counts[name] < sizes[name]), key=claim)] += 1
    return counts


def draw_questions(
    rows: Sequence[dict], chunks: pd.DataFrame, n: int, allocation: Allocation, rng: np.random.Generator
) -> list[dict]:
    """At most n of the rows (with topic and KEYS) over the topics, in the order of the topics' names; a
    topic's share follows its passages, not its rows.

    Within a topic the order is settled by the seed: a fact is asked twice only when none is new, `loose` rows
    come behind the others, types of question take turns, then patterns, then passages.
    """
    names = chunks["topic"].fillna("").astype(str) if "topic" in chunks else pd.Series([""] * len(chunks))
    topics: dict[str, list[dict]] = {str(name): [] for name in sorted(names.unique())}
    for row in rows:
        topics[row["topic"] or ""].append(row)
    if allocation == "proportional":
        allocation = {str(name): float(count) for name, count in names.value_counts().items()}
    counts = allocate({name: len(inside) for name, inside in topics.items()}, n, allocation)
    chosen: list[dict] = []
    for name, inside in topics.items():
        left, used = [inside[i] for i in rng.permutation(len(inside))], Counter[tuple]()
        for _ in range(counts[name]):
            ranks = []
            for i, row in enumerate(left):
                fact, *others = (used[key, row[key]] for key in KEYS)
                ranks.append((fact, row.get("loose", False), *others, i))
            chosen.append(left.pop(min(ranks)[-1]))
            used.update((key, chosen[-1][key]) for key in KEYS)
    return chosen


def adequacy(cases: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """The topics, and for each: n_cases, uncovered (no case), half_width of the 95 % interval around a share
    of 0.8 (NaN without a case), needed (cases more until it is HALF_WIDTH).

    Variants (cases with a parent), unanswerable questions and those from a database are not counted: they
    test no passage of their own.
    """
    own = cases[cases["parent_id"].isna() & cases["answerable"].astype(bool) & (cases["kind"] != "grounded")]
    n_cases = topics["topic"].map(own["topic"].value_counts()).fillna(0).astype(int)
    enough = next(n for n in count(1) if expected_half_width(SHARE, n) <= HALF_WIDTH)
    return topics.assign(
        n_cases=n_cases,
        uncovered=n_cases < 1,
        half_width=[round(expected_half_width(SHARE, n), 4) for n in n_cases],
        needed=(enough - n_cases).clip(lower=0),
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
        spread = NORMAL_975 * sqrt(2 * middle * (1 - middle)) + NORMAL_80 * sqrt(p * (1 - p) + q * (1 - q))
        return spread - fall * sqrt(n)

    return float(brentq(missing, 1e-9, p)) if missing(p) <= 0 else float("nan")
