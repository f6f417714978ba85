"""How this validation was made: whether raters and validator are independent of who built and owns the
system, and whether its tier fits its exposure, as the engagement states it; whether all answers are of one
version."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from ragassay.answers import system_under_test

YES, NO, UNSTATED = "yes", "no", "unstated"
NO_NAME = ("", "not stated")


class Independence(NamedTuple):
    """What is stated of raters and validator, each yes, no or unstated (raters "" where nobody rated); how
    many answers were read; who must answer for it."""

    raters: str
    validator: str
    answers: int = 0
    owner: str = ""


def read(record: Mapping, raters: Mapping) -> Independence:
    """Of the engagement's record, and of what notebook 04 keeps of the raters: independent, answers. A
    validator who bears the name or role of the developer or owner is not independent, whatever is stated."""
    answers = int(raters.get("answers") or 0)
    stated = str(raters.get("independent") or UNSTATED) if answers else ""
    own, *roles = (str(record.get(role) or "") for role in ("validator", "developer", "owner"))
    holds_a_role = any(is_same(own, other) for other in roles)
    validator = NO if holds_a_role else str(record.get("validator_independent") or UNSTATED)
    named = (str(record.get(name) or "").strip() for name in ("reporting_line", "approver"))
    owner = next((name for name in named if name not in NO_NAME), "")
    return Independence(stated, validator, answers, owner)


def flaws(record: Mapping, standing: Independence, answers: pd.DataFrame) -> list[dict]:
    """What of the process is a finding: name, aspect, n, owner ("": the findings' own), file.

    independence : `stated` where somebody is not independent, `unstated` where nobody says
    one_version : `mixed` where versions gave the answers, `unknown` where some replies named none
    tier : `low` where the stated tier is below the one that follows from exposure
    record : of the engagement; answers : all of the validated system
    """
    rows: list[dict] = []
    if not {standing.raters, standing.validator} <= {YES, ""}:
        aspect = "stated" if NO in (standing.raters, standing.validator) else "unstated"
        file = "raters.json" if standing.raters not in (YES, "") else "engagement.json"
        unstated = [who for who in ("raters", "validator") if getattr(standing, who) == UNSTATED]
        row = {"name": "independence", "aspect": aspect, "owner": standing.owner, "file": file}
        rows.append(row | {"n": standing.answers, "reason": " and ".join(unstated)})
    n_of = {part["version"]: part["n"] for part in system_under_test.versions_of(answers)}
    known = n_of.keys() - {None}
    if known and len(n_of) > 1:
        aspect = "mixed" if len(known) > 1 else "unknown"
        row = {"name": "one_version", "aspect": aspect, "owner": "", "file": "tables/answers.parquet"}
        rows.append(row | {"n": sum(n_of.values()), "cases": len(known)})
    if record.get("tier_below_exposure"):
        rows.append({"name": "tier", "aspect": "low", "owner": "", "file": "engagement.json", "n": 0})
    return rows


def is_same(one: str, other: str) -> bool:
    """Whether two names are one, or one is a part of the other: `A. Smith, Head of Banking`."""
    mine, theirs = (
        [" ".join(part.casefold().split()) for part in (name, *re.split("[,;/()]", name))]
        for name in (one, other)
    )
    is_stated = mine[0] not in NO_NAME and theirs[0] not in NO_NAME
    return is_stated and (mine[0] in theirs or theirs[0] in mine)
