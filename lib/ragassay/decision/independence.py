"""Whether raters and validator are independent of who built and owns the system, as the engagement states it:
a finding where they are not, or where nobody says; and what stands beside gates that such raters decide."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import nan
from typing import NamedTuple

import pandas as pd

from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_PROCESS, Draft
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.gates.gates import add_beside
from ragassay.decision.named_people import names_person

SOURCE = f"{FROM_PROCESS}independence"
YES, NO, UNSTATED = "yes", "no", "unstated"
NO_NAME = ("", "not stated")
ROLES = ("developer", "owner")
FILES = {"raters": "raters.json", "engagement": "engagement.json"}  # what its finding rests on
BESIDE = "raters not independent"
BARRED = "no labels of raters who are said to be independent show it"
CRITERION = "Raters judge independently, and the validator neither built nor owns the system."
EFFECT = (
    "Raters and validators who stand near the system may judge it otherwise than others would: every share "
    "by raters, and the verdict that rests on it, may be too good or too bad."
)
FROM_RECORD = "By the engagement's record, as chapter Document control prints it."
OUTSIDERS = "have people outside the team rate all these answers, or as many of a later run"
REVIEW = "have somebody who neither built nor owns the system review this report"
STATE = "state in the parameters whether raters and validator are independent"
RATERS_SAID = {
    NO: "The raters did not judge independently, by the engagement's own word.",
    UNSTATED: "Whether the raters judged independently is not stated.",
}
VALIDATOR_SAID = {
    NO: "The validator is not independent, by the engagement's own word.",
    UNSTATED: "Whether the validator is independent is not stated.",
}
_BREAK = re.compile(r"[,;/()]")


class Independence(NamedTuple):
    """What is stated of raters and validator, each yes, no or unstated (raters "" where nobody rated); how
    many answers were read; the role (developer, owner) that the validator holds too, ""; who must answer; the
    record's own statement of independence, ""; of which of raters and validator it names no person."""

    raters: str
    validator: str
    answers: int = 0
    held: str = ""
    owner: str = ""
    statement: str = ""
    unnamed: tuple[str, ...] = ()


def read(record: Mapping, raters: Mapping) -> Independence:
    """Of the engagement's record, and of what notebook 04 keeps of the raters: independent, answers."""
    answers = int(raters.get("answers") or 0)
    stated = str(raters.get("independent") or UNSTATED) if answers else ""
    named = (str(record.get(name) or "").strip() for name in ("reporting_line", "approver"))
    owner = next((name for name in named if name not in NO_NAME), "")
    told = str(record.get("independence") or "").strip()
    told = "" if told in NO_NAME else told
    people = {"raters": raters.get("raters"), "validator": record.get("validator")}
    unnamed = tuple(name for name, text in people.items() if not names_person(str(text or "")))
    return Independence(stated, of_validator(record), answers, _role_held(record), owner, told, unnamed)


def of_validator(record: Mapping) -> str:
    """Whether the validator is independent: yes, no, unstated; no where they bear the name or role of the
    developer or owner, whatever is stated."""
    return NO if _role_held(record) else str(record.get("validator_independent") or UNSTATED)


def finding(found: Independence) -> tuple[list[Draft], list[Criterion]]:
    """The draft of a finding, High where somebody is not independent, Medium where it is not stated; where
    both are independent none, and the criterion as met; not met where nobody rated."""
    if {found.raters, found.validator} <= {YES, ""}:
        return [], [_criterion(found, passed=not found.unnamed)] if found.raters else []
    severity = "High" if NO in (found.raters, found.validator) else "Medium"
    return [
        {
            "title": _title(found),
            "condition": " ".join(_conditions(found)),
            "criterion": CRITERION,
            "effect": EFFECT,
            "severity": severity,
            "strata": [],
            "failing": [],
            "share": nan,
            "recommendation": _capital(f"{'; '.join(_advice(found))}."),
            "source": SOURCE,
            "table": "raters" if found.raters not in (YES, "") else "engagement",
            "owner": found.owner,
            "asked": _criterion(found, passed=False),
            **_cause(found),
            **{"n": found.answers, "value": nan, "low": nan, "high": nan},
        }
    ], []


