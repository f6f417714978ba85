"""What `make bench` prints: ratios within one run, since this or any shared machine is noisy.

Each ratio is the median of three rounds by the clock, and by CPU time in brackets: encoding uses several
cores at once, scoring one. Answers are drawn from the bundled bank's documents with a seed.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np
import pandas as pd

from ragassay import documents, models, provenance
from ragassay.documents import text_blocks
from ragassay.scores import METRICS, score
from ragassay.scores.prepared_answer import samples

ANSWERS, ROUNDS = 240, 3
PASSAGES = 4  # retrieved for an answer, as by the bundled assistant
HCAT = [metric for metric in METRICS.values() if metric.source.startswith("HCAT")]
FUNCTIONALITY = [metric.name for metric in HCAT if metric.family in ("similarity", "transport", "retrieval")]
SIMILARITY = [metric.name for metric in HCAT if metric.family == "similarity"]


Spent = tuple[float, float]  # seconds by the clock, and of the processors


def passages() -> pd.DataFrame:
    """The bank's English chunks: chunk_id, text, and their sentences."""
    read, _ = documents.load(provenance.source("bundled:documents"))
    chunks = documents.chunk(read)
    chunks = chunks[chunks["language"] == "en"]
    return chunks.assign(sentences=[documents.sentences(text) for text in chunks["text"]])


def answers(chunks: pd.DataFrame, n: int, seed: int = 0) -> Iterator[dict]:
    """Answers of one to three sentences with citations, each to a question about one of its four passages;
    every question and answer sentence is new, made of two halves of the passages'."""
    rng, rows = np.random.default_rng(seed), chunks.to_dict("records")

    def drawn(row: dict) -> str:
        return row["sentences"][int(rng.integers(len(row["sentences"])))]

    for number in range(n):
        found = [rows[place] for place in rng.choice(len(rows), PASSAGES, replace=False)]
        said = []
        for row in found:
            first, second = drawn(row).split(), drawn(row).split()
            said.append(" ".join([*first[: (len(first) + 1) // 2], *second[len(second) // 2 :]]))
        ids = [row["chunk_id"] for row in found]
        cited = [f"{text} [{one}]" for text, one in zip(said, ids, strict=True)]
        yield {
            "case_id": str(number),
            "system": "bench",
            "question": said[-1],
            "answer": " ".join(cited[: 1 + number % 3]),
            "contexts": [row["text"] for row in found],
            "context_ids": ids,
            "reference_answer": found[0]["sentences"][0],
            "reference_chunk_ids": ids[:1],
            "answerable": True,
        }


def unique_sentences(table: pd.DataFrame) -> list[str]:
    """The sentences of all answers, questions and contexts."""
    found = set[str]()
    for one in samples(table, {}):
        parts = (*one.answer_sentences, *one.question_sentences, *one.context_sentences)
        found |= {sentence.text for sentence in parts}
    return sorted(found)


def spent(action: Callable[[], object], times: int = 1) -> list[Spent]:
    """What an action takes each time, the first with an empty cache: no vector and no text's sentences are
    known beforehand."""
    found = []
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, RAGASSAY_CACHE=folder):
        text_blocks.pieces.cache_clear()
        for _ in range(times):
            wall, cpu = time.perf_counter(), time.process_time()
            action()
            found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return found


def show(what: str, pairs: list[tuple[Spent, Spent]], target: str = "") -> None:
    """Print the median ratio of pairs of times."""
    wall, cpu = (statistics.median(above[i] / below[i] for above, below in pairs) for i in (0, 1))
    print(f"{what}: {wall:.2f} (CPU time {cpu:.2f}){f'; target {target}' if target else ''}", flush=True)


def over_encoding(table: pd.DataFrame, metrics: list[str], rounds: int) -> list[tuple[Spent, Spent]]:
    """Scoring and bare encoding of the same sentences, both from nothing, in turn."""
    sentences = unique_sentences(table)
    return [
        (spent(lambda: score(table, metrics=metrics))[0], spent(lambda: models.encode(sentences))[0])
        for _ in range(rounds)
    ]


def main() -> None:
    """Print every ratio."""
    chunks = passages()
    table = pd.DataFrame(answers(chunks, ANSWERS))
    # libraries and networks are loaded before the clock runs
    spent(lambda: score(table.head(2), metrics=FUNCTIONALITY))
    print(f"{ANSWERS} answers, {len(unique_sentences(table)):,} unique sentences; {os.cpu_count()} cores")
    name = f"scoring by {len(FUNCTIONALITY)} HCAT functionality metrics over bare encoding"
    show(name, over_encoding(table, FUNCTIONALITY, ROUNDS), "at most 1.1")
    cold_and_warm = [spent(lambda: score(table, metrics=SIMILARITY), times=2) for _ in range(ROUNDS)]
    show(f"{len(SIMILARITY)} similarity metrics, cold over warm", cold_and_warm, "at least 50")


if __name__ == "__main__":
    main()
