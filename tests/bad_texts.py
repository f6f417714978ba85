"""Texts that are likely to be bad for a regular expression, made of what it expects."""

import itertools
import random
import re
from collections.abc import Iterator
from re import _parser
from typing import Any

ALWAYS = ("a", " ", "\n", "1", ".", "-", "a ", "a.", "1,", "A ", "Aa ")
END = "\x01\n\x01"  # what few patterns expect: a run of what they do expect ends in it
CATEGORIES = {
    "DIGIT": "1", "NOT_DIGIT": "a", "SPACE": " ", "NOT_SPACE": "a", "WORD": "a", "NOT_WORD": "."
}  # fmt: skip


def bad_runs(pattern: re.Pattern, examples: int = 2) -> list[str]:
    """What a bad text repeats: each character that the pattern mentions, pairs of them, what it begins with,
    and examples of it, drawn by chance."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    letters = list(dict.fromkeys(_letters(tree)))
    pairs = ["".join(pair) for pair in itertools.pairwise([*letters[:12], *letters[:1]])]
    spaced = [letter + " " for letter in letters[:12]] + [f"{letter}." for letter in letters[:6]]
    rng = random.Random(0)
    starts = [start for _ in range(examples) for start in _starts(tree, rng)]
    return list(filter(None, dict.fromkeys([*letters[:24], *starts, *pairs, *spaced, *ALWAYS])))


def bad_text(run: str, length: int) -> str:
    """The run again and again, and at the end what is not expected."""
    return (run * (length // len(run) + 1))[:length] + END


def _letters(tree) -> Iterator[str]:
    """A character of every literal, class and category of the pattern."""
    for code, value in tree:
        name = str(code)
        if name in ("LITERAL", "RANGE"):
            yield chr(value if name == "LITERAL" else value[0])
        elif name == "NOT_LITERAL":
            yield "a" if value != ord("a") else "b"
        elif name == "ANY":
            yield "a"
        elif name == "CATEGORY":
            yield CATEGORIES[str(value).removeprefix("CATEGORY_")]
        elif name == "IN":
            yield from _class_letters(value)
        else:
            for part in _parts(value):
                yield from _letters(part)


def _class_letters(items) -> Iterator[str]:
    if str(items[0][0]) == "NEGATE":
        yield _outside(items[1:])
    yield from itertools.islice(_letters(item for item in items if str(item[0]) != "NEGATE"), 4)


def _outside(items) -> str:
    inside = set(_letters(items))
    words = any(str(code) == "CATEGORY" and str(value).endswith("_WORD") for code, value in items)
    return next((letter for letter in ("aA1 .,-\n" if not words else ".a 1") if letter not in inside), "a")


def _parts(value: Any) -> Iterator[Any]:
    """The patterns inside a group, a branch, a repeat, a look-around."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _parts(item)


def _starts(tree, rng: random.Random) -> Iterator[str]:
    """An example of the whole pattern, and of some of its beginnings; alternatives and repeats by chance."""
    parts = list(_example(tree, rng))
    for end in sorted({len(parts), *(rng.randint(1, max(1, len(parts))) for _ in range(2))}):
        yield "".join(parts[:end])


def _example(tree, rng: random.Random) -> Iterator[str]:
    for code, value in tree:
        name = str(code)
        if name == "BRANCH":
            yield from _example(rng.choice(value[1]), rng)
        elif name.endswith("REPEAT"):
            for _ in range(max(value[0], min(value[1], rng.randint(0, 2)))):
                yield from _example(value[2], rng)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from _example(next(_parts(value)), rng)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS"):
            yield rng.choice(list(_letters([(code, value)])) or ["a"])
