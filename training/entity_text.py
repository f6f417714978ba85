"""Texts with labelled names: sentences that we wrote (entity_sentences.txt), a random value in every slot.

Values are drawn from lists of words that we wrote (entity_words.txt) and from templates with weights
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

FOLDER = Path(__file__).parent
Span = tuple[int, int, str]  # first character, end, kind
Text = tuple[str, list[Span]]
KINDS = {
    "person": "person given family",
    "organisation": "org firm body",
    "place": "town country state place",
    "address": "address street line spot military code unit house",
}
KIND = {slot: kind for kind, slots in KINDS.items() for slot in slots.split()}
SLOT = re.compile(r"\{([^{}]+)\}")
CHANGES = {"!": str.capitalize, "^": str.upper, "_": str.lower, "-": lambda value: value.removeprefix("the ")}


@cache
def words() -> dict[str, list[str]]:
    """List name -> its words."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in data.lines(FOLDER / "entity_words.txt"):
        if line.startswith("["):
            name = line.strip("[]")
        else:
            parts = line.split(";") if ";" in line else line.split()
            found.setdefault(name, []).extend(part.strip() for part in parts)
    return found


@cache
def templates() -> dict[str, tuple[list[float], list[str]]]:
    """Slot -> weights and templates."""
    stored = json.loads((FOLDER / "entity_templates.json").read_text(encoding="utf-8"))
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


def sentences() -> list[str]:
    """The sentences with their slots."""
    lines = data.lines(FOLDER / "entity_sentences.txt")
    return [line if line.startswith("| ") else line.replace("|", "\n") for line in lines]


def fill(sentence: str, draw: random.Random) -> Text:
    """A sentence with a value in every slot, and the spans of those that are names."""
    text, spans, last = "", list[Span](), 0
    for slot in SLOT.finditer(sentence):
        text += sentence[last : slot.start()]
        value, last = value_of(slot[1], draw), slot.end()
        if kind := KIND.get(slot[1]):
            skip = 4 if kind == "place" and value.startswith("the ") else 0
            spans.append((len(text) + skip, len(text) + len(value), kind))
        text += value
    return text + sentence[last:], spans


def made(count: int, draw: random.Random) -> list[Text]:
    """`count` texts: one to three sentences each, some in lower or upper case."""
    known, texts = sentences(), []
    for _ in range(count):
        parts = [fill(draw.choice(known), draw) for _ in range(draw.choice((1, 1, 2, 3)))]
        texts.append(_cased(_joined(parts), draw))
    return texts


def _joined(parts: list[Text]) -> Text:
    text, spans = "", list[Span]()
    for part, its in parts:
        space = "" if not text else "\n" if "\n" in text or "\n" in part else " "
        spans += [(start + len(text + space), end + len(text + space), kind) for start, end, kind in its]
        text += space + part
    return text, spans


def _cased(text: Text, draw: random.Random) -> Text:
    """Mostly as it is; some texts in capitals or without any, since the head sees which words begin with
    one."""
    kind = draw.random()
    other = text[0].upper() if kind < 0.04 else text[0].lower() if kind < 0.12 else text[0]
    return (other, text[1]) if len(other) == len(text[0]) else text
