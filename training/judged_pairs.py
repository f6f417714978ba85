"""Pairs from the answers over passages that we wrote and judged sentence by sentence (judged_answers/).

The metrics hold a sentence against those of the passages that are nearest to it; here it stands beside fewer
of them, as many and more, and beside the passages whole. No answer in the files HELD is learned by any
head, so that reading can be measured on them; the passages of all files are read beside each other, without
a label, and 23 sentences of those answers stand in passages word for word.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from entailment import Pair
from ragassay import documents
from ragassay.scores.families.similarity import choose_premises
from ragassay.scores.metric import Tools

FOLDER = Path(__file__).parent / "judged_answers"
HELD = ("rules", "technical")  # of ten files, drawn once at random
LABELS = {"S": "entailment", "N": "neutral", "C": "contradiction"}
ONE, FEW, SEVERAL, WHOLE = 1, 3, 5, 0  # sentences of a premise, 0: the passages whole
FEWEST = 5  # sentences of passages that are read beside each other
CROSSED, DRAW = 6_000, 1
SOURCE = {
    "name": "sentences of answers over passages, judged by us (training/judged_answers, eight of ten files)",
    "licence": "ours",
}


class Sentence(NamedTuple):
    """A sentence of an answer, its label, and its premises by the number of their sentences."""

    text: str
    label: str
    premises: Mapping[int, str]


def answers(tools: Tools) -> list[Sentence]:
    """The sentences of all answers that are learned from."""
    return [one for file, row in rows() if file not in HELD for one in _sentences(row, tools)]


def rows() -> Iterator[tuple[str, dict]]:
    """File and row of every set of passages with its answers."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.stem, json.loads(line)


def _sentences(row: dict, tools: Tools) -> list[Sentence]:
    said = [(text, LABELS[verdict]) for answer in row["answers"] for text, verdict in answer]
    texts, passages = [text for text, _ in said], _passage_sentences(row)
    of = {count: _nearest(texts, passages, tools, count) for count in (ONE, FEW, SEVERAL)}
    of[WHOLE] = [" ".join(row["passages"])] * len(said)
    return [Sentence(*one, {count: of[count][i] for count in of}) for i, one in enumerate(said)]


def _nearest(texts: Sequence[str], passages: Sequence[str], tools: Tools, count: int) -> list[str]:
    return [premise for premise, _ in choose_premises(texts, passages, tools, count)]


def _passage_sentences(row: dict) -> list[str]:
    return [sentence for passage in row["passages"] for sentence in documents.sentences(passage)]


def labelled(sentences: Sequence[Sentence], *counts: int) -> list[Pair]:
    """Every sentence with its premise of each of these numbers of sentences."""
    return [(one.premises[count], one.text, one.label) for count in counts for one in sentences]


def beside(tools: Tools) -> list[Pair]:
    """Every sentence of the passages of a row with the FEW of the others nearest to it, without a label."""
    read = [_passage_sentences(row) for _, row in rows()]
    return [pair for sentences in read if len(sentences) >= FEWEST for pair in _neighbours(sentences, tools)]


def _neighbours(sentences: Sequence[str], tools: Tools) -> Iterator[Pair]:
    for place, text in enumerate(sentences):
        others = [*sentences[:place], *sentences[place + 1 :]]
        yield _nearest([text], others, tools, FEW)[0], text, ""


def crossed(sentences: Sequence[Sentence], most: int = CROSSED) -> list[Pair]:
    """Sentences with the premises of others, both drawn at random, without a label."""
    draw = np.random.default_rng(DRAW)
    premises, texts = (draw.permutation(len(sentences))[:most] for _ in range(2))
    return [(sentences[i].premises[FEW], sentences[j].text, "") for i, j in zip(premises, texts, strict=True)]
