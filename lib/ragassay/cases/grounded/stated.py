"""The documents of a made-up company: one for each row that describes something, every fact word for word as the database holds it."""

import random
from pathlib import Path

from ragassay.cases.grounded.company import Company, between, naming_column
from ragassay.cases.grounded.fill import shown
from ragassay.cases.grounded.schema import SURROGATE, TRUTH, Column, Link, Table
from ragassay.cases.grounded.texts import in_words, noun

STATED = (
    "The {what} of {who} is {value}.",
    "{Who} has {article} {what} of {value}.",
    "As registered, the {what} of {who} is {value}.",
    "For {who}, the {what} is {value}.",
)
WHETHER = (
    "Under '{what}', the record of {who} says {value}.",
    "The record of {who} says {value} under '{what}'.",
)
BELONGS = ("{Who} belongs to the {other}.", "The {role} of {who} is the {other}.")
LONGEST_NAME = 60  # characters of a table's name in that of a file


def documents(folder: Path, company: Company, draw: random.Random) -> int:
    """Write a document for every row; how many facts they state.

    A table that only links others has none: what it says stands in the documents of the rows it links.
    """
    stated, taken = 0, set()
    for place, table in enumerate(company.schema.tables):
        if naming_column(table) is None and (
            len(table.links) > 1 or not any(column.descriptive for column in table.columns)
        ):
            continue
        stem = in_words(table.name).replace(" ", "-").lower()[:LONGEST_NAME] or "table"
        stem = f"{stem}-t{place}" if stem in taken else stem
        taken.add(stem)
        for number in range(company.rows):
            facts = _facts(company, table, number, draw)
            (folder / f"{stem}-{number + 1:04d}.md").write_text(
                _title(company, table, number) + "\n\n".join(facts) + "\n", encoding="utf-8"
            )
            stated += len(facts)
    return stated


def _title(company: Company, table: Table, number: int) -> str:
    kind, name = noun(table.name), company.known_as(table, number)
    subject = name if naming_column(table) else f"The {kind} {name}"
    return f"# The {kind} {name}\n\n{subject} is {_article(kind)} {kind} of {company.name}.\n\n"


def _facts(company: Company, table: Table, number: int, draw: random.Random) -> list[str]:
    who = f"the {noun(table.name)} {company.known_as(table, number)}"
    naming, row = naming_column(table), company.data[table.name][number]
    own = [
        _own(column, who, shown(row[column.name]), draw)
        for column in table.columns
        if column.descriptive and column is not naming
    ]
    led = [
        _led(link, who, other, draw) for link in table.links if (other := company.met(table, link, number))
    ]
    told = [_between(company, other, mine, number, who) for other, mine in between(company.schema, table)]
    return own + led + told


def _own(column: Column, who: str, value: str, draw: random.Random) -> str:
    what = in_words(column.name)
    words = {
        "what": what,
        "article": _article(what),
        "who": who,
        "Who": who[:1].upper() + who[1:],
        "value": value,
    }
    return draw.choice(WHETHER if column.kind == TRUTH else STATED).format(**words)


def _led(link: Link, who: str, other: str, draw: random.Random) -> str:
    """`The manager of the clerk A is the clerk B.`: the role is the column's name without its id."""
    role = in_words(SURROGATE.sub("", link.columns[0])) if len(link.columns) == 1 else ""
    plain = not role or role == noun(link.other)
    said = draw.choice(BELONGS) if plain else BELONGS[1]
    return said.format(who=who, Who=who[:1].upper() + who[1:], other=other, role=role or noun(link.other))


def _between(company: Company, table: Table, mine: Link, number: int, who: str) -> str:
    """What the row of a linking table says of the row `number` that its link `mine` leads to."""
    at, kind = company.leading_to(mine, table, number), noun(table.name)
    row = company.data[table.name][at]
    others = [
        f"the {met}" for link in table.links if link is not mine and (met := company.met(table, link, at))
    ]
    named = f" {company.known_as(table, at)}" if naming_column(table) else ""
    told = [f"the {in_words(column.name)} is {shown(row[column.name])}" for column in _told(table)]
    links = f"{_article(kind).capitalize()} {kind}{named} links {who} with {' and '.join(others) or 'nothing else'}"
    return links + (f"; its record says that {' and '.join(told)}." if told else ".")


def _told(table: Table) -> list[Column]:
    return [column for column in table.columns if column.descriptive and column is not naming_column(table)]


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
