"""The instruments a measure may use, each text and each pair computed once per batch of answers.

While tools are collecting, a measure that needs what is not yet known is interrupted (`Pending`) and what it asked for is noted. `settle` then
computes all that was noted together, and the measure is run again: many small requests become few large ones.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.models.kinds import Entailment, Entity

Pair = tuple[str, str]
Compute = Callable[[list], Any]  # as many results as were asked for


class Pending(Exception):
    """What was asked for has been noted and will be there the next time."""


class Memory:
    """Results of one instrument, by what was asked."""

    def __init__(self, compute: Compute):
        self._compute, self._known, self._wanted = compute, dict[Any, Any](), set[Any]()
        self.collecting = False

    def __call__(self, asked: Sequence) -> list[Any]:
        self._wanted |= {one for one in asked if one not in self._known}
        if self._wanted and self.collecting:
            raise Pending
        self.settle()
        return [self._known[one] for one in asked]

    def settle(self) -> None:
        """Compute everything noted, together and in sorted order."""
        wanted, self._wanted = sorted(self._wanted), set()
        if wanted:
            self._known.update(zip(wanted, self._compute(wanted), strict=True))

    def note(self, asked: Iterable) -> None:
        """Note what will be needed."""
        self._wanted |= {one for one in asked if one not in self._known}


class Tools:
    """Encoder and heads for one batch of answers; each argument replaces an instrument of `ragassay.models`.

    Parameters
    ----------
    encode : unique texts to unit vectors (n, d)
    entail : unique (premise, hypothesis) pairs to an Entailment of n rows
    toxic, acceptable : unique texts to probabilities (n,)
    entities : unique texts to a list of entities each
    tokens : unique texts to the vectors of their tokens (n_i, d)
    judge : unique requests to a language model to its replies (models.judge); there is none unless it is named
    """

    def __init__(self, **instruments: Callable):
        made = {name: instruments.get(name) or _of_models(name) for name in NAMES}
        self._memory = {name: Memory(_rows(made[name]) if name == "entail" else made[name]) for name in NAMES}

    def note(self, name: str, asked: Iterable) -> None:
        """Note texts or pairs that the instrument `name` will be asked for."""
        self._memory[name].note(asked)

    def collect(self, collecting: bool) -> None:
        """Whether a request that cannot be met at once is noted and raises Pending."""
        for memory in self._memory.values():
            memory.collecting = collecting

    def settle(self) -> None:
        """Compute all that was noted."""
        for memory in self._memory.values():
            memory.settle()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Unit vectors of the texts, shape (n, d)."""
        return np.array(self._memory["encode"](texts), dtype=float) if len(texts) else np.empty((0, 0))

    def entail(self, pairs: Sequence[Pair]) -> Entailment:
        """Entailment, neutral, contradiction of (premise, hypothesis) pairs: probabilities (n, 3), z (n,), distance (n,)."""
        rows = np.array(self._memory["entail"](pairs), dtype=float).reshape(len(pairs), 5)
        return Entailment(rows[:, :3], rows[:, 3], rows[:, 4])

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

    def judge(self, requests: Sequence) -> list[Any]:
        """What the language model replied to each request."""
        return self._memory["judge"](requests)


NAMES = ("encode", "entail", "toxic", "acceptable", "entities", "tokens", "judge")


def _of_models(name: str) -> Callable:
    """The instrument of this name in `ragassay.models`, loaded when first used."""

    def call(asked: list) -> Any:
        from ragassay import models

        return getattr(models, "token_vectors" if name == "tokens" else name)(asked)

    return call


def _rows(entail: Callable[[list[Pair]], Entailment]) -> Compute:
    """Entailment as rows of five numbers: three probabilities, z, distance."""

    def rows(pairs: list[Pair]) -> NDArray:
        found = entail(pairs)
        return np.column_stack([found.probabilities, found.z, found.distance])

    return rows
