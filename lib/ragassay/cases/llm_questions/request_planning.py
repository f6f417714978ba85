"""What a language model is to be asked for:
which passages, how many questions of each, of which types (HCAT section 2, steps 4 and 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

import numpy as np
import pandas as pd

from ragassay.cases import case_sampling
from ragassay.cases.question_filter import Index
from ragassay.cases.rule_questions import askable_units
from ragassay.errors import ParameterError
from ragassay.tables import QUERY_TYPES

NO_ANSWER = "no_answer"
TYPES = (*QUERY_TYPES, NO_ANSWER)
DIFFICULTIES = ("easy", "medium", "hard")
MOST_ALIKE = (
    0.9  # share of a passage's words, by rarity, above which another is a copy of it and no second hop
)


@dataclass(frozen=True)
class Wanted:
    """What is asked for.

    Parameters
    ----------
    types : kinds of question, served in turns; of TYPES
    difficulties : served in turns; of DIFFICULTIES
    allocation : of questions to topics: "proportional" to their passages, "equal", or "weighted" by `weights`
    per_passage : questions asked for of one passage at most
    spare : questions asked for beyond n, as a share of it, since some fail the checks
    """

    types: Sequence[str] = TYPES
    difficulties: Sequence[str] = DIFFICULTIES
    allocation: str = "proportional"
    weights: Mapping[str, float] | None = None
    per_passage: int = 3
    spare: float = 0.25

    def __post_init__(self) -> None:
        for given, known in ((self.types, TYPES), (self.difficulties, DIFFICULTIES)):
            unknown = sorted(set(given) - set(known))
            if unknown or not given:
                raise ParameterError(
                    "a kind of question is unknown",
                    found=", ".join(unknown) or "none is named",
                    expected=", ".join(known),
                )
        if self.per_passage < 1 or not 0 <= self.spare <= 10:
            raise ParameterError(
                "per_passage must be at least 1, spare from 0 to 10",
                found=f"{self.per_passage}, {self.spare}",
            )


@dataclass(frozen=True)
class Passage:
    """A passage and where it stands."""

    chunk_id: str
    text: str
    topic: str
    language: str
    title: str


@dataclass(frozen=True)
class Order:
    """One question asked for."""

    query_type: str
    difficulty: str


@dataclass(frozen=True)
class Task:
    """What is asked about one passage, or about two that belong together."""

    passages: tuple[Passage, ...]
    orders: tuple[Order, ...]


def passages_of(chunks: pd.DataFrame) -> list[Passage]:
    """The passages in the order of the table; `topic`, `language` and `title` where the table has them."""
    pairs = zip(
        chunks[["chunk_id", "text"]].itertuples(index=False, name=None),
        askable_units.place(chunks),
        strict=True,
    )
    return [
        Passage(str(name), str(text), str(at["topic"] or ""), at["language"], str(at["title"] or ""))
        for (name, text), at in pairs
    ]


def tasks(
    passages: Sequence[Passage], n: int, wanted: Wanted, index: Index, rng: np.random.Generator
) -> list[Task]:
    """Who is asked for what, about n * (1 + spare) questions over the topics; the same rng state gives the
    same tasks.

    Parameters
    ----------
    index : the words of these passages, in their order: it finds the second passage of a multi-hop question
    """
    inside = topics_of([passage.topic for passage in passages])
    sizes = {name: len(places) * wanted.per_passage for name, places in inside.items()}
    counts = case_sampling.allocate(sizes, ceil(n * (1 + wanted.spare)), wanted.allocation, wanted.weights)
    orders = _orders(wanted)
    drawn = [
        (place, next(orders))
        for name in sorted(counts)
        for place in _places(inside[name], counts[name], wanted.per_passage, rng)
    ]
    return [task for place, own in groupby(sorted(drawn, key=lambda pair: pair[0]), key=lambda pair: pair[0])
            for task in _of_passage(place, [order for _, order in own], passages, wanted, index)]  # fmt: skip


def topics_of(topics: Sequence[str]) -> dict[str, list[int]]:
    """The places of each topic, topics sorted by name."""
    inside: dict[str, list[int]] = {name: [] for name in sorted(set(topics))}
    for place, name in enumerate(topics):
        inside[name].append(place)
    return inside


def _orders(wanted: Wanted) -> Iterator[Order]:
    """Types in turns, difficulties in turns, so shifted that every pair of them comes."""
    types, difficulties, i = list(wanted.types), list(wanted.difficulties), 0
    while True:
        yield Order(types[i % len(types)], difficulties[(i + i // len(types)) % len(difficulties)])
        i += 1


def _places(inside: list[int], count: int, per_passage: int, rng: np.random.Generator) -> list[int]:
    """`count` places of a topic: as few passages as may be, drawn without replacement, each in turns."""
    drawn = [
        inside[i] for i in sorted(rng.choice(len(inside), size=ceil(count / per_passage), replace=False))
    ]
    return [drawn[i % len(drawn)] for i in range(count)]


def _of_passage(
    place: int, orders: list[Order], passages: Sequence[Passage], wanted: Wanted, index: Index
) -> Iterator[Task]:
    """The task of a passage, and that of the passage and its partner;
    without a partner another type takes the turn of multi_hop."""
    partner = (
        _partner(place, passages, index) if any(order.query_type == "multi_hop" for order in orders) else None
    )
    hops = tuple(order for order in orders if order.query_type == "multi_hop")
    plain = [order for order in orders if order not in hops]
    others = [kind for kind in wanted.types if kind != "multi_hop"]
    if partner is None and others:
        plain += [Order(others[i % len(others)], order.difficulty) for i, order in enumerate(hops)]
    if plain:
        yield Task((passages[place],), tuple(plain))
    if partner is not None and hops:
        yield Task((passages[place], passages[partner]), hops)


def _partner(place: int, passages: Sequence[Passage], index: Index) -> int | None:
    """The passage most like this one by its words, of its topic and language if one is;
    None where none shares a word or all are copies."""
    own = passages[place]
    found = [
        i
        for i in index.top(own.text, 20)
        if i != place and index.share(own.text, passages[i].text) < MOST_ALIKE
    ]
    near = [i for i in found if (passages[i].topic, passages[i].language) == (own.topic, own.language)]
    return next(iter(near or found), None)
