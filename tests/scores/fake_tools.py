"""Instruments by rule instead of models, for fast tests: deterministic, and simple enough to work out by hand."""

import re

import numpy as np
from numpy.typing import NDArray

from ragassay.models import Entailment, Entity
from ragassay.scores.metric import Tools
from ragassay.scores.prepared_answer import Sample, Sentence

WORD = re.compile(r"\w+")
NAMED = re.compile(r"\b(?:(Mr|Mrs|Dr) )?([A-Z][a-z]+(?: [A-Z][a-z]+)+)\b")
PLACES = {"Port Alder", "New York"}


def encode(texts: list[str]) -> NDArray:
    """Counts of words hashed to 64 places, of length 1: texts that share words are near."""
    vectors = np.zeros((len(texts), 64))
    for row, text in enumerate(texts):
        for word in WORD.findall(text.lower()) or ["?"]:
            vectors[row, sum(map(ord, word)) % 64] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def entail(pairs: list[tuple[str, str]]) -> Entailment:
    """Entailed 0.9 if all words of the hypothesis are in the premise; contradicted 0.9 if only one side holds "not"; else neutral 0.9."""
    rows = []
    for premise, hypothesis in pairs:
        held, said = set(WORD.findall(premise.lower())), set(WORD.findall(hypothesis.lower()))
        kind = 2 if ("not" in held) != ("not" in said) else 0 if said <= held else 1
        rows.append([0.9 if place == kind else 0.05 for place in range(3)])
    probabilities = np.array(rows).reshape(len(pairs), 3)
    z = np.log(probabilities[:, 0]) - np.log(probabilities[:, 1:]).mean(axis=1)
    return Entailment(probabilities, z, z / 2)


def toxic(texts: list[str]) -> NDArray:
    return np.array([0.9 if "idiot" in text.lower() else 0.1 for text in texts])


def acceptable(texts: list[str]) -> NDArray:
    return np.array(
        [0.9 if text[:1].isupper() and text.rstrip().endswith((".", "?", "!")) else 0.2 for text in texts]
    )


def entities(texts: list[str]) -> list[list[Entity]]:
    """Two and more capitalised words: a place if listed, an organisation if they end in Bank, else a person."""
    return [[_entity(match) for match in NAMED.finditer(text)] for text in texts]


def _entity(match: re.Match[str]) -> Entity:
    name = match[2]
    kind = "place" if name in PLACES else "organisation" if name.endswith("Bank") else "person"
    return Entity(kind, name, match.start(2), match.end(2))


def tokens(texts: list[str]) -> list[NDArray]:
    return [encode(WORD.findall(text)) if WORD.findall(text) else np.empty((0, 64)) for text in texts]


def premise_spans(asked: list[tuple[tuple[str, ...], str]]) -> list[list[tuple[int, int]]]:
    """Two sentences to a premise."""
    return [[(start, min(start + 2, len(those))) for start in range(0, len(those), 2)] for those, _ in asked]


INSTRUMENTS = {
    "encode": encode,
    "entail": entail,
    "entail_shipped": entail,
    "toxic": toxic,
    "acceptable": acceptable,
    "entities": entities,
    "tokens": tokens,
    "premise_spans": premise_spans,
}


class FakeTools(Tools):
    """Tools over the rules above; keyword arguments replace one of them."""

    def __init__(self, **instruments):
        super().__init__(**(INSTRUMENTS | instruments))


def with_vectors(words=None, **sides) -> tuple[Sample, FakeTools]:
    """A sample whose sentences have the vectors given, by side (answer, question, context), and the tools that say so.

    Every sentence has one word, or as many as `words` says, which is how it is weighted.
    """
    known, sentences = {}, {}
    for side, vectors in sides.items():
        texts = [
            f"{side}{row}" + " word" * ((words or {}).get(side, [1] * 99)[row] - 1)
            for row in range(len(vectors))
        ]
        known |= dict(zip(texts, np.asarray(vectors, dtype=float), strict=True))
        sentences[f"{side}_sentences"] = [Sentence(text) for text in texts]
    sample = Sample("c1", "s")
    vars(sample).update(sentences)  # as if they had been cut already
    return sample, FakeTools(encode=lambda asked: np.array([known[text] for text in asked]))
