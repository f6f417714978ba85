"""Which questions are taken: so many per topic, types in turn,
facts and passages not yet asked about first."""

import numpy as np
import pandas as pd

from ragassay.cases import case_sampling
from ragassay.cases.question_filter import share_of


def draw_questions(
    passed: list[dict],
    chunks: pd.DataFrame,
    n: int,
    allocation: str,
    weights: dict[str, float] | None,
    rng: np.random.Generator,
) -> list[dict]:
    """n rows over the topics, in the order of the topics;
    a topic's share follows its passages, not its candidates."""
    names = chunks["topic"].fillna("").astype(str) if "topic" in chunks else pd.Series([""] * len(chunks))
    sizes = dict.fromkeys(sorted(names.unique()), 0)
    topics: dict[str, list[dict]] = {name: [] for name in sizes}
    for row in passed:
        topics[row["topic"] or ""].append(row)
    sizes = {name: len(inside) for name, inside in topics.items()}
    passages = {str(name): float(count) for name, count in names.value_counts().items()}
    how, shares = (
        ("equal", None)
        if allocation == "equal"
        else ("weighted", weights if allocation == "weighted" else passages)
    )
    counts = case_sampling.allocate(sizes, n, how, shares)
    return [row for name in sorted(counts) for row in take_turns(topics[name], counts[name], rng)]


def take_turns(inside: list[dict], count: int, rng: np.random.Generator) -> list[dict]:
    """`count` rows of a topic in an order settled by the seed: a fact is asked twice only when none is new,
    looser rules (a higher `rank`) come behind the others, types of question take turns, then patterns, then
    passages.
    """
    shuffled = [inside[i] for i in rng.permutation(len(inside))]
    used: dict[tuple, int] = {}
    chosen: list[dict] = []
    while len(chosen) < count:
        best = min(range(len(shuffled)), key=lambda i: [*_turn(shuffled[i], used), i])
        row = shuffled.pop(best)
        for key in _keys(row):
            used[key] = used.get(key, 0) + 1
        chosen.append(row)
    return chosen


def _turn(row: dict, used: dict[tuple, int]) -> list[int]:
    """What is compared to find the next: how often its fact was asked, its rank, how often its type was."""
    fact, *others = (used.get(key, 0) for key in _keys(row))
    return [fact, row.get("rank", 0), *others]


def _keys(row: dict) -> list[tuple]:
    return [
        ("fact", row["fact"]),
        ("type", row["query_type"]),
        ("family", row["family"]),
        ("passage", row["chunk_id"]),
    ]


LEVELS = ("easy", "medium", "hard")
STEPS = {"factual": 0, "yes_no": 0, "multiple_choice": 0, "open": 1, "inference": 1, "multi_hop": 2}
NEAR = 0.6  # share of the question's words that its answer holds


def difficulty_level(row: dict) -> str:
    """easy, medium or hard: one step up for an open question or an inference, two for two passages; one more
    where the passage says it in other words, where a list is asked for, where a stated figure is wrong, and
    for what the documents do not hold.
    """
    silent = not row["answerable"]
    far = not silent and share_of(row["stem"], row["reference_answer"]) < NEAR
    more = (
        (len(row["reference_chunk_ids"]) > 1)
        + far
        + (row["answer_type"] == "multi_step")
        + (row["key_fact"] == "no")
        + 2 * silent
    )
    return LEVELS[min(STEPS[row["query_type"]] + more, 2)]
