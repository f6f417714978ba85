"""What a finding says of the gates whose failing answers it holds with others (`findings_behind_gates`): its
part of each, and what the finding on the answers that no error holds counts by itself."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from ragassay.decision.closing import finding_closure
from ragassay.decision.findings import decline_kinds
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.gates.failing_answers import TABLE
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.scores.display_names import display_name
from ragassay.stats import interval_text

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


def pointing(rows: Sequence[dict], taxonomy: pd.DataFrame | None, harms: Mapping[str, str]) -> list[dict]:
    """The rows of findings in their order: one that shares a gate's cases with others says how many each
    holds, and names these. Arguments as of `condition_text`."""
    numbers = {row["source"]: f"F{place}" for place, row in enumerate(rows, 1)}
    return [{**row, **condition_text(row, numbers, taxonomy, harms)} for row in rows]


def condition_text(
    row: Mapping,
    numbers: Mapping[str, str],
    taxonomy: pd.DataFrame | None,
    harms: Mapping[str, str] | None = None,
) -> dict:
    """Condition of such a row, once findings have numbers; of that on what is left its title too, where
    anything is, and where this is of one kind its `harm` and the cases (`lead`) that show it; nothing of any
    other. Who holds how many cases of a gate stands in one place, the table of failing answers.

    numbers : source -> number of its finding; taxonomy : case_id, category, where answers were classified;
        harms : case -> its class of harm
    """
    shared = [*_parts(row, numbers), *_of_slices(row, numbers)]
    if not row.get("held"):
        return {"condition": " ".join([row["condition"], *shared])} if shared else {}
    left, kinds = row["lead"], _kinds(row["lead"], taxonomy)
    bounds = interval_text(row["value"], row["low"], row["high"], percent=True)
    own = f"Counted here alone: {len(left)} of {row['n']}, {bounds}{_listed(kinds)}.{_beside(row, numbers)}"
    title = {"title": f"{len(left)} of {row['n']} answers {_are(kinds)}"} if left else {}
    condition = " ".join([row["condition"], *shared, own])
    return {**title, "condition": condition, **_shown(left, kinds, harms or {})}


def _parts(row: Mapping, numbers: Mapping[str, str]) -> Iterator[str]:
    """With which findings it shares gates, what fails one of these where that is known, and why it is as
    grave as it is."""
    carried = row.get("carries", ())
    if carried:
        gates, others = (
            f"{len(carried)} gates" if len(carried) > 1 else "a gate",
            _others(row, carried, numbers),
        )
        does = f"shares {gates} with {finding_closure.joined_words(others)}" if others else f"carries {gates}"
        yield f"It {does}: table “{TABLE}”."
    yield from (f"{each['title'].rstrip('.')}: {each['split']}." for each in carried if each.get("split"))
    by_itself = row.get("by_itself")
    if by_itself and by_itself != row["severity"]:
        yield f"By itself it is {by_itself}; the gates that it carries make it {row['severity']}."
        yield from _by_the_guide(row)


def _by_the_guide(row: Mapping) -> Iterator[str]:
    """Of an error in the choice to answer or decline: the raters' gates that every case of it fails, which
    is how raters count such a reply, whatever its words."""
    count = len(set(row.get("lead", row["failing"])))
    whole = [
        display_name(metric_of(each["gate"]))
        for each in row.get("carries", ())
        if rated_by_people(metric_of(each["gate"])) and each["held"].get(row["source"]) == count
    ]
    if whole and row["source"] in decline_kinds.OF_THE_CHOICE:
        gates = finding_closure.joined_words(whole)
        yield f"Each of its {count} replies fails {gates}: {decline_kinds.BY_THE_GUIDE}."


def _beside(row: Mapping, numbers: Mapping[str, str]) -> str:
    """How the cases counted here relate to all that fail the finding's own gate, as a sentence."""
    own = next((each for each in row.get("carries", ()) if each.get("gate") == row["source"]), None)
    held = {} if own is None else {one: k for one, k in own["held"].items() if one in numbers and k}
    others = [one for one in held if one != row["source"]]
    if own is None or not others:
        return ""
    name, count = display_name(metric_of(row["source"])), sum(held[one] for one in others)
    named = finding_closure.joined_words(sorted((numbers[one] for one in others), key=_place))
    verb = "are" if count > 1 else "is"
    return f" Of the {own['every']} that fail {name} {count} {verb} counted in {named}."


def _others(row: Mapping, carried: Sequence[Mapping], numbers: Mapping[str, str]) -> list[str]:
    """The other findings that carry these gates, by their numbers."""
    carrying = {source for each in carried for source in each["carriers"]}
    return sorted((numbers[one] for one in carrying - {row["source"]} if one in numbers), key=_place)


def _of_slices(row: Mapping, numbers: Mapping[str, str]) -> Iterator[str]:
    """Why a weak slice is a finding beside that of the gate on its metric, and how many cases both count."""
    why = "; it is worse than the rest in a held-out half too" if row.get("confirmed") else ""
    for gate, count in row.get("within", {}).items():
        yield f"{count} of its {len(row['failing'])} cases are counted in {numbers[gate]} too{why}."


def _place(number: str) -> int:
    return int(number.removeprefix("F") or 0)


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
