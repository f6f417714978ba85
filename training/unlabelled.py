"""Pairs of texts whose label nobody gave, on which one head can learn what others say (taught.py).

Sentences of judged answers with their evidence, as the metrics read them, with the one nearest sentence, and
with the passages of the next answer; sentences of the bundled bank and of those passages with the sentence
nearest to them in the same text, near but seldom the same; and pairs that people judged or a machine
labelled, the other way round. There is nothing of nli/dev, nor of the premises that training/entailment.py
keeps to measure on.
"""

import random
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

import data
import entailment
import support
import whole_answers
from entailment import Pair

SEED, EACH = 0, 12_000  # most pairs of one kind
LONGEST, FEWEST = 12, 2  # sentences of an answer that are read; of a text that has neighbours


def pairs(folder: Path) -> list[Pair]:
    """All of them, each once, at most EACH of a kind, without a label."""
    cases = [case for case in support.cases(folder) if _has_both(case)]
    kinds = (_alone(cases), _of_the_next(cases), _near(cases), _turned(folder), _automatic(folder))
    kept = {premise for premise, *_ in entailment.human(folder)[1]}
    found = [pair for kind in kinds for pair in _some(kind) if not kept & set(pair)]
    return list(dict.fromkeys((*pair, "") for pair in found))


def of_answers(folder: Path) -> list[Pair]:
    """Sentences of judged answers with their evidence, each once, without a label."""
    found = [(*pair, "") for read, _ in whole_answers.items(folder) for pair in read]
    random.Random(SEED + 1).shuffle(found)
    return list(dict.fromkeys(found))


def _has_both(case: support.Case) -> bool:
    return bool(case.material.answer_sentences and case.material.context_sentences)


def _some(found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    kept = list(dict.fromkeys(found))
    random.Random(SEED).shuffle(kept)
    return kept[:EACH]


def _held(case: support.Case, against: support.Case, most: int) -> list[tuple[str, str]]:
    """The sentences of an answer, each with the nearest of another's passages."""
    from ragassay.scores.families import inference
    from ragassay.scores.shared_instruments import Tools

    said = case.material.answer_sentences[:LONGEST]
    return inference.premise_pairs(said, against.material.context_sentences, Tools(), most)


def _alone(cases: Sequence[support.Case]) -> list[tuple[str, str]]:
    return [pair for case in cases for pair in _held(case, case, 1)]


def _of_the_next(cases: Sequence[support.Case]) -> list[tuple[str, str]]:
    beside = zip(cases, [*cases[1:], cases[0]], strict=True)
    return [pair for case, other in beside for pair in _held(case, other, 3)]


def _near(cases: Sequence[support.Case]) -> list[tuple[str, str]]:
    """Each sentence of a text with the sentence of the same text that is nearest to it."""
    from ragassay import documents, provenance

    texts, _ = documents.load(provenance.source("bundled:documents"))
    read = [documents.sentences(text) for text in texts["text"]]
    read += [[one.text for one in case.material.context_sentences] for case in cases]
    return [pair for sentences in read for pair in _neighbours(list(dict.fromkeys(sentences)))]


def _neighbours(sentences: Sequence[str]) -> list[tuple[str, str]]:
    from ragassay import models

    if len(sentences) < FEWEST:
        return []
    vectors = models.encode(sentences)
    nearness = vectors @ vectors.T - 2 * np.eye(len(sentences))
    return [(sentences[place], sentences[i]) for i, place in enumerate(nearness.argmax(axis=1))]


def _turned(folder: Path) -> list[tuple[str, str]]:
    learn, _ = entailment.human(folder)
    return [(hypothesis, premise) for premise, hypothesis, _ in learn]


def _automatic(folder: Path) -> list[tuple[str, str]]:
    """What a machine labelled, both ways round: its labels are not used."""
    rows = data.read(folder / "nli/train.jsonl.gz")
    asked = [(row["premise"], row["hypothesis"]) for row in rows if row["source"] == entailment.AUTOMATIC]
    return list(chain(asked, ((hypothesis, premise) for premise, hypothesis in asked)))
