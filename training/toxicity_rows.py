"""What is written about toxicity: functional tests, and sentences free of templates.

A function, in the sense of HateCheck's authors (Röttger et al. 2021), is one way in which a text is hateful,
or only looks so: templates of toxicity_functions/functions.txt, filled. A head learns some functions whole
and is measured on others, so that no template, and no kind of template, is on both sides.

The sentences of toxicity_sentences/ are toxic and clean about the same things. Who wrote the first three
batches knew the functional tests; who wrote the others did not read them, but was told of ways of speaking by
one who did. Contempt has ways that everybody knows, so what was written comes near functions all the same.
Each kind of the first three batches, and each pair of the next two, names the functions that it comes near;
of the others nobody read it. A head of which nothing near may be learned leaves out what is near or unread.
"""

import csv
import itertools
import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import data

FOLDER = Path(__file__).parent / "toxicity_functions"
WRITTEN = Path(__file__).parent / "toxicity_sentences"
LABELS = ("hate", "insult", "clean")
FOLDS = 2
EACH = 5  # rows of a template
MENTIONS = ("neutral mention", "warm mention", "question about a group")
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Row:
    """One test. `label` is of LABELS, hate and insult are toxic; `group` is "" where none is named."""

    text: str
    label: str
    function: str
    template: str
    group: str

    @property
    def toxic(self) -> bool:
        return self.label != "clean"


def rows(each: int = EACH) -> list[Row]:
    """Every template with `each` of its groups, or other fillers; none twice."""
    made = (row for place, one in enumerate(templates()) for row in _filled(*one, place, each))
    return list({row.text: row for row in made}.values())


@cache
def templates() -> tuple[tuple[str, str, str], ...]:
    """(function, label, template) of every line of functions.txt."""
    found, name, label = [], "", ""
    for line in data.lines(FOLDER / "functions.txt"):
        if line.startswith("= "):
            name, label, _ = line[2:].split(" | ")
        else:
            found.append((name, label, line))
    return tuple(found)


@cache
def groups() -> tuple[dict[str, str], ...]:
    """The lines of groups.csv."""
    with (FOLDER / "groups.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def fillers() -> dict[str, list[str]]:
    """The lists of fillers.txt."""
    lists = (line.split(": ", 1) for line in data.lines(FOLDER / "fillers.txt"))
    return {name: values.split("; ") for name, values in lists}


@cache
def folds() -> dict[str, int]:
    """The fold of each function: half of the toxic and half of the clean ones, drawn by the seed alone."""
    found, draw = dict[str, int](), random.Random(data.SEED)
    for toxic in (True, False):
        names = sorted({name for name, label, _ in templates() if (label != "clean") == toxic})
        draw.shuffle(names)
        found |= {name: place % FOLDS for place, name in enumerate(names)}
    return found


def _filled(function: str, label: str, template: str, place: int, each: int) -> Iterator[Row]:
    """The template with `each` fillings, which ones by its place, so that all come about as often."""
    slots = {name.lower() for name in SLOT.findall(template)}
    known, named = fillers(), slots - set(fillers())
    for turn in range(each if slots else 1):
        group = groups()[(place * each + turn) % len(groups())] if named else {}
        values = {name: known[name][(place * each + turn) % len(known[name])] for name in slots - named}
        values |= {name: group["plural" if name == "group" else name] for name in named}
        text = SLOT.sub(lambda slot, values=values: _value(slot[1], values), template)
        yield Row(text, label, function, template, group.get("group", ""))


def _value(slot: str, values: dict[str, str]) -> str:
    """What stands in a slot, with a large letter where the slot has one."""
    value = values[slot.lower()]
    return value[0].upper() + value[1:] if slot[0].isupper() else value


def mentions() -> list[Row]:
    """The templates that only mention a group or speak well of it, with every group."""
    of = (one for one in templates() if one[0] in MENTIONS)
    return list(itertools.chain.from_iterable(_filled(*one, 0, len(groups())) for one in of))


@dataclass(frozen=True)
class Sentence:
    """One sentence; `near` are the functions that it comes near, None where that was not read."""

    text: str
    toxic: bool
    near: tuple[str, ...] | None


@cache
def sentences() -> tuple[Sentence, ...]:
    """The sentences of toxicity_sentences/, in the order of the files' names."""
    return tuple(one for path in sorted(WRITTEN.glob("*.txt")) for one in _of_file(path))


def far_from(judged: Collection[str]) -> list[Sentence]:
    """The sentences that come near none of these functions."""
    return [one for one in sentences() if one.near is not None and not set(one.near) & set(judged)]


def _of_file(path: Path) -> Iterator[Sentence]:
    near = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            _, bar, named = line.partition(" |")
            near = _names(named) if bar else None
        elif line.startswith("~"):
            near = _names(line[1:])
        elif line[:2] in ("+ ", "- "):
            yield Sentence(line[2:], line[0] == "+", near)


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.split(";") if name.strip())
