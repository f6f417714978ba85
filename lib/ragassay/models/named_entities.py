"""Names in texts: persons, organisations, places and addresses, each with its place among the characters."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragassay.models import cache, head_file, load_instrument, tokenization
from ragassay.models.load_instrument import Instrument, Loaded
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
    tool = load_instrument.find_instrument(model, "token")
    meanings = [(label[2:], label.startswith("B-")) for label in tool.labels]
    tool.note()
    full = [text for text in texts if text.strip()]
    recipe, cased = f"{tool.recipe};{RECIPE}", _sees_capitals(model)
    known = cache.cached_compute(
        "entities",
        full,
        lambda text: cache.key(recipe, text),
        lambda missing: _label_texts(tool, missing, cased),
    )
    return [join_words(text, _unpack(known[text]), meanings) if text.strip() else [] for text in texts]


def _sees_capitals(model: str) -> bool:
    """Whether the model is a head of ours that learned to see capital letters."""
    path = head_file.find_head(model)
    return path is not None and bool(head_file.read(path).about.get("capitals", False))


def _label_texts(tool: Instrument, texts: list[str], cased: bool) -> Iterator[dict[str, NDArray]]:
    """The labelled words of every text, packed, some texts at a time."""
    loaded, allowed = tool.load(), transition_scores(tool.labels) if tool.head else None
    for start in range(0, len(texts), TEXTS):
        part = texts[start : start + TEXTS]
        windows = tokenization.tokenize_windows(loaded.tokenizer, part, tool.limit)
        if cased:
            windows = [
                replace(one, types=capital_flags(part[one.text], one.words, one.characters))
                for one in windows
            ]
        of_text = defaultdict(list)
        for window, scores in zip(windows, _score_windows(loaded, windows), strict=True):
            of_text[window.text].append((window, scores))
        yield {
            text: _pack(label_words(text, _words(of_text[place]), allowed)) for place, text in enumerate(part)
        }


def _score_windows(loaded: Loaded, windows: list[Input]) -> list[NDArray]:
    """Of every window the scores (length, labels) of its tokens."""
    numbers = list(range(len(windows)))
    scores: dict[int, NDArray] = {}
    for part in loaded.compute(numbers, windows):
        scores |= part
    return [scores[number] for number in numbers]


def _words(windows: Sequence[tuple[Input, NDArray]]) -> list[Scored]:
    """Each word once: its characters, and its first token's scores in the window with most room."""
    characters: dict[int, tuple[int, int]] = {}
    for one, _ in windows:
        for _, word, (first, end) in _tokens(one):
            known = characters.get(word, (first, end))
            characters[word] = (min(first, known[0]), max(end, known[1]))
    chosen: dict[int, tuple[int, NDArray]] = {}
    for one, scores in windows:
        for place, word, (first, _) in _tokens(one):
            room = min(place, len(one.words) - 1 - place)
            if first == characters[word][0] and (word not in chosen or room > chosen[word][0]):
                chosen[word] = (room, scores[place])
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
    return np.array(
        [[0.0 if _may_follow(one, before[1], begun) else -np.inf for one in after[1:]] for before in after]
    )


def _may_follow(one: tuple[str, str], kind_before: str, begun: set[str]) -> bool:
    sign, kind = one
    if sign == "I":
        return kind == kind_before or kind not in begun
    return sign != "B" or kind != kind_before or kind == "address"


def viterbi(scores: Sequence[NDArray], allowed: NDArray) -> list[int]:
    """The labels of a row of words whose scores have the highest sum among the rows allowed.

    Parameters
    ----------
    scores : (labels,) of every word
    allowed : as `transition_scores` gives it
    """
    if not len(scores):
        return []
    highest = np.argmax(scores, axis=1)
    if not allowed[np.append(0, 1 + highest[:-1]), highest].any():  # nothing is barred: the best row there is
        return [int(label) for label in highest]
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


def _tokens(one: Input) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Place, word and characters of every token that is part of a word."""
    return ((place, word, one.characters[place]) for place, word in enumerate(one.words) if word is not None)


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
    return [_entity(text, *span) for span in spans]


def _entity(text: str, kind: str, first: int, end: int) -> Entity:
    """The entity without white space at its ends."""
    inside = text[first:end]
    first += len(inside) - len(inside.lstrip())
    return Entity(kind, inside.strip(), first, first + len(inside.strip()))
