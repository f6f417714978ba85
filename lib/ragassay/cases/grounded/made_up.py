"""Values of a company that does not exist: names from syllables, figures and dates drawn."""

import random
import re
from typing import Any

from ragassay.cases.grounded.schema import DATE, NUMBER, TRUTH, Column

SYLLABLES = (
    "ba",
    "cor",
    "del",
    "fen",
    "gro",
    "hal",
    "ister",
    "jun",
    "kel",
    "lor",
    "mav",
    "nor",
    "ost",
    "pel",
    "quin",
    "rus",
    "sten",
    "tor",
    "ul",
    "vex",
    "wen",
    "yar",
    "zel",
)
ENDINGS = ("a", "en", "ick", "mar", "o", "ton", "und", "worth")
KINDS = ("corporate", "private", "seasonal", "regional", "standard", "preferred", "limited", "general")


def value(column: Column, draw: random.Random, used: set[str]) -> Any:
    """A value of the column's kind, fit for its name where that is plain; names go into `used`."""
    name = column.name.lower()
    if column.kind == DATE:
        return f"{draw.randint(1961, 2024)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"
    if column.kind == TRUTH:
        return draw.choice(("yes", "no"))
    if column.kind == NUMBER:
        return _figure(name, draw)
    if column.names_its_row or re.search(r"city|town|street|country|headquarters", name):
        return word(draw, used)
    return f"{draw.choice(KINDS)} {draw.choice(SYLLABLES)}{draw.choice(SYLLABLES)}{draw.choice(ENDINGS)}"


def _figure(name: str, draw: random.Random) -> int | float:
    if "year" in name:
        return draw.randint(1961, 2024)
    if re.search(r"(?:^|_)age$|number|count|days|months|floors", name):
        return draw.randint(2, 90)
    return (
        draw.randint(5, 1_995) / 100
        if re.search(r"rate|percent|share", name)
        else draw.randint(100, 99_999) / 100
    )


def word(draw: random.Random, used: set[str]) -> str:
    """A name nobody bears, not used before."""
    while True:
        made = (draw.choice(SYLLABLES) + draw.choice(SYLLABLES) + draw.choice(ENDINGS)).capitalize()
        name = (
            made
            if made not in used
            else f"{made} {draw.choice(SYLLABLES).capitalize()}{draw.choice(ENDINGS)}"
        )
        if name not in used:
            used.add(name)
            return name