def _cause(found: Independence) -> dict[str, str]:
    """What the record itself states of why somebody is not independent; nothing where it states nothing, or
    nobody is said not to be."""
    held = f"The validator is the {found.held} too." if found.held else ""
    said = f"The record states of independence: “{found.statement}”" if found.statement else ""
    if NO not in (found.raters, found.validator) or not (held or said):
        return {}
    return {"cause": " ".join(filter(None, (held, said))), "cause_evidence": FROM_RECORD}


def mark(gates: pd.DataFrame, found: Independence) -> pd.DataFrame:
    """The gates; beside those that rest on raters who are not independent stands that they are not."""
    if found.raters != NO:
        return gates
    rated = gates["metric"].map(rated_by_people)
    return add_beside(gates, [BESIDE if one else "" for one in rated])


def rests_on_labels(source: str) -> bool:
    """Whether labels of raters show that this criterion is met: of errors in answers, of what raters say."""
    return source.startswith(FROM_ERRORS) or rated_by_people(metric_of(source))


def barred(met: Iterable[Criterion], found: Independence) -> frozenset[Criterion]:
    """What a run met; what rests on labels of raters who are not said to be independent closes nothing."""
    if found.raters not in (NO, UNSTATED):
        return frozenset(met)
    return frozenset(replace(each, barred=BARRED) if rests_on_labels(each.source) else each for each in met)


def _criterion(found: Independence, *, passed: bool) -> Criterion:
    """Met where the record names persons as raters and validator (`named_people`), and raters stated to be
    independent read as many answers as then."""
    rated = found.answers if found.raters == YES else 0
    return Criterion(SOURCE, passed, CRITERION, fewest=found.answers, n=rated)


def _role_held(record: Mapping) -> str:
    """Which of the roles the validator bears the name of, or names as their own; "" where none."""
    validator = str(record.get("validator") or "")
    return next((role for role in ROLES if is_same(validator, str(record.get(role) or ""))), "")


def is_same(one: str, other: str) -> bool:
    """Whether two names are one, or one is a part of the other: `A. Smith, Head of Banking`."""
    whole, parts = _plain(one), {_plain(part) for part in _BREAK.split(one)}
    other_whole, other_parts = _plain(other), {_plain(part) for part in _BREAK.split(other)}
    if whole in NO_NAME or other_whole in NO_NAME:
        return False
    return whole in other_parts | {other_whole} or other_whole in parts


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _title(found: Independence) -> str:
    """Who is not independent; where nobody is said to be, of whom it is not stated."""
    for word, said in ((NO, "{} not independent"), (UNSTATED, "whether {} independent is not stated")):
        who = [name for name, state in _people(found) if state == word]
        if who:
            verb = "is" if who == ["the validator"] else "are"
            named = " and ".join(who)
            told = said.format(f"{named} {verb}")
            return _capital(told)
    return ""


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _people(found: Independence) -> list[tuple[str, str]]:
    return [("the raters", found.raters), ("the validator", found.validator)]


def _conditions(found: Independence) -> Iterator[str]:
    if found.raters in RATERS_SAID:
        yield f"{RATERS_SAID[found.raters]} They read {found.answers} answers."
    if found.held:
        yield f"The validator has the name or role of the {found.held}."
    elif found.validator in VALIDATOR_SAID:
        yield VALIDATOR_SAID[found.validator]


def _advice(found: Independence) -> Iterator[str]:
    """What to do, each once: who is not independent is joined by somebody who is; what is open is stated."""
    if found.raters == NO:
        yield OUTSIDERS
    if found.validator == NO:
        yield REVIEW
    if UNSTATED in (found.raters, found.validator):
        yield STATE
