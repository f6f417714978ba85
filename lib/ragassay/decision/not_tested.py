"""What was not tested, in one table: from the limits of the chapters that begin so, and from what gates,
checks, instruments and raters left out."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources

import pandas as pd

from ragassay.decision import gate_texts
from ragassay.decision.conditions_of_use import FEWEST_RATED
from ragassay.decision.gates import INCOMPLETE, worst_rows
from ragassay.scores.names import display_name, in_words, level_name
from ragassay.scores.registry import METRICS

BEGINS = "Not tested, "  # how such a limit begins: `Not tested, WHAT: WHY.`
COLUMNS = ["what", "why", "what it would take"]
OWN_RISK = "own risk"  # as such a limit of the engagement's own register begins
NO_TEST = "it names no test of this report"
UNREAD = "no rater read them"
EXCLUDED = "it failed its examination ([chapter](#instruments))"
REASON = re.compile(r"^(?:no answer: )?not applicable: ")
OTHERWISE = "What the reason names, then a new run"
MODELS = {"entailment": "a model of entailment", "encoder": "an encoder"}
Row = tuple[str, str, str]


def not_tested(
    limits: pd.DataFrame,
    *,
    gates: pd.DataFrame,
    aside: pd.DataFrame,
    checks: pd.DataFrame,
    rated: Mapping[str, int],
    barred: Iterable[str],
    unread: Mapping[str, int],
    aspects: Iterable[Row],
) -> pd.DataFrame:
    """What was not tested, why, and what it would take; what has one reason is one row.

    limits : of `evidence.limits`; gates, aside : of `gates.evaluate` and `gates.set_aside`
    rated : language -> rated answers; barred : metrics on which no gate may rest
    unread : origin -> answers that no rater read; aspects : of `risk_register.untested`
    """
    rows = [
        *_gates(gates, aside),
        *_unread(unread),
        *_languages(rated),
        *_checks(checks),
        *aspects,
        *_limits(limits),
        *map(_barred, barred),
    ]
    table = pd.DataFrame(rows, columns=COLUMNS).drop_duplicates()
    joined = table.groupby(["why", "what it would take"], sort=False)["what"].agg("; ".join).reset_index()
    return joined[COLUMNS]


def sentences(table: pd.DataFrame) -> list[str]:
    """`WHAT: WHY.` of each row, for the record of the decision."""
    return [f"{row.what}: {row.why}." for row in table.itertuples()]


def _gates(gates: pd.DataFrame, aside: pd.DataFrame) -> list[Row]:
    worst = worst_rows(gates)
    missing = worst[worst["outcome"] == INCOMPLETE].to_dict("records")
    rows = [
        (f"Gate: {gate_texts.name(row)}", in_words(str(row["reason"])), "The cases or scores it lacks")
        for row in missing
    ]
    apart = "An assistant that can be asked"
    return [
        *rows,
        *((f"Gate: {display_name(row.gate)} ({row.rule})", row.reason, apart) for row in aside.itertuples()),
    ]


def _unread(unread: Mapping[str, int]) -> Iterator[Row]:
    for origin, n in unread.items():
        if n:
            yield (
                f"{n} answers to {level_name('origin', origin)}",
                UNREAD,
                f"Raters who read these {n} answers",
            )


def _languages(rated: Mapping[str, int]) -> list[Row]:
    why = f"fewer than {FEWEST_RATED} answers were rated"
    return [
        (f"{level_name('language', name)} ({n} rated)", why, f"{FEWEST_RATED - n} more rated answers to it")
        for name, n in rated.items()
        if n < FEWEST_RATED
    ]


def _limits(limits: pd.DataFrame) -> list[Row]:
    return [_limit(text) for text in limits["limit"] if text.startswith(BEGINS)]


def _limit(text: str) -> Row:
    what, _, why = text.removeprefix(BEGINS).rstrip(".").partition(": ")
    if what == OWN_RISK:
        return why, f"{NO_TEST}: {what}", takes(what, why)
    return what, REASON.sub("", why), takes(what, why)


def _checks(checks: pd.DataFrame) -> list[Row]:
    """Checks that could not be tried, and those that rest on no case at all."""
    told = (checks["outcome"] == "not applicable") | (checks["n"] == 0)
    rows = checks[told].drop_duplicates(["check", "aspect", "reason"])
    named = [
        (f"{row.check}, {level_name('kind', row.aspect)}", REASON.sub("", str(row.reason)))
        for row in rows.itertuples()
    ]
    return [(what, why, takes(what, why)) for what, why in named]


def _barred(name: str) -> Row:
    models = METRICS[name].models if name in METRICS else ()
    larger = next((f", or {words} that passes" for model, words in MODELS.items() if model in models), "")
    return f"the metric {display_name(name)}", EXCLUDED, f"Raters' labels of the same property{larger}"


def takes(what: str, why: str) -> str:
    """What it would take to test it, by what is missing: the first row of the table whose words both hold."""
    fitting = (row["takes"] for row in _takes() if what.startswith(row["what"]) and row["why"] in why)
    return next(fitting, OTHERWISE)


@lru_cache(maxsize=1)
def _takes() -> list[dict[str, str]]:
    path = resources.files("ragassay.decision").joinpath("untested_takes.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
