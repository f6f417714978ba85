"""What `make bench` prints: ratios within one run, since this or any shared machine is noisy.

Each ratio is the median of three rounds by the clock, and by CPU time in brackets: encoding uses several
cores at once, scoring one.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pandas as pd
import usage
import workload

from ragassay import models
from ragassay.documents import sentence_splitting
from ragassay.scores import METRICS, score
from ragassay.scores.prepared_answer import samples

ANSWERS, FEW, ROUNDS = 240, 60, 3
HCAT = [metric for metric in METRICS.values() if metric.source.startswith("HCAT")]
FUNCTIONALITY = [metric.name for metric in HCAT if metric.family in ("similarity", "transport", "retrieval")]
SIMILARITY = [metric.name for metric in HCAT if metric.family == "similarity"]
ENTAILMENT = [metric.name for metric in HCAT if metric.name.startswith("groundedness_nli")]


class Spent(NamedTuple):
    """Seconds by the clock and of the processors."""

    wall: float
    cpu: float


def spent(action: Callable[[], object]) -> Spent:
    """What an action takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


@contextmanager
def empty_cache() -> Iterator[None]:
    """Nothing is known beforehand: no vector, no text's sentences."""
    with tempfile.TemporaryDirectory() as folder:
        before, os.environ["RAGASSAY_CACHE"] = os.environ.get("RAGASSAY_CACHE"), folder
        sentence_splitting._cached_pieces.cache_clear()
        try:
            yield
        finally:
            os.environ.pop("RAGASSAY_CACHE")
            os.environ.update({"RAGASSAY_CACHE": before} if before else {})


def unique_sentences(answers: pd.DataFrame) -> list[str]:
    """The sentences of all answers, questions and contexts."""
    parts = [
        part
        for one in samples(answers, {})
        for part in (one.answer_sentences, one.question_sentences, one.context_sentences)
    ]
    return sorted({sentence.text for part in parts for sentence in part})


def cold(action: Callable[[], object]) -> Spent:
    """What an action takes with an empty cache."""
    with empty_cache():
        return spent(action)


def cold_and_warm(action: Callable[[], object]) -> tuple[Spent, Spent]:
    """What an action takes with an empty cache, and when repeated."""
    with empty_cache():
        return spent(action), spent(action)


def told(what: str, over: list[tuple[Spent, Spent]], target: str = "") -> None:
    """Print the median ratio of pairs of times."""
    wall, cpu = (statistics.median(above[i] / below[i] for above, below in over) for i in (0, 1))
    print(f"{what}: {wall:.2f} (CPU time {cpu:.2f}){f'; target {target}' if target else ''}", flush=True)


def encoding(answers: pd.DataFrame, metrics: list[str], rounds: int) -> list[tuple[Spent, Spent]]:
    """Scoring and bare encoding of the same sentences, both from nothing, in turn."""
    sentences = unique_sentences(answers)
    return [
        (cold(lambda: score(answers, metrics=metrics)), cold(lambda: models.encode(sentences)))
        for _ in range(rounds)
    ]


def main() -> None:
    """Print every ratio; memory comes last, since it takes longest."""
    chunks = workload.passages()
    answers = pd.DataFrame(workload.answers(chunks, ANSWERS))
    every = [*FUNCTIONALITY, *ENTAILMENT, "bertscore_f1"]
    cold(
        lambda: score(answers.head(2), metrics=every)
    )  # libraries and networks are loaded before the clock runs
    print(
        f"{ANSWERS} answers, {workload.PASSAGES} passages each, {len(unique_sentences(answers)):,} unique "
        f"sentences; {os.cpu_count()} cores"
    )
    name = f"scoring by {len(FUNCTIONALITY)} HCAT functionality metrics over bare encoding"
    told(name, encoding(answers, FUNCTIONALITY, ROUNDS), "at most 1.1")
    told(
        f"{len(SIMILARITY)} similarity metrics, cold over warm",
        [cold_and_warm(lambda: score(answers, metrics=SIMILARITY)) for _ in range(ROUNDS)],
        "at least 50",
    )
    few = answers.head(FEW)
    told(
        f"the same with groundedness_nli*, {FEW} answers, over bare encoding",
        encoding(few, [*FUNCTIONALITY, *ENTAILMENT], 1),
    )
    usage.memory(chunks)


if __name__ == "__main__":
    main()
