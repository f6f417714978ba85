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
from ragassay.diff.case_pairs import QUESTIONS, Pairs
from ragassay.diff.run_side import Side
from ragassay.scores import display_names
from ragassay.stats import benjamini_hochberg, same_shares, same_vectors, share_distance
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

TOPIC, WORDING = "topic", "wording"
FACTORS = ("origin", "kind", "query_type", "answer_type", "answerable", "language", "segment")
NOT_GIVEN, ELSEWHERE = "not stated", "no passage"
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
    base, sides = random_base(rng), []
    for cases in (pairs.cases_a, pairs.cases_b):
        asked = cases[cases["part"] == QUESTIONS].reset_index(drop=True)
        sides.append(asked.assign(cluster=case_clusters(asked).to_numpy(dtype=object)))
    vectors = [models.encode(side["question"].astype(str).tolist()) for side in sides]
    sides = _with_topics(sides, vectors, b)
    chosen = [name for name in (*FACTORS, TOPIC) if all(name in side for side in sides)]
    columns = [_column(name, sides, random_stream(base, name)) for name in chosen]
    rows, levels = [row for row, _ in columns], [level for _, of_one in columns for level in of_one]
    rows += [_wording(sides, vectors, random_stream(base, WORDING))] if min(map(len, sides)) else []
    found = pd.DataFrame(rows, columns=COLUMNS)
    q = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    return found.assign(q=q), pd.DataFrame(levels, columns=LEVELS)


def _with_topics(sides: list[pd.DataFrame], vectors: list, b: Side) -> list[pd.DataFrame]:
    passages = b.read_rows("chunks", "strata", needs=("text", TOPIC))
    if passages.empty:
        return [side.drop(columns=TOPIC, errors="ignore") for side in sides]
    known, topics = (
        models.encode(passages["text"].astype(str).tolist()),
        passages[TOPIC].astype(str).to_numpy(),
    )
    nearest = [(found @ known.T).argmax(axis=1) if len(found) else [] for found in vectors]
    return [side.assign(**{TOPIC: topics[rows]}) for side, rows in zip(sides, nearest, strict=True)]


def _tested(sides: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """What is held against each other: of either side its own questions, else those of both."""
    # shared is a question that, or another of whose cluster, was asked in both runs
    shared = [side["cluster"].isin(side.loc[side["shared"].astype(bool), "cluster"]) for side in sides]
    alone = [side[~is_shared] for side, is_shared in zip(sides, shared, strict=True)]
    if not any(map(len, alone)):
        return []
    return [own if len(own) else side for own, side in zip(alone, sides, strict=True)]


def _column(name: str, sides: list[pd.DataFrame], rng: np.random.Generator) -> tuple[tuple, list[tuple]]:
    """The row of a column, and a row for each of its levels; none where a side asked nothing."""
    values = [_values(side, name) for side in sides]
    levels, (n_a, n_b) = sorted({*values[0], *values[1]}), map(len, values)
    counts = [value.value_counts().reindex(levels, fill_value=0).to_numpy() for value in values]
    tested = _tested(sides)
    p, sizes = float("nan"), (0, 0)
    if tested:
        tables = []  # (clusters, levels): how many questions of each level a cluster holds
        for side in tested:
            counted = pd.crosstab(side["cluster"], _values(side, name)).sort_index()
            tables.append(counted.reindex(columns=levels, fill_value=0).to_numpy(dtype=float))
        p = same_shares(tables[0], tables[1], rng=rng)
        sizes = len(tested[0]), len(tested[1])
    distance = share_distance(counts[0], counts[1])
    row = (name, n_a, n_b, *sizes, distance, p, p, "" if tested else ALL_SHARED)
    if not n_a or not n_b:
        return row, []
    of_levels = zip(levels, counts[0], counts[0] / n_a, counts[1], counts[1] / n_b, strict=True)
    return row, [(name, *each) for each in of_levels]


def _wording(sides: list[pd.DataFrame], vectors: list, rng: np.random.Generator) -> tuple:
    tested = _tested(sides)
    sizes = [len(side) for side in sides]
    if not tested:
        return WORDING, *sizes, 0, 0, 0.0, float("nan"), float("nan"), ALL_SHARED
    chosen = [side.index.to_numpy() for side in tested]
    chosen = [r if len(r) <= AT_MOST else np.sort(rng.choice(r, AT_MOST, replace=False)) for r in chosen]
    one, other = (
        side["cluster"].to_numpy(dtype=object)[rows] for side, rows in zip(sides, chosen, strict=True)
    )
    parts = [found[rows] for found, rows in zip(vectors, chosen, strict=True)]
    distance, p = same_vectors(parts[0], parts[1], clusters=(one, other), rng=rng)
    return WORDING, *sizes, len(chosen[0]), len(chosen[1]), distance, p, p, ""


def _values(side: pd.DataFrame, name: str) -> pd.Series:
    return side[name].map(lambda value: NOT_GIVEN if is_blank(value) else str(value)).astype(object)


def topic_names(side: Side) -> dict[str, str]:
    """The name of each topic of a run, by its number; none where it has no topics."""
    return display_names.topic_words(side.read_rows("chunks", "strata", needs=("text", TOPIC)))
