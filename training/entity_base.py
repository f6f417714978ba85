"""What the random values of names are drawn from: lists of words that we wrote (entity_words.txt), syllables,
digits."""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

SLOT = re.compile(r"\{(\w+)\}")
UNKNOWN = 0.35  # share of the names made of syllables
MAKERS: dict[str, Callable[[random.Random], str]] = {}  # slot -> what makes a value for it


@cache
def words() -> dict[str, list[str]]:
    """List name -> its words."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in Path(__file__).with_name("entity_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(name, []).extend(
                part.strip() for part in (line.split(";") if ";" in line else line.split())
            )
    return found


def value_of(slot: str, draw: random.Random) -> str:
    """A random value for a slot; any list of entity_words.txt is a slot too."""
    if slot in MAKERS:
        return MAKERS[slot](draw)
    return draw.choice(words()[slot])


def digits(draw: random.Random, few: int, most: int) -> str:
    count = draw.randint(few, most)
    return str(draw.randint(10 ** (count - 1), 10**count - 1))


def invented(draw: random.Random, endings: str) -> str:
    """A name of two to four syllables that stands in no list, so that what surrounds a name counts too."""
    return "".join(
        draw.choice(words()["syllable"]) for _ in range(draw.randint(1, 3))
    ).capitalize() + draw.choice(endings.split(","))
