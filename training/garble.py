"""Sentences made ungrammatical by rule: words exchanged, left out, doubled or moved, and forms that do not
agree."""

import random
import re
from collections.abc import Callable, Sequence

FORMS = dict(
    pair.split()
    for pair in (
        "is are; are is; was were; were was; has have; have has; does do; a an; an a; this these; "
        "these this; he him; she her; they them; we us; who whom; much many; many much; to for; of at; in of"
    ).split("; ")
)
SMALL = set("the a an of to is are was were be been has have that in on by for with and not".split())
ENDING = re.compile(r"^[a-z]{3,}$")
Rule = Callable[[list[str], random.Random], list[str] | None]


def exchange(words: list[str], draw: random.Random) -> list[str] | None:
    """Two neighbours in each other's place."""
    place = draw.randrange(1, len(words) - 1)
    one, two = words[place : place + 2]
    return None if one == two else [*words[:place], two, one, *words[place + 2 :]]


def leave_out(words: list[str], draw: random.Random) -> list[str] | None:
    """A small word less."""
    places = [i for i, word in enumerate(words[:-1]) if word in SMALL]
    place = draw.choice(places) if places else 0
    return [*words[:place], *words[place + 1 :]] if places else None


def double(words: list[str], draw: random.Random) -> list[str] | None:
    """A word of the sentence put in where it does not belong."""
    place = draw.randrange(1, len(words))
    return [*words[:place], draw.choice(words[:-1]).lower(), *words[place:]]


def move(words: list[str], draw: random.Random) -> list[str] | None:
    """A word moved two places and more."""
    place = draw.randrange(0, len(words) - 3)
    to = draw.randrange(place + 2, len(words))
    return [*words[:place], *words[place + 1 : to + 1], words[place].lower(), *words[to + 1 :]]


def form(words: list[str], draw: random.Random) -> list[str] | None:
    """A small word in a form that does not agree."""
    places = [i for i, word in enumerate(words) if word in FORMS]
    return _with(words, draw.choice(places), lambda word: FORMS[word]) if places else None


def ending(words: list[str], draw: random.Random) -> list[str] | None:
    """A word with a wrong ending."""
    places = [i for i, word in enumerate(words) if ENDING.match(word) and word not in SMALL]
    wrong = draw.choice(
        (
            lambda word: word[:-1] if word.endswith("s") else word + "s",
            lambda word: word + "ing",
            lambda word: word.removesuffix("ed"),
        )
    )
    return _with(words, draw.choice(places), wrong) if places else None


def _with(words: list[str], place: int, change: Callable[[str], str]) -> list[str]:
    return [*words[:place], change(words[place]), *words[place + 1 :]]


RULES: Sequence[Rule] = (exchange, leave_out, double, move, form, ending)


def garbled(sentence: str, draw: random.Random) -> str | None:
    """The sentence made ungrammatical by one rule, half of the time by two; None if it has fewer than six
    words."""
    words = sentence.split()
    for rule in draw.sample(RULES, draw.choice((1, 2))):
        words = (rule(words, draw) or words) if len(words) >= 6 else words
    return " ".join(words) if words != sentence.split() else None
