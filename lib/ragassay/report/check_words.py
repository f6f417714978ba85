"""What a check found, in words: the templates of `templates/words/checks.csv` over the row's typed fields."""

import csv
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib import resources
from typing import Any

import pandas as pd

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.checks import BOTH, NOT_APPLICABLE
from ragassay.cases.prohibited_uses import PROHIBITED
from ragassay.scores.display_names import display_name, level_name
from ragassay.stats import number_text, percent_text
from ragassay.tables import is_missing

ANY = "*"
WORDS = ("title", "statement", "criterion", "cause", "effect", "action")
SHARES = ("answered", "declined")  # compared between groups, and no metrics
NUMBERS = ("value", "low", "high")
NOTHING = "–"


def with_words(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table `checks` with title, statement, criterion, cause, effect and action."""
    found = [_words_of(row) for row in rows.to_dict("records")]
    return rows.assign(**{name: [one[name] for one in found] for name in WORDS})


@lru_cache(maxsize=1)
def templates() -> dict[tuple[str, str], dict[str, str]]:
    """The templates of each check and aspect; the aspect `*` stands for any other."""
    text = resources.files("ragassay.report").joinpath("templates/words/checks.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return {(row["check"], row["aspect"]): row for row in rows}


def _words_of(row: Mapping[str, Any]) -> dict[str, str]:
    known = templates()
    own = known.get((row["check"], row["aspect"])) or known[row["check"], ANY]
    fields = _fields(row)
    words = {name: _sentence(own[name].format(**fields)) for name in WORDS}
    if row["limit"] == 0:
        words["criterion"] = known[ANY, "none"]["criterion"]
    if row["outcome"] == NOT_APPLICABLE:
        words["statement"] = known[ANY, ANY]["statement"]
    return words


def _fields(row: Mapping[str, Any]) -> dict[str, str]:
    """The row's columns as they are printed: shares in whole per cent, differences in points or units."""
    is_difference = row["bound"] == BOTH or row["limit"] < 0
    write = partial(_difference, metric=row["metric"]) if is_difference else percent_text
    value, low, high = (NOTHING if is_missing(row[name]) else write(row[name]) for name in NUMBERS)
    return {
        **{name: "" if is_missing(text) else str(text) for name, text in row.items()},
        "value": value,
        "low": low.split()[0],
        "high": high.split()[0],
        "limit": write(abs(row["limit"])).removeprefix("+"),
        "aspect": level_name("kind", row["aspect"].removeprefix(PROHIBITED)).replace("_", " "),
        "metric": display_name(row["metric"]),
        "n": f"{row['n']:,}",
        "cases": NOTHING if is_missing(row["cases"]) else f"{row['cases']:,.0f}",
    }


def _difference(value: float, metric: str) -> str:
    if is_share(metric) or metric in SHARES:
        return f"{number_text(100 * value, 0, signed=True)} points"
    return number_text(value, 2, signed=True)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
