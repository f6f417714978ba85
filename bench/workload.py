"""Answers to measure speed on: drawn from the bundled bank's documents with a seed, so that the number of
unique sentences is known."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay import documents, provenance

PASSAGES = 4  # retrieved for an answer, as by the bundled assistant


def passages() -> pd.DataFrame:
    """The bank's English chunks: chunk_id, text, and their sentences."""
    read, _ = documents.load(provenance.source("bundled:documents"))
    chunks = documents.chunk(read)
    chunks = chunks[chunks["language"] == "en"]
    return chunks.assign(sentences=[documents.sentences(text) for text in chunks["text"]])[
        ["chunk_id", "text", "sentences"]
    ]


def answers(chunks: pd.DataFrame, n: int, seed: int = 0, *, own_words: bool = True) -> Iterator[dict]:
    """Answers of one to three sentences with citations, each to a question about one of its four passages.

    own_words : every question and answer sentence is new, made of two halves of the passages'; else they are
        quoted, and only the passages' sentences have to be encoded, however many answers there are
    """
    rng, rows = np.random.default_rng(seed), chunks.to_dict("records")
    for number in range(n):
        found = [rows[place] for place in rng.choice(len(rows), PASSAGES, replace=False)]
        ids, texts = [row["chunk_id"] for row in found], [row["text"] for row in found]
        drawn = [(row["chunk_id"], _drawn(rng, row), _drawn(rng, row)) for row in found]
        said = [(one, _mixed(first, second) if own_words else first) for one, first, second in drawn]
        yield {
            "case_id": str(number),
            "system": "bench",
            "question": said[-1][1],
            "answer": " ".join(f"{text} [{one}]" for one, text in said[: 1 + number % 3]),
            "contexts": texts,
            "context_ids": ids,
            "reference_answer": found[0]["sentences"][0],
            "reference_chunk_ids": ids[:1],
            "answerable": True,
        }


def _drawn(rng: np.random.Generator, row: dict) -> str:
    return row["sentences"][int(rng.integers(len(row["sentences"])))]


def _mixed(first: str, second: str) -> str:
    """The first half of one sentence and the second half of another."""
    head, tail = first.split(), second.split()
    return " ".join([*head[: (len(head) + 1) // 2], *tail[len(tail) // 2 :]])
