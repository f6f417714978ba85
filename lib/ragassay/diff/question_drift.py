"""Whether the questions of two runs are of one kind: their columns, their topics, their wording.

Questions that both runs asked cannot drift. What is tested is what one run alone asked against what the other
alone asked; where one asked nothing of its own, against what both asked. Topics are those of B: each question
of either run belongs to the topic of the passage of B that is nearest to it, so that topics made anew do not
count as drift.
"""

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.analysis.resampling_clusters import case_clusters
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
    base, sides = random_base(rng), _questions(pairs)
    vectors = [models.encode(side["question"].astype(str).tolist()) for side in sides]
    sides = _with_topics(sides, vectors, b)
    chosen = [name for name in (*FACTORS, TOPIC) if all(name in side for side in sides)]
    rows = [_column(name, sides, random_stream(base, name)) for name in chosen]
    rows += [_wording(sides, vectors, random_stream(base, WORDING))] if min(map(len, sides)) else []
    found = pd.DataFrame(rows, columns=COLUMNS)
    levels = [row for name in chosen for row in _levels(name, sides)]
    q = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    return found.assign(q=q), pd.DataFrame(levels, columns=LEVELS)


def _questions(pairs: Pairs) -> list[pd.DataFrame]:
    """The questions of either run, each with the cluster it was drawn in."""
    sides = [
        cases[cases["part"] == QUESTIONS].reset_index(drop=True) for cases in (pairs.cases_a, pairs.cases_b)
    ]
    return [side.assign(cluster=case_clusters(side).to_numpy(dtype=object)) for side in sides]


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
    alone = [side[~_is_shared(side)] for side in sides]
    if not any(map(len, alone)):
        return []
    return [own if len(own) else side for own, side in zip(alone, sides, strict=True)]


def _is_shared(side: pd.DataFrame) -> pd.Series:
    """Whether a question, or another of its cluster, was asked in both runs."""
    return side["cluster"].isin(side.loc[side["shared"].astype(bool), "cluster"])


def _column(name: str, sides: list[pd.DataFrame], rng: np.random.Generator) -> tuple:
    values = [_values(side, name) for side in sides]
    levels = sorted({*values[0], *values[1]})
    counts = [value.value_counts().reindex(levels, fill_value=0) for value in values]
    tested = _tested(sides)
    p, sizes = float("nan"), (0, 0)
    if tested:
        groups = [sorted(side["cluster"].unique()) for side in tested]
        tables = [
            _counts(side["cluster"], _values(side, name), clusters, levels)
            for side, clusters in zip(tested, groups, strict=True)
        ]
        p = same_shares(tables[0], tables[1], rng=rng)
        sizes = len(tested[0]), len(tested[1])
    distance = share_distance(counts[0], counts[1])
    return name, len(values[0]), len(values[1]), *sizes, distance, p, p, "" if tested else ALL_SHARED


def _wording(sides: list[pd.DataFrame], vectors: list, rng: np.random.Generator) -> tuple:
    tested = _tested(sides)
    sizes = [len(side) for side in sides]
    if not tested:
        return WORDING, *sizes, 0, 0, 0.0, float("nan"), float("nan"), ALL_SHARED
    chosen = [_sampled(side.index.to_numpy(), rng) for side in tested]
    one, other = (
        side["cluster"].to_numpy(dtype=object)[rows] for side, rows in zip(sides, chosen, strict=True)
    )
    parts = [found[rows] for found, rows in zip(vectors, chosen, strict=True)]
    distance, p = same_vectors(parts[0], parts[1], clusters=(one, other), rng=rng)
    return WORDING, *sizes, len(chosen[0]), len(chosen[1]), distance, p, p, ""


def _sampled(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rows if len(rows) <= AT_MOST else np.sort(rng.choice(rows, AT_MOST, replace=False))


def _values(side: pd.DataFrame, name: str) -> pd.Series:
    return side[name].map(lambda value: NOT_GIVEN if is_blank(value) else str(value)).astype(object)


def _levels(name: str, sides: list[pd.DataFrame]) -> list[tuple]:
    """Each level's share in both runs."""
    values = [_values(side, name) for side in sides]
    levels = sorted({*values[0], *values[1]})
    counts = [value.value_counts().reindex(levels, fill_value=0).to_numpy() for value in values]
    if not len(values[0]) or not len(values[1]):
        return []
    shares = [count / count.sum() for count in counts]
    columns = (levels, counts[0], shares[0], counts[1], shares[1])
    return [(name, *row) for row in zip(*columns, strict=True)]


def _counts(groups: pd.Series, values: pd.Series, order: list[str], levels: list[str]) -> np.ndarray:
    """(groups, levels): how many questions of each level a group holds, as floats, which multiply faster."""
    counts = np.zeros((len(order), len(levels)))
    np.add.at(counts, (pd.Index(order).get_indexer(groups), pd.Index(levels).get_indexer(values)), 1)
    return counts


def topic_names(side: Side) -> dict[str, str]:
    """The name of each topic of a run, by its number; none where it has no topics."""
    return display_names.topic_words(side.read_rows("chunks", "strata", needs=("text", TOPIC)))
