"""Whether the questions of two runs are of one kind: their columns, their topics, their wording.

Questions that both runs asked cannot drift. What is tested is what one run alone asked against what the other
alone asked; where one asked nothing of its own, against what both asked. Topics are those of B: each question
of either run belongs to the topic of the passage of B that is nearest to it, so that topics made anew do not
count as drift.
"""

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.analysis.case_scores import case_clusters
from ragassay.diff.runs import QUESTIONS, Pairs, Side
from ragassay.stats import benjamini_hochberg, same_shares, same_vectors, share_distance
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

TOPIC, WORDING = "topic", "wording"
FACTORS = ("origin", "kind", "query_type", "answer_type", "answerable", "language", "segment", TOPIC)
NOT_GIVEN = "not stated"
AT_MOST = 1500  # questions of either side whose wording is compared
ALL_SHARED = "both runs asked the same questions"
COLUMNS = ["column", "n_a", "n_b", "tested_a", "tested_b", "distance", "p", "q", "reason"]
LEVELS = ["column", "level", "n_a", "share_a", "n_b", "share_b"]


def question_drift(
    a: Side, b: Side, pairs: Pairs, *, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row per column of the questions, COLUMNS, and one per level of it, LEVELS.

    distance : of the shares of levels among all questions of A and of B (total variation, in [0, 1]); of the
        wording the energy distance of the sentence vectors of what was tested, 0 or more
    p, q : permutation test of clusters, and Benjamini-Hochberg over the columns; missing where both runs
        asked the same
    share_a, share_b : share of the level among the questions
    """
    base, passages, sides = random_base(rng), b.read_rows("chunks", "strata", needs=("text", TOPIC)), []
    for cases in (pairs.cases_a, pairs.cases_b):
        side = cases[cases["part"] == QUESTIONS].reset_index(drop=True)
        vectors = models.encode(side["question"].astype(str).tolist())
        side = side.assign(cluster=case_clusters(side).to_numpy(dtype=object), vector=list(vectors))
        sides.append(_with_topics(side, passages))
    tested, rows, levels = _tested(sides), [], []
    for name in FACTORS:
        if all(name in side for side in sides):
            row, of_levels = _column(name, sides, tested, random_stream(base, name))
            rows.append(row)
            levels += of_levels
    if min(map(len, sides)):
        rows.append(_wording(sides, tested, random_stream(base, WORDING)))
    found = pd.DataFrame(rows, columns=COLUMNS)
    q = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    return found.assign(q=q), pd.DataFrame(levels, columns=LEVELS)


def _with_topics(side: pd.DataFrame, passages: pd.DataFrame) -> pd.DataFrame:
    if passages.empty or side.empty:
        return side.drop(columns=TOPIC, errors="ignore")
    known = models.encode(passages["text"].astype(str).tolist())
    nearest = (np.stack(side["vector"]) @ known.T).argmax(axis=1)
    return side.assign(**{TOPIC: passages[TOPIC].astype(str).to_numpy()[nearest]})


def _tested(sides: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """What is held against each other: of either side its own questions, else those of both; nothing where
    both asked the same."""
    # shared is a question that, or another of whose cluster, was asked in both runs
    shared = [side["cluster"].isin(side.loc[side["shared"].astype(bool), "cluster"]) for side in sides]
    alone = [side[~is_shared] for side, is_shared in zip(sides, shared, strict=True)]
    if not any(map(len, alone)):
        return []
    return [own if len(own) else side for own, side in zip(alone, sides, strict=True)]


def _column(
    name: str, sides: list[pd.DataFrame], tested: list[pd.DataFrame], rng: np.random.Generator
) -> tuple[tuple, list[tuple]]:
    """The row of a column, and a row for each of its levels; none where a side asked nothing."""
    values = [_values(side, name) for side in sides]
    levels, (n_a, n_b) = sorted({*values[0], *values[1]}), map(len, values)
    counts = [value.value_counts().reindex(levels, fill_value=0).to_numpy() for value in values]
    p, sizes = float("nan"), (0, 0)
    if tested:  # how many questions of each level a cluster holds: (clusters, levels)
        tables = [pd.crosstab(side["cluster"], _values(side, name)).sort_index() for side in tested]
        held = [table.reindex(columns=levels, fill_value=0).to_numpy(dtype=float) for table in tables]
        p, sizes = same_shares(*held, rng=rng), (len(tested[0]), len(tested[1]))
    row = (name, n_a, n_b, *sizes, share_distance(*counts), p, p, "" if tested else ALL_SHARED)
    if not n_a or not n_b:
        return row, []
    shares = zip(levels, counts[0], counts[0] / n_a, counts[1], counts[1] / n_b, strict=True)
    return row, [(name, *level) for level in shares]


def _wording(sides: list[pd.DataFrame], tested: list[pd.DataFrame], rng: np.random.Generator) -> tuple:
    sizes = [len(side) for side in sides]
    if not tested:
        return WORDING, *sizes, 0, 0, 0.0, float("nan"), float("nan"), ALL_SHARED
    drawn = []
    for side in tested:
        rows = np.arange(len(side))
        if len(rows) > AT_MOST:
            rows = np.sort(rng.choice(rows, AT_MOST, replace=False))
        drawn.append(side.iloc[rows])
    vectors = [np.stack(side["vector"]) for side in drawn]
    clusters = tuple(side["cluster"].to_numpy(dtype=object) for side in drawn)
    distance, p = same_vectors(*vectors, clusters=clusters, rng=rng)
    return WORDING, *sizes, *map(len, drawn), distance, p, p, ""


def _values(side: pd.DataFrame, name: str) -> pd.Series:
    return side[name].map(lambda value: NOT_GIVEN if is_blank(value) else str(value)).astype(object)
