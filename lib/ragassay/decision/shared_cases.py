"""What a requirement on raters' verdicts counts by itself: a case that a finding on errors holds is counted
there, and the requirement's finding points to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan

import pandas as pd

from ragassay.decision.earlier_findings import sources
from ragassay.decision.error_findings import FROM_ERRORS
from ragassay.decision.finding_texts import FROM_GATE, Draft
from ragassay.scores.directions import JUDGED
from ragassay.stats import clopper_pearson, interval_text

OF_EACH = "Each has the cause of the finding that counts it."
MOST_SIGNS = 300  # of a title
ONE_KIND = {
    "partial": "partial",
    "misleading": "misleading",
    "needless refusal": "needless refusals",
    "should have declined": "replies to questions without an answer",
    "unsafe": "unsafe",
}


HARM_OF = {  # category of an answer: the class of harm that it does by itself
    "partial": "partial",
    "misleading": "misleading",
    "needless refusal": "needless refusal",
    "should have declined": "false answer",
    "unsafe": "danger",
}


def without_errors(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; one of a gate on raters' verdicts counts (`lead`) what no finding on errors holds, and has
    `held`, source -> how many of its cases that finding holds. Its numbers are of what is left; where nothing
    is, they stay the gate's."""
    errors = [draft for draft in drafts if draft["source"].startswith(FROM_ERRORS)]
    return [_own(draft, errors) if _of_raters(draft) else draft for draft in drafts]


def pointing(rows: Sequence[dict], taxonomy: pd.DataFrame | None, harms: Mapping[str, str]) -> list[dict]:
    """The rows of findings in their order: one whose cases others count names
    these, and is not due before them. Arguments as of `told`."""
    numbers = {source: f"F{place}" for place, row in enumerate(rows, 1) for source in sources(row)}
    due = {source: row["due"] for row in rows for source in sources(row)}
    return [{**row, **told(row, numbers, taxonomy, harms), "due": latest_due(row, due)} for row in rows]


def told(
    row: Mapping,
    numbers: Mapping[str, str],
    taxonomy: pd.DataFrame | None,
    harms: Mapping[str, str] | None = None,
) -> dict:
    """Title and condition of such a draft, once findings have numbers, and where all that is left is of one
    kind the `harm` of it and the cases (`lead`) that show it; nothing of any other.

    numbers : source -> number of its finding; taxonomy : case_id, category, where answers were classified;
        harms : case -> its class of harm
    """
    held = {numbers[source]: count for source, count in row.get("held", {}).items() if source in numbers}
    if not held:
        return {}
    left, n, every = row["lead"], row["n"], len(row["failing"])
    where = ", ".join(f"{number} ({count})" for number, count in held.items())
    numbers_of = ", ".join(held)
    kinds = _kinds(left, taxonomy)
    rest = interval_text(row["value"], row["low"], row["high"], percent=True) if left else ""
    if left:
        title = f"{len(left)} of {n} answers {_are(kinds)}; with {numbers_of} they miss {_missed(row)}"
        own = f"Left, and counted here: {len(left)} of {n}, {rest}{_listed(kinds)}."
    else:
        title, own = f"{numbers_of} together miss {_missed(row)}", "None is left."
    counted = f"Of {every} answers that fall short {every - len(left)} are counted in {where}."
    shown = _shown(left, kinds, harms or {})
    return {"title": title[:MOST_SIGNS], "condition": f"{row['condition']} {counted} {own}", **shown}


def latest_due(row: Mapping, due: Mapping[str, str]) -> str:
    """By when it is due: not before the findings that count its cases. due : source -> date"""
    return max([row["due"], *(due[source] for source in row.get("held", {}) if source in due)])


def _of_raters(draft: Draft) -> bool:
    return draft["source"].startswith(f"{FROM_GATE}{JUDGED}")


def _own(draft: Draft, errors: Sequence[Draft]) -> Draft:
    cases = set(draft["failing"])
    shared = {error["source"]: len(cases & set(error["failing"])) for error in errors}
    held = {source: count for source, count in shared.items() if count}
    if not held:
        return draft
    known = {case for error in errors for case in error["failing"]}
    left = [case for case in draft["failing"] if case not in known]
    return {**draft, "held": held, "lead": left, "metric": "", **(_share(len(left), draft["n"]))}


def _share(k: int, n: int) -> Draft:
    """The share of answers left, exact; not measured, where none is left."""
    if not k or k > n:
        return {"share": nan}
    share = clopper_pearson(k, n)
    return {"share": share.value, "value": share.value, "low": share.low, "high": share.high}


def _kinds(cases: Sequence[str], taxonomy: pd.DataFrame | None) -> Counter[str]:
    if taxonomy is None or taxonomy.empty:
        return Counter()
    of_case = dict(zip(taxonomy["case_id"], taxonomy["category"], strict=True))
    return Counter(of_case.get(case, "not classified") for case in cases)


def _shown(left: Sequence[str], kinds: Counter[str], harms: Mapping[str, str]) -> dict:
    harm = HARM_OF.get(next(iter(kinds)), "") if len(kinds) == 1 else ""
    return {"harm": harm, "lead": [case for case in left if harms.get(case) == harm] or left} if harm else {}


def _are(kinds: Counter[str]) -> str:
    only = next(iter(kinds)) if len(kinds) == 1 else ""
    return f"are {ONE_KIND[only]}" if only in ONE_KIND else "fall short otherwise"


def _listed(kinds: Counter[str]) -> str:
    return f": {', '.join(f'{kind} {count}' for kind, count in kinds.most_common())}" if kinds else ""


def _missed(row: Mapping) -> str:
    named = [title.rstrip(".").replace(" required", "") for title in row["requirements"]]
    return f"{'a requirement' if len(named) == 1 else f'{len(named)} requirements'}: {'; '.join(named)}"
