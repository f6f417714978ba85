"""Templates of what a reader sees: words filled from typed fields, and words as data."""

import csv
import re
from functools import cache
from pathlib import Path
from typing import Any

from ragassay.sanitized_text import clean

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&])")


def fill_template(name: str, **values: Any) -> str:
    """The template `words/NAME` with the values in its places, shown letter for letter, as markdown."""
    return _templates().get_template(name).render(values).strip()


def literal(value: Any) -> str:
    """Text of the data as markdown that shows it letter for letter, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(clean(str(value), 0).split()))


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("ragassay.report", "templates/words")
    return Environment(
        loader=loader, finalize=literal, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@cache
def read_rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file of the report's folder: `methods`, `templates/words/findings`."""
    with (Path(__file__).parents[1] / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
