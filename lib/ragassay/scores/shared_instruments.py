"""The instruments a measure may use, each text and each pair computed once per batch of answers.

While tools are collecting, a measure that needs what is not yet known is interrupted (`Pending`) and what it
asked for is noted. `settle` then computes all that was noted together, and the measure is run again: many
small requests become few large ones.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import parameter_ranges
from ragassay.defaults import LATENCY_BUDGET, LENGTH_BUDGET
from ragassay.models import Entailment, Entity, support_model
from ragassay.scores import vector_similarity


@dataclass(frozen=True)
class Budgets:
    """Limits of one answer.

    words : the Lesson's section 12 asks for a median of at most 120
    seconds : ours; the Lesson names no figure

    Raises ParameterError if one is outside its range.
    """

    words: float = LENGTH_BUDGET
    seconds: float = LATENCY_BUDGET

    def __post_init__(self) -> None:
        parameter_ranges.check("budgets, words", self.words, "in (0, inf)")
        parameter_ranges.check("budgets, seconds", self.seconds, "in (0, inf)")


BUDGETS = Budgets()
Pair = tuple[str, str]
# what groundedness_nli holds a sentence against: HCAT 3.2.2 says the whole context
PREMISES = ("nearest", "whole")
# groups of texts whose vectors are kept as an array, and pairs of groups whose cosines are: an answer or two
RECENT = 16
NAMES = ["encode", "entail", "entail_shipped", "toxic", "acceptable", "entities", "tokens"]
NAMES += ["premise_spans", "supported", "judge", "perplexity"]


class Pending(Exception):
    """What was asked for has been noted and will be there the next time."""


class Memory:
    """Results of one instrument, by what was asked; `wanted` is what was noted and is not yet there.

    compute : takes a list and gives as many results
    """

    def __init__(self, compute: Callable[[list], Any]):
        self._compute, self._known, self.wanted = compute, dict[Any, Any](), set[Any]()
        self.collecting = False

    def __call__(self, asked: Sequence) -> list[Any]:
        missing = {one for one in asked if one not in self._known}
        self.wanted |= missing
        if missing and self.collecting:
            raise Pending
        if missing:
            self.settle()
        return [self._known[one] for one in asked]

    def settle(self) -> None:
        """Compute everything noted, together and in sorted order."""
        wanted, self.wanted = sorted(self.wanted), set()
        if wanted:
            self._known.update(zip(wanted, self._compute(wanted), strict=True))

    def note(self, asked: Iterable) -> None:
        """Note what will be needed."""
        self.wanted |= {one for one in asked if one not in self._known}


class Tools:
    """Encoder and heads for one batch of answers; each argument replaces an instrument of `ragassay.models`.

    premise : one of PREMISES, as `score` was told
    encode : unique texts to unit vectors (n, d)
    entail, entail_shipped : unique (premise, hypothesis) pairs to an Entailment of n rows; the second by the
        head that ships, whatever the user names in its place
    toxic, acceptable : unique texts to probabilities (n,)
    entities : unique texts to a list of entities each
    tokens : unique texts to the vectors of their tokens (n_i, d)
    premise_spans : unique (sentences, hypothesis) to the spans of sentences that are one premise each
    supported : unique (context sentences, text) to the probability of support (n,), by the model that the
        user names for it; there is none unless one is named (`names_support`)
    judge : unique requests to a language model to its replies (models.judge); there is none unless named
    perplexity : unique texts to their perplexities (n,); there is no language model unless one is named
    budgets : the words and seconds an answer may take
    """

    def __init__(self, *, premise: str = PREMISES[0], budgets: Budgets = BUDGETS, **instruments: Callable):
        self.premise, self.budgets = premise, budgets
        self.names_support = "supported" in instruments or bool(support_model())
        made = {name: instruments.get(name) or _of_models(name) for name in NAMES}
        for name in ("entail", "entail_shipped"):
            made[name] = _as_rows(made[name])
        self._memory = {name: Memory(compute) for name, compute in made.items()}
        self._array = lru_cache(RECENT)(self._vectors)
        self._unit = lru_cache(RECENT)(lambda texts: _fixed(vector_similarity.unit_rows(self._array(texts))))
        self._cosines = lru_cache(RECENT)(
            lambda these, those: _fixed(vector_similarity.unit_cosines(self._unit(these), self._unit(those)))
        )
        self._match = lru_cache(RECENT)(
            lambda these, those: vector_similarity.match(self._cosines(these, those))
        )

    def note(self, name: str, asked: Iterable) -> None:
        """Note texts or pairs that the instrument `name` will be asked for."""
        self._memory[name].note(asked)

    def collect(self, collecting: bool) -> None:
        """Whether a request that cannot be met at once is noted and raises Pending."""
        for memory in self._memory.values():
            memory.collecting = collecting

    def settle(self) -> None:
        """Compute what was noted, the encoder's alone if any: its vectors decide what others are asked."""
        first = self._memory["encode"]
        for memory in [first] if first.wanted else self._memory.values():
            memory.settle()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Unit vectors of the texts, shape (n, d), not to be changed: the same texts give the same array."""
        return self._array(tuple(texts))

    def cosines(self, these: Sequence[str], those: Sequence[str]) -> NDArray[np.float64]:
        """`vector_similarity.cosines` of the texts' vectors, shape (m, n), not to be changed; several
        measures of an answer ask for the same."""
        return self._cosines(tuple(these), tuple(those))

    def match(self, these: Sequence[str], those: Sequence[str]) -> vector_similarity.Match:
        """How `these` texts are met by `those`: `vector_similarity.match` of their cosines."""
        return self._match(tuple(these), tuple(those))

    def entail(self, pairs: Sequence[Pair]) -> Entailment:
        """Entailment, neutral, contradiction of (premise, hypothesis) pairs: probabilities (n, 3), z (n,),
        distance (n,)."""
        return _entailment(self._memory["entail"](pairs))

    def entail_shipped(self, pairs: Sequence[Pair]) -> Entailment:
        """The same by the head that ships, for `support`, whose model was fitted to it."""
        return _entailment(self._memory["entail_shipped"](pairs))

    def premise_spans(self, these: Sequence[str], those: Sequence[str]) -> list[list[tuple[int, int]]]:
        """For each of `these` the spans [start, stop) of `those` that together are all of them, each short
        enough to be a premise."""
        return self._memory["premise_spans"]([(tuple(those), one) for one in these])

    def supported(self, these: Sequence[str], those: Sequence[str]) -> NDArray[np.float64]:
        """Probability that `those`, all together, support each of `these`, shape (n,), by the model named."""
        return np.array(self._memory["supported"]([(tuple(those), one) for one in these]), dtype=float)

    def toxic(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Probability that each text is toxic, shape (n,)."""
        return np.array(self._memory["toxic"](texts), dtype=float)

    def acceptable(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Probability that each text is linguistically acceptable, shape (n,)."""
        return np.array(self._memory["acceptable"](texts), dtype=float)

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """The persons, organisations, places and addresses named in each text."""
        return self._memory["entities"](texts)

    def tokens(self, texts: Sequence[str]) -> list[NDArray]:
        """The vectors of each text's tokens, shape (n_i, d)."""
        return self._memory["tokens"](texts)

    def perplexity(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """How unlikely each text is to the language model that was named, shape (n,), at least 1."""
        return np.array(self._memory["perplexity"](texts), dtype=float)

    def judge(self, requests: Sequence) -> list[Any]:
        """What the language model replied to each request."""
        return self._memory["judge"](requests)

    def _vectors(self, texts: tuple[str, ...]) -> NDArray[np.float64]:
        return _fixed(np.array(self._memory["encode"](texts), dtype=float) if texts else np.empty((0, 0)))


def _fixed(array: NDArray) -> NDArray:
    array.flags.writeable = False
    return array


def _entailment(rows: Sequence) -> Entailment:
    table = np.array(rows, dtype=float).reshape(len(rows), 5)
    return Entailment(table[:, :3], table[:, 3], table[:, 4])


def _as_rows(entail: Callable[[list[Pair]], Entailment]) -> Callable[[list[Pair]], NDArray]:
    """Entailment as rows of five numbers: three probabilities, z, distance."""

    def rows(pairs: list[Pair]) -> NDArray:
        found = entail(pairs)
        return np.column_stack([found.probabilities, found.z, found.distance])

    return rows


def _of_models(name: str) -> Callable:
    """The instrument of this name in `ragassay.models`, loaded when first used."""

    def call(asked: list) -> Any:
        from ragassay import models

        if name == "entail_shipped":
            return models.entail(asked, model="entailment")
        return getattr(models, "token_vectors" if name == "tokens" else name)(asked)

    return call
