"""What stands beside the code as data: lists of words and patterns, one entry a line, `#` before a remark;
and tables.
"""

import csv
from importlib.resources import files


def entries(name: str) -> list[str]:
    """The entries of a list, by its place in this room: `text_reading/cue_words.txt`."""
    return [line for line in _lines(name) if line.strip() and not line.startswith("#")]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table: `families/metrics.csv`."""
    return list(csv.DictReader(_lines(name)))


def _lines(name: str) -> list[str]:
    return files("ragassay.scores").joinpath(name).read_text(encoding="utf-8").splitlines(keepends=False)


def patterns(name: str) -> list[tuple[str, str]]:
    """Name and expression of each entry `name = expression`; an entry `<part> = expression` is put in where
    an entry after it says `<part>`.
    """
    parts, found = dict[str, str](), list[tuple[str, str]]()
    for entry in entries(name):
        name, expression = entry.split(" = ", 1)
        for part, inner in parts.items():
            expression = expression.replace(part, inner)
        if name.startswith("<"):
            parts[name] = expression
        else:
            found.append((name, expression))
    return found
