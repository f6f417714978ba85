"""What a finding says of the gates whose failing answers it holds with others (`carried_gates`): its part of
each, and what the finding on the answers that no error holds counts by itself."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from ragassay.decision import closing
from ragassay.decision.carried_gates import NOBODY
from ragassay.stats import interval_text

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


def pointing(rows: Sequence[dict], taxonomy: pd.DataFrame | None, harms: Mapping[str, str]) -> list[dict]:
    """The rows of findings in their order: one that shares a gate's cases with others says how many each
    holds, and names these. Arguments as of `told`."""
    numbers = {row["source"]: f"F{place}" for place, row in enumerate(rows, 1)}
    return [{**row, **told(row, numbers, taxonomy, harms)} for row in rows]


def told(
    row: Mapping,
    numbers: Mapping[str, str],
    taxonomy: pd.DataFrame | None,
    harms: Mapping[str, str] | None = None,
) -> dict:
    """Condition of such a row, once findings have numbers; of that on what is left its title too, and where
    this is of one kind the `harm` of it and the cases (`lead`) that show it; nothing of any other.

    numbers : source -> number of its finding; taxonomy : case_id, category, where answers were classified;
        harms : case -> its class of harm
    """
    shared = " ".join([*_parts(row, numbers), *_of_slices(row, numbers)])
    if not row.get("held"):
        return {"condition": f"{row['condition']} {shared}"} if shared else {}
    left, kinds = row["lead"], _kinds(row["lead"], taxonomy)
    with_these = ", ".join(_carrying(row, numbers))
    beside = f"; with {with_these} they miss" if with_these else "; they miss"
    title = f"{len(left)} of {row['n']} answers {_are(kinds)}{beside} {_missed(row)}"
    bounds = interval_text(row["value"], row["low"], row["high"], percent=True)
    own = f"Counted here alone: {len(left)} of {row['n']}, {bounds}{_listed(kinds)}."
    return {
        "title": title[:MOST_SIGNS],
        "condition": f"{row['condition']} {shared} {own}",
        **_shown(left, kinds, harms or {}),
    }


def _parts(row: Mapping, numbers: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each gate that the finding carries with others, and why it is as grave as it is."""
    for each in row.get("carries", ()):
        own, held = each["held"].get(row["source"], 0), each["held"]
        ranked = sorted(held.items(), key=lambda pair: (-pair[1], _place(numbers.get(pair[0], ""))))
        others = [
            f"{numbers[source]} ({k})"
            for source, k in ranked
            if source in numbers and k and source != row["source"]
        ]
        others += [f"no finding ({held[NOBODY]})"] if held.get(NOBODY) else []
        gate = each["title"].rstrip(".")
        beside = f"; the others are counted by {closing.listed(others)}" if others else ""
        yield f"{each['every']} answers fail “{gate}”: this finding counts {own} of them{beside}."
    by_itself = row.get("by_itself")
    if by_itself and by_itself != row["severity"]:
        yield f"By itself it is {by_itself}; the gates that it carries make it {row['severity']}."


def _of_slices(row: Mapping, numbers: Mapping[str, str]) -> Iterator[str]:
    """Why a weak slice is a finding beside that of the gate on its metric, and how many cases both count."""
    why = "; it is worse than the rest in a held-out half too" if row.get("confirmed") else ""
    for gate, count in row.get("within", {}).items():
        yield f"{count} of its {len(row['failing'])} cases are counted in {numbers[gate]} too{why}."


def _place(number: str) -> int:
    return int(number.removeprefix("F") or 0)


def _carrying(row: Mapping, numbers: Mapping[str, str]) -> list[str]:
    """The numbers of the other findings that carry one of its gates, or where none does hold its cases."""
    named = {source for each in row.get("carries", ()) for source in each["carriers"]} or set(row["held"])
    return sorted((numbers[source] for source in named - {row["source"]} if source in numbers), key=_place)


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
