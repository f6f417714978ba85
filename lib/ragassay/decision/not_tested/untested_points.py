"""Points that were not tested, by what they are about: from the limits of the chapters that begin so, and
from what gates, checks, instruments, raters and users left out."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

import pandas as pd

from ragassay.cases.case_origins import COLUMN, LOG
from ragassay.cases.sample_adequacy import half_width
from ragassay.decision import independence
from ragassay.decision.closing.earlier_findings import OPEN
from ragassay.decision.conditions_of_use import FEWEST_RATED
from ragassay.decision.gates import gate_texts
from ragassay.decision.gates.gates import INCOMPLETE, worst_rows
from ragassay.decision.not_tested import risk_register
from ragassay.scores.display_names import display_name, in_words, level_name
from ragassay.scores.metric_registry import METRICS
from ragassay.stats import percent_text

BEGINS = "Not tested, "  # how such a limit begins: `Not tested, WHAT: WHY.`
OWN_RISK = "own risk"  # as such a limit of the engagement's own register begins
FEWEST_OF_USERS = 30  # questions that users asked, from which on their share is told
WIDTH_OF_USERS = percent_text(half_width(0.5, FEWEST_OF_USERS))  # to which such a share is known at 50 %
TAKES_OF_USERS = (
    "Questions that users asked, rated like the others: {more} more for a first share, known to ±"
    f"{WIDTH_OF_USERS} at 50 %; as many as the own ones to know it as well"
)
USERS, INDEPENDENCE, GATES = "Questions of users", "Independence", "Gates without a verdict"
OWN, READ, SYSTEM = "Own risks without a test", "Answers that no rater read", "Comparison"
INSTRUMENTS, SPOTS, OTHER = "Instruments", "Weak spots", "Other"
NO_TEST = "it names no test of this report"
UNREAD = "no rater read them"
EXCLUDED = "it failed its examination ([chapter](#instruments))"
REASON = re.compile(r"^(?:no answer: )?not applicable: ")
OTHERWISE = "What the reason names, then a new run"
MODELS = {"entailment": "a model of entailment", "encoder": "an encoder"}
OUTSIDERS = (  # who is not independent, what is therefore not tested, and what it would take
    (
        "the raters are",
        "answers as independent raters judge them",
        "People outside the team, who rate the same answers",
    ),
    (
        "the validator is",
        "this report, as somebody who neither built nor owns the system reads it",
        "A review by such a person",
    ),
)


class Point(NamedTuple):
    """What was not tested, why, and what it would take; what it is about: a risk, or one of the groups above;
    "" where its reason alone tells."""

    group: str
    what: str
    why: str
    takes: str


class Basis(NamedTuple):
    """What every share rests on: questions of the test set, how many of them users asked, who is independent,
    and the number of the open finding on that, ""; risk -> severity and number of the open finding that makes
    it graver than the register says."""

    asked: int
    of_users: int
    standing: independence.Independence
    finding: str = ""
    graver: Mapping[str, tuple[str, str]] = {}

    @classmethod
    def of(cls, cases: pd.DataFrame, standing: independence.Independence, findings: pd.DataFrame) -> "Basis":
        """Of the test set, and of the findings that were raised."""
        found = findings[(findings["source"] == independence.SOURCE) & (findings["status"] == OPEN)]
        number = next(iter(found["finding_id"]), "")
        of_users = int((cases[COLUMN] == LOG).sum())
        return cls(len(cases), of_users, standing, str(number), risk_register.graver(findings))


def of_basis(basis: Basis) -> Iterator[Point]:
    """Questions that no user asked, and readings that nobody independent made."""
    if basis.of_users < FEWEST_OF_USERS:
        why = f"users asked {basis.of_users or 'none'} of the {basis.asked:,} questions"
        needed = TAKES_OF_USERS.format(more=FEWEST_OF_USERS - basis.of_users)
        yield Point(USERS, "what users ask", why, needed)
    number = f" ({basis.finding})" if basis.finding else ""
    for state, (who, what, takes) in zip(basis.standing[:2], OUTSIDERS, strict=True):
        said = {
            independence.NO: f"{who} not independent",
            independence.UNSTATED: f"whether {who} independent is not stated",
        }
        if state in said:
            yield Point(INDEPENDENCE, what, f"{said[state]}{number}", takes)


def of_gates(gates: pd.DataFrame, aside: pd.DataFrame) -> Iterator[Point]:
    """Gates that came to no verdict."""
    worst = worst_rows(gates)
    for row in worst[worst["outcome"] == INCOMPLETE].to_dict("records"):
        why = in_words(str(row["reason"]))
        yield Point(GATES, f"Gate: {gate_texts.name(row)}", why, "The cases or scores it lacks")
    for row in aside.itertuples():
        named = f"Gate: {display_name(row.gate)} ({row.rule})"
        yield Point(GATES, named, row.reason, "An assistant that can be asked")


def of_raters(unread: Mapping[str, int], rated: Mapping[str, int]) -> Iterator[Point]:
    """Answers that no rater read, by origin, and languages of which too few were rated."""
    for origin, n in unread.items():
        if n:
            what = f"{n} answers to {level_name('origin', origin)}"
            yield Point(READ, what, UNREAD, f"Raters who read these {n} answers")
    why = f"fewer than {FEWEST_RATED} answers were rated"
    for name, n in rated.items():
        if n < FEWEST_RATED:
            what = f"{level_name('language', name)} ({n} rated)"
            yield Point(READ, what, why, f"{FEWEST_RATED - n} more rated answers to it")


def of_checks(checks: pd.DataFrame) -> Iterator[Point]:
    """Checks that could not be tried, and those that rest on no case at all, by the risk they test."""
    told, risk_of = (
        (checks["outcome"] == "not applicable") | (checks["n"] == 0),
        risk_register.risk_of_checks(),
    )
    for row in checks[told].drop_duplicates(["check", "aspect", "reason"]).itertuples():
        group, aspect = risk_of.get(row.check, OTHER), level_name("kind", row.aspect)
        what = aspect if group.casefold() == row.check else f"{row.check}, {aspect}"
        why = REASON.sub("", str(row.reason))
        yield Point(group, what, why, takes(what, why))


def of_limits(limits: pd.DataFrame) -> Iterator[Point]:
    """The limits of the chapters that say what was not tested."""
    for text in limits["limit"]:
        if text.startswith(BEGINS):
            yield _limit(text)


def of_instruments(barred: Iterable[str]) -> Iterator[Point]:
    """Metrics on which no gate may rest."""
    for name in barred:
        models = METRICS[name].models if name in METRICS else ()
        larger = next((f", or {words} that passes" for model, words in MODELS.items() if model in models), "")
        yield Point(
            INSTRUMENTS,
            f"the metric {display_name(name)}",
            EXCLUDED,
            f"Raters' labels of the same property{larger}",
        )


def takes(what: str, why: str) -> str:
    """What it would take to test it, by what is missing."""
    return _fitting(what, why).get("takes", OTHERWISE)


def _limit(text: str) -> Point:
    what, _, why = text.removeprefix(BEGINS).rstrip(".").partition(": ")
    group = _fitting(what, why).get("group", "")
    if what == OWN_RISK:
        return Point(group, why, f"{NO_TEST}: {what}", takes(what, why))
    return Point(group, what, REASON.sub("", why), takes(what, why))


def _fitting(what: str, why: str) -> dict[str, str]:
    """The first row of the table whose words both hold; nothing where none does."""
    return next((row for row in _takes() if what.startswith(row["what"]) and row["why"] in why), {})


@lru_cache(maxsize=1)
def _takes() -> list[dict[str, str]]:
    path = resources.files("ragassay.decision.not_tested").joinpath("missing_tests.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
