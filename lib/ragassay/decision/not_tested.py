"""What was not tested, in one table: from the limits of the chapters that begin so, and from what gates,
checks, instruments and raters left out."""

import re
from collections.abc import Mapping

import pandas as pd

from ragassay.decision import gate_texts
from ragassay.decision.conditions_of_use import FEWEST_RATED
from ragassay.decision.gates import INCOMPLETE, worst_rows
from ragassay.scores.names import display_name, in_words, level_name

BEGINS = "Not tested, "  # how such a limit begins: `Not tested, WHAT: WHY.`
COLUMNS = ["what", "why", "what it would take"]
RISK_CHAPTER = "00_scope"  # whose limits of this kind are risks: `Not tested, RISK: WHAT.`
NO_TEST = "no test of this run covers it"
REASON = re.compile(r"^(?:no answer: )?not applicable: ")
OTHERWISE = "Remove the reason, then run again"
TAKES = {  # how what begins -> what it would take
    "weak spots": "More questions of these kinds and of others; where a level is unknown, its statement",
    "pairs of levels": "More questions in the small slices",
    "another system": "The answers of a challenger to the same questions",
    "a language model as judge": "Name a judge in the parameters",
    "true success": "More labels, both of accepted and of rejected answers",
    "saturated": "Ratings of the same property, or a metric that tells answers apart",
}


def not_tested(
    limits: pd.DataFrame,
    *,
    gates: pd.DataFrame,
    aside: pd.DataFrame,
    checks: pd.DataFrame,
    rated: Mapping[str, int],
    barred: Mapping[str, str],
) -> pd.DataFrame:
    """What was not tested, why, and what it would take; what has one reason is one row.

    limits : of `evidence.limits`; gates, aside : of `gates.evaluate` and `gates.set_aside`
    rated : language -> rated answers; barred : metric -> why no gate may rest on it
    """
    rows = [
        *_gates(gates, aside),
        *_languages(rated),
        *_limits(limits),
        *_checks(checks),
        *(
            (f"the metric {display_name(name)}, excluded", why, "Ratings, or a metric that passes")
            for name, why in barred.items()
        ),
    ]
    table = pd.DataFrame(rows, columns=COLUMNS).drop_duplicates()
    joined = table.groupby(["why", "what it would take"], sort=False)["what"].agg("; ".join).reset_index()
    return joined[COLUMNS]


def sentences(table: pd.DataFrame) -> list[str]:
    """`WHAT: WHY.` of each row, for the record of the decision."""
    return [f"{row.what}: {row.why}." for row in table.itertuples()]


def _gates(gates: pd.DataFrame, aside: pd.DataFrame) -> list[tuple[str, str, str]]:
    worst = worst_rows(gates)
    missing = worst[worst["outcome"] == INCOMPLETE].to_dict("records")
    rows = [
        (f"Gate: {gate_texts.name(row)}", in_words(str(row["reason"])), "The cases or scores it lacks")
        for row in missing
    ]
    apart = "An assistant that can be asked"
    return [*rows, *((f"Gate: {row.gate} ({row.rule})", row.reason, apart) for row in aside.itertuples())]


def _languages(rated: Mapping[str, int]) -> list[tuple[str, str, str]]:
    why = f"fewer than {FEWEST_RATED} answers were rated"
    takes = f"Ratings, up to {FEWEST_RATED} in each language"
    few = {name: n for name, n in rated.items() if n < FEWEST_RATED}
    return [(f"{level_name('language', name)} ({n} rated)", why, takes) for name, n in few.items()]


def _limits(limits: pd.DataFrame) -> list[tuple[str, str, str]]:
    stated = limits[limits["limit"].str.startswith(BEGINS)]
    return [_limit(row.limit, row.chapter) for row in stated.itertuples()]


def _limit(text: str, chapter: str) -> tuple[str, str, str]:
    what, _, why = text.removeprefix(BEGINS).rstrip(".").partition(": ")
    if chapter == RISK_CHAPTER:
        return why, f"{NO_TEST}: {what}", "A test of its own, or the judgement of experts"
    takes = next((takes for begins, takes in TAKES.items() if what.startswith(begins)), OTHERWISE)
    return what, REASON.sub("", why), takes


def _checks(checks: pd.DataFrame) -> list[tuple[str, str, str]]:
    rows = checks[checks["outcome"] == "not applicable"].drop_duplicates(["check", "aspect", "reason"])
    return [
        (f"{row.check}, {row.aspect}", REASON.sub("", str(row.reason)), OTHERWISE)
        for row in rows.itertuples()
    ]
