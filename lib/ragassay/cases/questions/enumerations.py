"""What a sentence lists after its colon: `The plan must include: (a) ...; (b) ...` -> What must the plan include?"""

import re
from collections.abc import Iterator

import pandas as pd

from ragassay.cases.questions import clauses, words
from ragassay.cases.questions.candidate import Candidate
from ragassay.cases.questions.facts import vague
from ragassay.cases.questions.units import Unit, place

MARK = re.compile(r"^\(?(?P<mark>[a-z]|[ivx]{1,4}|\d{1,2})[).]\s+(?=\S)|^[-*•–]\s+(?=\S)")
TAIL = re.compile(
    r"(?P<what>(?:[\w’'-]+ ){0,9}?(?:includes?|contains?|states?|specify|specifies|covers?|considers?|describes?"
    r"|discloses?|provides?|confirms?|shows?|names?))"
    r"(?: (?:at least|, as a minimum|, at a minimum|, in particular))?(?:,? the following(?: [a-z]+)?| all of the following(?: [a-z]+)?)?$"
)
POINTING = re.compile(
    r"\b(?:this|these|those|such|above|below|subject to|following|it|they|them|he|she)\b", re.IGNORECASE
)
MOST = 9


def questions(chunks: pd.DataFrame, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """One question per list that stands whole in one passage, two to nine items."""
    for row, where in zip(chunks.to_dict("records"), place(chunks), strict=True):
        if where["language"] == "en":
            for intro, items in listed(row["text"]):
                unit = Unit(row["chunk_id"], **where, text=intro)
                yield from _asked(unit, items, vocabulary)


def listed(text: str) -> Iterator[tuple[str, list[str]]]:
    """The sentence that opens a list, and the list's items without their marks; only lists that end inside the text."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for i, line in enumerate(lines):
        if line.endswith((":", "—", "–")) and not MARK.match(line):
            items = _items(lines[i + 1 :])
            if 2 <= len(items) <= MOST and items[-1].endswith("."):
                intro = re.split(r"(?<=[.!?]) ", line)[-1].rstrip(":—– ")
                yield intro, [re.sub(r"[;,.]?(?:,? (?:and|or))?$", "", item).rstrip(";,") for item in items]


def _items(lines: list[str]) -> list[str]:
    """The items at the head of the lines; one nested below another, or without an end, stops them."""
    found: list[str] = []
    for line in lines:
        mark = MARK.match(line)
        if not mark or re.search(r"[:—–]$", line):
            return []
        found.append(line[mark.end() :])
        if line.endswith("."):
            return found
    return []


def _asked(unit: Unit, items: list[str], vocabulary: frozenset[str]) -> Iterator[Candidate]:
    clause = clauses.part(unit.text + ".", vocabulary)
    if clause is None or vague(clause.subject) or POINTING.search(clause.subject):
        return
    told = TAIL.fullmatch(f"{clause.base} {clause.rest}".strip() if not clause.auxiliary else clause.rest)
    if not told or POINTING.search(told["what"]):
        return
    verb = told["what"] if clause.auxiliary else told["what"].removeprefix(clause.base).strip()
    answer = " ".join(f"({i}) {item};" for i, item in enumerate(items, start=1)).rstrip(";") + "."
    yield Candidate(
        words.raised(f"what {clause.ask(verb)}?"), f"{unit.text}: {answer}", items[0], "multi_step" if len(items) >= 3 else "instruction",
        "open", "list", (unit.chunk_id,), unit,
    )  # fmt: skip
