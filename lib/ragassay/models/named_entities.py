"""Names in texts: persons, organisations, places and addresses, each with its place among the characters."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.models import batching, cache, load_instrument
from ragassay.models.batching import CLS, SEP, Input
from ragassay.models.load_instrument import Instrument

KINDS = ("person", "organisation", "place", "address")
BREAK = "|"  # a line break as the head reads it, as in its training: the tokenizer would drop it
RECIPE = f"breaks={BREAK};chained;spans"  # how texts are read and labels chosen
Scored = tuple[int, int, NDArray]  # a word: first character, end, and the scores of the labels
Span = tuple[int, int, str]  # first character, end, kind


@dataclass(frozen=True)
class Entity:
    """A name in a text, from `start` to `end`; its kind is of KINDS."""

    kind: str
    text: str
    start: int
    end: int


def entities(texts: Sequence[str]) -> list[list[Entity]]:
    """The entities of every text, in the order of their places; an empty text has none.

    A word is read by its first token. The head also sees which words begin with a capital letter, takes what
    hyphens join as one word if a capital follows (Jean-Luc, not Paris-based), and of its labels the likeliest
    row that `transition_scores` allows; what has neither a letter with case nor a digit is no name. A
    ModelError if the head is missing.
    """
    instrument = load_instrument.find_instrument("entities", "token")
    instrument.record_use()
    asked, recipe = [text for text in texts if text.strip()], f"{instrument.recipe};{RECIPE}"
    known = cache.cached_compute("entities", recipe, asked, functools.partial(_find_spans, instrument))
    found: list[list[Entity]] = []
    for text in texts:
        rows = known[text].astype(int).reshape(-1, 3).tolist() if text.strip() else []
        names = [Entity(KINDS[kind], text[start:end], start, end) for start, end, kind in rows]
        found.append([one for one in names if any(c.isdecimal() or c.lower() != c.upper() for c in one.text)])
    return found


def _find_spans(instrument: Instrument, texts: list[str]) -> list[NDArray]:
    """Of the names in every text, read in windows: first character, end, place of the kind in KINDS."""
    loaded = instrument.load()
    encodings = batching.read(loaded.tokenizer, [text.replace("\n", BREAK) for text in texts])
    cut = [windows(len(one.ids), instrument.limit) for one in encodings]
    inputs = []
    for text, one, own in zip(texts, encodings, cut, strict=True):
        types = capital_flags(text, one)
        inputs += [Input((CLS, *one.ids[start:stop], SEP), (0, *types[start:stop], 0)) for start, stop in own]
    scores, found = iter(loaded.compute(inputs)), list[NDArray]()
    for text, one, own in zip(texts, encodings, cut, strict=True):
        # each token's scores from the window in which it stands farthest from an edge: two neighbours are cut
        # in the middle of what both read
        middles = [(start + stop + 1) // 2 for (_, stop), (start, _) in pairwise(own)]
        parts = zip(islice(scores, len(own)), own, pairwise([0, *middles, own[-1][1]]), strict=True)
        kept = [rows[1 + first - start : 1 + last - start] for rows, (start, _), (first, last) in parts]
        spans = read_spans(text, one, np.concatenate(kept), instrument.labels)
        found.append(np.array([(start, end, KINDS.index(kind)) for start, end, kind in spans]).ravel())
    return found


def windows(length: int, limit: int) -> list[tuple[int, int]]:
    """Start and stop of the windows of a text of so many tokens; with [CLS] and [SEP] none has more than
    `limit`, and two neighbours overlap by a quarter of that."""
    size, overlap = limit - 2, limit // 4
    starts = range(0, max(1, length - overlap), size - overlap)
    return [(start, min(start + size, length)) for start in starts]


def read_spans(text: str, encoding: Any, scores: NDArray, labels: Sequence[str]) -> list[Span]:
    """The names in a text, in the order of their places, from its encoding (of tokenizers) and the scores
    (tokens, labels) of each token."""
    tokens = zip(encoding.word_ids, encoding.offsets, scores, strict=True)
    of_words = [list(own) for word, own in groupby(tokens, lambda token: token[0]) if word is not None]
    scored = join_hyphens(text, [(own[0][1][0], own[-1][1][1], own[0][2]) for own in of_words])
    chosen = viterbi([row for *_, row in scored], transition_scores(labels))
    spans: list[Span] = []
    before = ""
    for (first, end, _), number in zip(scored, chosen, strict=True):
        sign, _, kind = labels[number].partition("-")
        if kind and kind == before and sign == "I":
            spans[-1] = (spans[-1][0], end, kind)
        elif kind:
            spans.append((first, end, kind))
        before = kind
    return spans


def join_hyphens(text: str, words: Sequence[Scored]) -> list[Scored]:
    """Words, those as one that a hyphen and a capital letter tie together, judged by the first: Jean-Luc."""
    joined: list[Scored] = []
    for word in words:
        joined.append(word)
        if len(joined) > 2 and text[joined[-3][1] : word[0]] == "-" and text[word[0]].isupper():
            joined[-3:] = [(joined[-3][0], word[1], joined[-3][2])]
    return joined


def transition_scores(names: Sequence[str]) -> NDArray:
    """(1 + labels, labels): 0 if the column's label may follow the row's, row 0 being the start; else -inf.

    I-x stands only after B-x or I-x. B-x does not stand right after x, since a sign parts two names, unless x
    is an address, whose pieces need none.
    """
    after = [("O", ""), *((name[:1], name[2:]) for name in names)]
    fits = [
        [
            kind == before if sign == "I" else kind != before or kind in ("", "address")
            for sign, kind in after[1:]
        ]
        for _, before in after
    ]
    return np.where(fits, 0.0, -np.inf)


def viterbi(scores: Sequence[NDArray], allowed: NDArray) -> list[int]:
    """The labels of a row of words, each with its scores (labels,), that have the highest sum among the rows
    allowed (`transition_scores`)."""
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


def capital_flags(text: str, encoding: Any) -> list[int]:
    """1 for every token of a word that begins with a capital letter, else 0: what lower case loses."""
    first = {word: encoding.word_to_chars(word)[0] for word in {*encoding.word_ids} - {None}}
    return [int(word is not None and text[first[word]].isupper()) for word in encoding.word_ids]
