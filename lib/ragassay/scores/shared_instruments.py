"""The instruments a measure may use, each text and each pair computed once per batch of answers.

`compute_together` makes many small requests few large ones: a call that asks an instrument for what is not
yet known is interrupted (`Pending`); what all calls asked is then computed, and these are made again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay import parameter_ranges
from ragassay.defaults import LATENCY_BUDGET, LENGTH_BUDGET
from ragassay.models import Entailment, of_run


@dataclass(frozen=True)
class Budgets:
    """Limits of one answer: words (the Lesson's section 12 asks for a median of at most 120) and seconds
    (ours). Raises ParameterError if one is outside its range."""

    words: float = LENGTH_BUDGET
    seconds: float = LATENCY_BUDGET

    def __post_init__(self) -> None:
        parameter_ranges.check("budgets, words", self.words, "in (0, inf)")
        parameter_ranges.check("budgets, seconds", self.seconds, "in (0, inf)")


Pair = tuple[str, str]
# what groundedness_nli holds a sentence against: HCAT 3.2.2 says the whole context
PREMISES = ("nearest", "whole")
NAMES = ["encode", "entail", "entail_shipped", "toxic", "acceptable", "entities", "tokens"]
NAMES += ["premise_spans", "supported", "judge", "perplexity"]
T = TypeVar("T")


class Pending(Exception):
    """What was asked for has been noted and will be there the next time."""


class Tools:
    """Encoder and heads for one batch of answers; each argument replaces an instrument of `ragassay.models`.

    premise : one of PREMISES, as `score` was told; budgets : the words and seconds an answer may take
    encode : unique texts to unit vectors (n, d); tokens : to the vectors of their tokens (n_i, d)
    entail, entail_shipped : unique (premise, hypothesis) pairs to an Entailment of n rows; the second by the
        head that ships, whatever the user names in its place
    toxic, acceptable : unique texts to probabilities (n,); entities : to a list of entities each
    premise_spans : unique (sentences, hypothesis) to the spans of sentences that are one premise each
    supported : unique (context sentences, text) to probabilities of support (n,); judge : unique requests to
        replies (models.judge); perplexity : unique texts to perplexities (n,); each only if a model is named
    """

    def __init__(self, *, premise: str = PREMISES[0], budgets: Budgets = Budgets(), **instruments: Callable):
        self.premise, self.budgets = premise, budgets
        self.names_support = "supported" in instruments or bool(of_run("support"))
        self.waits = False  # whether a request that cannot be met at once is noted, and raises Pending
        self.claims: dict[Any, list] = {}  # as judged, by answer: several metrics look at them
        self._instruments = {name: instruments.get(name) or partial(_of_models, name) for name in NAMES}
        self._known: dict[str, dict] = {name: {} for name in NAMES}
        self._wanted: dict[str, set] = {name: set() for name in NAMES}

    def settle(self) -> None:
        """Compute what was noted, in sorted order."""
        for name in NAMES:
            wanted, self._wanted[name] = sorted(self._wanted[name]), set()
            if wanted:
                found = self._instruments[name](wanted)
                if isinstance(found, Entailment):
                    found = zip(found.probabilities, found.z, found.distance, strict=True)
                self._known[name].update(zip(wanted, found, strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Unit vectors of the texts, shape (n, d)."""
        return np.array(self.ask("encode", texts), dtype=float) if len(texts) else np.empty((0, 0))

    def cosines(self, these: Sequence[str], those: Sequence[str]) -> NDArray[np.float64]:
        """`cosines` of the texts' vectors, shape (m, n)."""
        vectors = self.embed([*these, *those])
        return cosines(vectors[: len(these)], vectors[len(these) :])

    def match(
        self, these: Sequence[str], those: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The best cosine of each of `these` with one of `those`, and whose it is; shapes (m,)."""
        cosine = self.cosines(these, those)
        return cosine.max(axis=1), cosine.argmax(axis=1)

    def entail(self, pairs: Sequence[Pair], instrument: str = "entail") -> Entailment:
        """Entailment, neutral, contradiction of (premise, hypothesis) pairs: probabilities (n, 3), z (n,),
        distance (n,); `entail_shipped` asks the head that ships, to which `support` was fitted."""
        rows = self.ask(instrument, pairs)
        probabilities = np.array([row[0] for row in rows], dtype=float).reshape(len(rows), 3)
        z, distance = np.array([row[1:] for row in rows], dtype=float).reshape(len(rows), 2).T
        return Entailment(probabilities, z, distance)

    def ask(self, name: str, asked: Sequence) -> list[Any]:
        """What an instrument gives for each thing asked, in order."""
        missing = {one for one in asked if one not in self._known[name]}
        if missing:
            self._wanted[name] |= missing
            if self.waits:
                raise Pending
            self.settle()
        return [self._known[name][one] for one in asked]


def compute_together(calls: Sequence[Callable[[], T]], tools: Tools) -> list[T]:
    """What each call gives; what all of them ask of the tools is computed at once."""
    results, waiting = dict[int, T](), list(range(len(calls)))
    while waiting:
        tools.waits, asked, waiting = True, waiting, []
        for place in asked:
            try:
                results[place] = calls[place]()
            except Pending:
                waiting.append(place)
        tools.waits = False
        tools.settle()
    return [results[place] for place in range(len(calls))]


def _of_models(name: str, asked: list) -> Any:
    """What the instrument of this name in `ragassay.models` gives, loaded when first used."""
    from ragassay import models

    if name == "entail_shipped":
        return models.entail(asked, model="entailment")
    return getattr(models, "token_vectors" if name == "tokens" else name)(asked)


def cosines(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine of every row of `these` (m, d) with every row of `those` (n, d), in [-1, 1]; shape (m, n).

    Raises ValueError if a text has no row, or a row is all zeros or not finite: the cosine does not exist.
    """
    return np.clip(_unit_rows(these) @ _unit_rows(those).T, -1.0, 1.0)


def _unit_rows(sentences: ArrayLike) -> NDArray[np.float64]:
    vectors = np.asarray(sentences, dtype=float)
    if len(vectors) == 0:
        raise ValueError("nothing to compare: the text is empty")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if lengths.min() > 0 and lengths.max() < np.inf:
        return vectors / lengths
    wrong = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)))[0]
    raise ValueError(f"sentence {wrong} has an embedding of length {lengths[wrong, 0]}; cosine is undefined")
