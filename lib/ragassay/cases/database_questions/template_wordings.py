"""A SQL template in words, by rule, in several styles;
every wording of a template asks the same (GRAMMAR 3.1, C, D)."""

import re
from collections.abc import Sequence

from ragassay.cases.database_questions.database_schema import CAMEL, TEXT, Column
from ragassay.cases.database_questions.sql_template import Placeholder, Template

IRREGULAR = {
    "people": "person",
    "children": "child",
    "staff": "member of staff",
    "men": "man",
    "women": "woman",
    "employees": "employee",
}
CALLED = ("name", "title", "label")
STYLES: dict[str, tuple[str, ...]] = {
    "short": ("{What} of {whose}?", "{What}, {whose}?"),
    "long": (
        "I am going through our records about {whose} and one detail is missing from my notes. Could you "
        "tell me what {what} {is}?",
        "Among everything that is known about {whose}, there is one thing I need to be sure of before I go "
        "on, namely {what}. What {is} {it}?",
    ),
    "interrogative": ("What {is} {what} of {whose}?", "Which {bare} {is} recorded for {whose}?"),
    "directive": ("State {what} of {whose}.", "Look up {what} recorded for {whose}."),
    "formal": (
        "Please be so kind as to provide {what} of {whose}.",
        "We would be obliged if you could confirm {what} recorded for {whose}.",
    ),
    "casual": ("hey, what {is} {what} of {whose}?", "any idea about {what} of {whose}?"),
}


def texts(template: Template, styles: Sequence[str] = tuple(STYLES)) -> dict[str, list[str]]:
    """Text templates by style, with the placeholders of the SQL; nothing for a template whose meaning rules
    cannot see (not `plain`).

    Raises
    ------
    ValueError
        If a style is unknown.
    """
    unknown = next((style for style in styles if style not in STYLES), None)
    if unknown:
        raise ValueError(f"style {unknown!r} is unknown; allowed: {', '.join(STYLES)}")
    target = template.selected[0]
    if not template.plain or isinstance(target, str):
        return {}
    bare, whose = in_words(target.name), _whose(target, template.placeholders)
    many = _singular(bare.split()[-1]) != bare.split()[-1]
    words = {
        "is": "are" if many else "is",
        "it": "they" if many else "it",
        "what": f"the {bare}",
        "What": bare[:1].upper() + bare[1:],
        "bare": bare,
        "whose": whose,
    }
    return {style: [pattern.format(**words) for pattern in STYLES[style]] for style in styles}


def in_words(name: str) -> str:
    """A name of a column as words: Sales_in_Billion, salesInBillion -> sales in billion."""
    return " ".join(
        word if word.isupper() and len(word) > 1 else word.lower()
        for word in re.split(r"[_\W]+", CAMEL.sub("_", name))
        if word
    )


def noun(table: str) -> str:
    """A table's name as the word for one of its rows: accounts -> account, people -> person."""
    *before, last = in_words(table).split() or ["row"]
    return " ".join([*before, IRREGULAR.get(last) or _singular(last)])


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _whose(target: Column, placeholders: Sequence[Placeholder]) -> str:
    """What the question is about: the row itself, or the row that belongs to the rows named."""
    tables = list(dict.fromkeys(one.column.table for one in placeholders))
    named = " and ".join(
        _entity(table, [one for one in placeholders if one.column.table == table]) for table in tables
    )
    return named if target.table in tables else f"the {noun(target.table)} that belongs to {named}"


def _entity(table: str, placeholders: Sequence[Placeholder]) -> str:
    """`the company [company.Name]`, `the company whose age is [company.Age]`."""
    first = placeholders[0]
    by_name = first.column.kind == TEXT and in_words(first.column.name).split()[-1] in CALLED
    rest = placeholders[1:] if by_name else placeholders
    conditions = " and ".join(f"whose {in_words(one.column.name)} is {one.written}" for one in rest)
    return " ".join(
        part for part in (f"the {noun(table)}", first.written if by_name else "", conditions) if part
    )
