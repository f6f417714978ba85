"""Names in texts: persons, organisations, places and addresses, each with its place among the characters."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragassay.models import cache, fixed, instrument, labels, onnx, reading
from ragassay.models.instrument import Instrument
from ragassay.models.kinds import Entity
from ragassay.models.reading import Input
from ragassay.models.remember import remembered

TEXTS = 256  # texts read between two writes to the cache
KINDS = tuple(labels.KINDS)
Word = tuple[int, int, int]  # first character, end, and the number of its label


def entities(texts: Sequence[str], model: str = "entities") -> list[list[Entity]]:
    """The entities of every text, in the order of their places; an empty text has none.

    A word's label is that of its first token; where windows of a long text overlap, that of the window in which the token stands farthest
    from an edge. A Hugging Face model finds the kinds its labels name (PER, ORG, LOC, GPE, ADDRESS).

    Parameters
    ----------
    model : "entities"; a head's file; or a Hugging Face token-classification model by name or folder

    Raises
    ------
    ModelError
        If the model is missing or none of its labels names a kind.
    """
    tool = instrument.named(model, "token")
    meanings = labels.spans(tool.labels, model)
    tool.note()
    full = [text for text in texts if text.strip()]
    known = remembered("entities", full, lambda text: cache.key(f"{tool.recipe};breaks={reading.BREAK}", text), lambda missing: _found(tool, missing))
    return [_joined(text, _unpacked(known[text]), meanings) if text.strip() else [] for text in texts]


def _found(tool: Instrument, texts: list[str]) -> Iterator[dict[str, NDArray]]:
    """The labelled words of every text, packed."""
    loaded = tool.load()

    def forward(batch: list[Input], length: int) -> list[NDArray]:
        scores = loaded.scores(reading.padded(batch, length, loaded.tokenizer.pad_token_id or 0))
        return [row.argmax(axis=1) for row in scores]

    for start in range(0, len(texts), TEXTS):
        part = texts[start : start + TEXTS]
        inputs = reading.windows(loaded.tokenizer, part, tool.limit)
        numbers, lengths = list(range(len(inputs))), [len(one.ids) for one in inputs]
        judged: dict[int, NDArray] = {}
        for done in fixed.computed(numbers, inputs, lengths, tool.limit, forward, alone=tool.ours and onnx.alone()):
            judged |= done
        of_text = defaultdict(list)
        for number in numbers:
            of_text[inputs[number].text].append((inputs[number], judged[number]))
        yield {text: _packed(_words(of_text[place])) for place, text in enumerate(part)}


def _words(windows: Sequence[tuple[Input, NDArray]]) -> list[Word]:
    """Each word of a text once: its characters and the label of its first token, seen from the window with most room around it."""
    characters: dict[int, tuple[int, int]] = {}
    for one, _ in windows:
        for _, word, (first, end) in _tokens(one):
            known = characters.get(word, (first, end))
            characters[word] = (min(first, known[0]), max(end, known[1]))
    chosen: dict[int, tuple[int, int]] = {}
    for one, judged in windows:
        for place, word, (first, _) in _tokens(one):
            room = min(place, len(one.words) - 1 - place)
            if first == characters[word][0] and room > chosen.get(word, (-1, 0))[0]:
                chosen[word] = (room, int(judged[place]))
    return [(*characters[word], label) for word, (_, label) in sorted(chosen.items())]


def _tokens(one: Input) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Place, word and characters of every token that is part of a word."""
    return ((place, word, one.characters[place]) for place, word in enumerate(one.words) if word is not None)


def _packed(words: list[Word]) -> NDArray:
    """Words as the cache keeps them: whole numbers in the bits of float32."""
    return np.array([(0, 0, 0), *words], dtype=np.int32).view(np.float32).ravel()


def _unpacked(stored: NDArray) -> list[Word]:
    return [(int(first), int(end), int(label)) for first, end, label in stored.view(np.int32).reshape(-1, 3)[1:]]


def _joined(text: str, words: Sequence[Word], meanings: Sequence[tuple[str, bool]]) -> list[Entity]:
    """Spans of words of one kind: a word that begins one, or follows another kind, begins a new span."""
    spans: list[tuple[str, int, int]] = []
    before = ""
    for first, end, label in words:
        kind, begins = meanings[label]
        if kind and kind == before and not begins:
            spans[-1] = (kind, spans[-1][1], end)
        elif kind:
            spans.append((kind, first, end))
        before = kind
    return [_entity(text, *span) for span in spans]


def _entity(text: str, kind: str, first: int, end: int) -> Entity:
    """The entity without white space at its ends."""
    inside = text[first:end]
    first += len(inside) - len(inside.lstrip())
    return Entity(kind, inside.strip(), first, first + len(inside.strip()))
