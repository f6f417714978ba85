"""Random names, addresses, dates and numbers: `value_of` makes one for every slot of a sentence.

They are drawn from lists of words that we wrote (entity_words.txt) and from templates with weights
(entity_templates.json): streets of many languages, houses, flats and whole postal addresses, firms of several
makes. In a template stands, in braces, another slot, or

@list     a word of a list    !slot  with a capital letter   ^slot  in capitals   _slot  in small letters
~a,ez     an invented name    -slot  without `the `          #2-4   digits        01..12 a number
"""

import json
import random
import re
from functools import cache
from pathlib import Path

import data

SLOT = re.compile(r"\{([^{}]+)\}")
CHANGES = {"!": str.capitalize, "^": str.upper, "_": str.lower, "-": lambda value: value.removeprefix("the ")}


@cache
def words() -> dict[str, list[str]]:
    """List name -> its words."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in data.lines(Path(__file__).with_name("entity_words.txt")):
        if line.startswith("["):
            name = line.strip("[]")
        else:
            parts = line.split(";") if ";" in line else line.split()
            found.setdefault(name, []).extend(part.strip() for part in parts)
    return found


@cache
def templates() -> dict[str, tuple[list[float], list[str]]]:
    """Slot -> weights and templates."""
    stored = json.loads(Path(__file__).with_name("entity_templates.json").read_text(encoding="utf-8"))
    return {slot: tuple(map(list, zip(*rows, strict=True))) for slot, rows in stored.items()}


def value_of(slot: str, draw: random.Random) -> str:
    """A random value for a slot; any list of entity_words.txt is a slot too."""
    sign, rest = slot[0], slot[1:]
    if sign in CHANGES:
        return CHANGES[sign](value_of(rest, draw))
    if sign == "~":
        return invented(draw, rest)
    if sign == "#":
        few, most = map(int, rest.split("-"))
        return str(draw.randint(1, 9)) + "".join(draw.choices("0123456789", k=draw.randint(few, most) - 1))
    if ".." in slot:
        first, last = slot.split("..")
        return str(draw.randint(int(first), int(last))).zfill(len(first))
    if slot in templates():
        weights, texts = templates()[slot]
        chosen = draw.choices(texts, weights)[0]
    else:
        chosen = draw.choice(words()[slot.removeprefix("@")])
    return SLOT.sub(lambda inside: value_of(inside[1], draw), chosen)


def invented(draw: random.Random, endings: str) -> str:
    """A name of two to four syllables that stands in no list, so that what surrounds a name counts too."""
    syllables = draw.choices(words()["syllable"], k=draw.randint(1, 3))
    return "".join(syllables).capitalize() + draw.choice(endings.split(","))
