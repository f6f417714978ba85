"""Names in texts: persons, organisations, places and addresses, each with its place among the characters."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragassay.models import cache, load_instrument, tokenization
from ragassay.models.load_instrument import Instrument
from ragassay.models.tokenization import Input

TEXTS = 256  # texts read between two writes to the cache
RECIPE = f"breaks={tokenization.BREAK};chained"  # how texts are read and labels chosen
Scored = tuple[int, int, NDArray]  # a word: first character, end, and the scores of the labels
Word = tuple[int, int, int]  # first character, end, and the number of its label
Meaning = tuple[str, bool]  # of a label: its kind, "" for none, and whether it begins a span


@dataclass(frozen=True)
class Entity:
    """A name in a text, from `start` to `end`; its kind is person, organisation, place or address."""

    kind: str
    text: str
    start: int
    end: int


def entities(texts: Sequence[str], model: str = "entities") -> list[list[Entity]]:
    """The entities of every text, in the order of their places; an empty text has none.

    A word is read by its first token; where windows of a long text overlap, in the window in which the token
    stands farthest from an edge. Our own head also sees which words begin with a capital letter, takes what
    hyphens join as one word if a capital follows (Jean-Luc, not Paris-based), and of its labels the likeliest
    row that `transition_scores` allows.

    Parameters
    ----------
    model : "entities", or the file of a head of kind `token`

    Raises
    ------
    ModelError
        If the model is missing.
    """
    instrument = load_instrument.find_instrument(model, "token")
    meanings = [(label[2:], label.startswith("B-")) for label in instrument.labels]
    instrument.note()
    known = cache.cached_compute(
        "entities",
        [text for text in texts if text.strip()],
        lambda text: cache.key(f"{instrument.recipe};{RECIPE}", text),
        lambda missing: _label_texts(instrument, missing),
    )
    return [join_words(text, _unpack(known[text]), meanings) if text.strip() else [] for text in texts]


def _label_texts(instrument: Instrument, texts: list[str]) -> Iterator[dict[str, NDArray]]:
    """The labelled words of every text, packed, some texts at a time."""
    loaded, head = instrument.load(), instrument.head
    allowed = transition_scores(instrument.labels) if head else None
    for start in range(0, len(texts), TEXTS):
        part = texts[start : start + TEXTS]
        windows = tokenization.tokenize_windows(loaded.tokenizer, part, instrument.limit)
        if head and head.about.get("capitals"):
            flags = [capital_flags(part[one.text], one.words, one.characters) for one in windows]
            windows = [replace(one, types=types) for one, types in zip(windows, flags, strict=True)]
        scores: dict[int, NDArray] = {}
        for found in loaded.compute(range(len(windows)), windows):
            scores |= found
        of_text = defaultdict(list)
        for number, window in enumerate(windows):
            of_text[window.text].append((window, scores[number]))
        yield {
            text: _pack(label_words(text, _words(of_text[place]), allowed)) for place, text in enumerate(part)
        }


def _words(windows: Sequence[tuple[Input, NDArray]]) -> list[Scored]:
    """Each word once: its characters, and its first token's scores in the window with most room."""
    tokens = [
        (word, one.characters[place], min(place, len(one.words) - 1 - place), scores[place])
        for one, scores in windows
        for place, word in enumerate(one.words)
        if word is not None
    ]
    characters: dict[int, tuple[int, int]] = {}
    for word, (first, end), *_ in tokens:
        known = characters.get(word, (first, end))
        characters[word] = (min(first, known[0]), max(end, known[1]))
    chosen: dict[int, tuple[int, NDArray]] = {}
    for word, (first, _), room, row in tokens:
        if first == characters[word][0] and (word not in chosen or room > chosen[word][0]):
            chosen[word] = (room, row)
    return [(*characters[word], chosen[word][1]) for word in sorted(chosen)]


def label_words(text: str, words: Sequence[Scored], allowed: NDArray | None) -> list[Word]:
    """Every word with its label: each on its own where `allowed` is None, else all together."""
    if allowed is None:
        return [(first, end, int(scores.argmax())) for first, end, scores in words]
    joined = _join_hyphens(text, words)
    found = viterbi([scores for _, _, scores in joined], allowed)
    return [(first, end, label) for (first, end, _), label in zip(joined, found, strict=True)]


def _join_hyphens(text: str, words: Sequence[Scored]) -> list[Scored]:
    """Words, those as one that a hyphen and a capital letter tie together, judged by the first: Jean-Luc."""
    joined: list[Scored] = []
    for word in words:
        first, end, _ = word
        tied = len(joined) > 1 and text[joined[-2][1] : first] == "-" and text[first].isupper()
        if tied:
            joined[-2:] = [(joined[-2][0], end, joined[-2][2])]
        else:
            joined.append(word)
    return joined


def transition_scores(names: Sequence[str]) -> NDArray:
    """(1 + labels, labels): 0 if the column's label may follow the row's, row 0 being the start; else -inf.

    I-x stands only after B-x or I-x, where there is a B-x. B-x does not stand right after x, since a sign
    parts two names, unless x is an address, whose pieces need none.
    """
    after = [("O", ""), *((name[:1], name[2:]) for name in names)]
    begun = {kind for sign, kind in after if sign == "B"}

    def score(sign: str, kind: str, kind_before: str) -> float:
        if sign == "I":
            fits = kind == kind_before or kind not in begun
        else:
            fits = sign != "B" or kind != kind_before or kind == "address"
        return 0.0 if fits else -np.inf

    return np.array([[score(sign, kind, before) for sign, kind in after[1:]] for _, before in after])


def viterbi(scores: Sequence[NDArray], allowed: NDArray) -> list[int]:
    """The labels of a row of words whose scores have the highest sum among the rows allowed.

    Parameters
    ----------
    scores : (labels,) of every word
    allowed : as `transition_scores` gives it
    """
    if not len(scores):
        return []
    best, came = scores[0] + allowed[0], list[NDArray]()
    for row in scores[1:]:
        paths = best[:, None] + allowed[1:]
        came.append(paths.argmax(axis=0))
        best = paths.max(axis=0) + row
    found = [int(best.argmax())]
    for before in reversed(came):
        found.append(int(before[found[-1]]))
    return found[::-1]


def capital_flags(text: str, words: Sequence[int | None], characters: Sequence[tuple[int, int]]) -> list[int]:
    """1 for every token of a word that begins with a capital letter, else 0: what lower case loses."""
    first: dict[int, int] = {}
    for word, (start, _) in zip(words, characters, strict=True):
        if word is not None:
            first.setdefault(word, start)
    return [int(word is not None and text[first[word]].isupper()) for word in words]


def _pack(words: list[Word]) -> NDArray:
    """Words as the cache keeps them: whole numbers in the bits of float32."""
    return np.array([(0, 0, 0), *words], dtype=np.int32).view(np.float32).ravel()


def _unpack(stored: NDArray) -> list[Word]:
    return [
        (int(first), int(end), int(label)) for first, end, label in stored.view(np.int32).reshape(-1, 3)[1:]
    ]


def join_words(text: str, words: Sequence[Word], meanings: Sequence[Meaning]) -> list[Entity]:
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
    found = []
    for kind, first, end in spans:
        inside = text[first:end]
        first += len(inside) - len(inside.lstrip())
        found.append(Entity(kind, inside.strip(), first, first + len(inside.strip())))
    return found
