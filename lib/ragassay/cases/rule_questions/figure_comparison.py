"""Inference from two figures: which is higher, by how much, what both come to;
and what a yearly or monthly figure comes to."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.askable_units import Candidate

ASKED = re.compile(
    r"^(?:(?P<opening>(?:Under|For|According to|When) .{3,80}?), )?what (?:is|are) (?P<what>(?:the|an?) "
    r"[^,?]{6,120})\?$",
    re.IGNORECASE,
)
FEE = re.compile(
    r"^(?:(?P<opening>(?:Under|For|According to|When) .{3,80}?), )?what (?P<fee>[\w -]{3,40}?) must "
    r"(?P<who>[^,?]{3,90}?) pay (?P<tail>[^?]+)\?$",
    re.IGNORECASE,
)
PLAIN = re.compile(
    r"(?P<sign>(?:US)?[$€£])\s?(?P<n>\d[\d,]*(?:\.\d+)?)(?P<per>(?: (?:a|per|each) \w+)?)"
    r"|(?P<p>(?<!\d)\d+(?:\.\d+)?)\s?(?P<percent>%)(?P<pper>(?: (?:a|per) \w+)?)"
)
HEAD = re.compile(r" (?:for|of|on|under|that|in|per|to|at|above|when|from|after)\b")
RECURRING = re.compile(r"\b(?P<every>monthly|annual|yearly|weekly)\b")
PERIODS = {"monthly": "months", "annual": "years", "yearly": "years", "weekly": "weeks"}


class Figure(NamedTuple):
    """Something measured: how it is called, its value as written and as a number, what it is measured in."""

    name: str
    written: str
    value: Decimal
    unit: str
    candidate: Candidate

    @property
    def kind(self) -> str:
        """What it is, in one word: `fee` of `the filing fee that X must pay`."""
        return HEAD.split(self.name)[0].split()[-1]


def figures(candidates: Sequence[Candidate]) -> list[Figure]:
    """The plain amounts and percentages among facts, each with a name that can stand in another question."""
    return [figure for candidate in candidates if (figure := _figure(candidate))]


def _figure(candidate: Candidate) -> Figure | None:
    found, name = PLAIN.fullmatch(candidate.key_fact), _name(candidate)
    if not found or not name or candidate.query_type != "factual":
        return None
    number, unit = (
        (found["n"], found["sign"] + (found["per"] or ""))
        if found["n"]
        else (found["p"], "%" + (found["pper"] or ""))
    )
    return Figure(name, candidate.key_fact, Decimal(number.replace(",", "")), unit, candidate)


def _name(candidate: Candidate) -> str:
    """`the monthly fee for X` of "What is the monthly fee for X?";
    a fee in a duty is `the filing fee that X must pay for Y`."""
    found = ASKED.match(candidate.question)
    if found and (found["opening"] or "").startswith("When "):
        return ""
    if found:
        return found["what"] + _inside(found["opening"])
    found = FEE.match(candidate.question)
    return (
        f"the {found['fee']} that {found['who']} must pay {found['tail']}{_inside(found['opening'])}"
        if found
        else ""
    )


def _inside(opening: str | None) -> str:
    """The document, named after the figure: ` under the Overdraft Policy`;
    quoted titles and actions as they stand."""
    return f" {opening[:1].lower()}{opening[1:]}".replace(" according to ", " in ") if opening else ""


def questions(candidates: Sequence[Candidate], rng: np.random.Generator) -> Iterator[Candidate]:
    """Each figure against another of its unit, taken in an order the seed settles;
    and recurring figures over several periods."""
    found = figures(candidates)
    for figure in found:
        yield from _over_time(figure, rng)
    for unit, kind in sorted({(figure.unit, figure.kind) for figure in found}):
        same = [figure for figure in found if (figure.unit, figure.kind) == (unit, kind)]
        order = rng.permutation(len(same))
        for i, j in (
            zip(order, np.roll(order, -1), strict=True) if len(same) > 2 else [(0, 1)] * (len(same) == 2)
        ):
            yield from _pair(same[i], same[j], bool(rng.integers(2)))


def _pair(one: Figure, other: Figure, difference: bool) -> Iterator[Candidate]:
    if one.value == other.value or one.name == other.name:
        return
    high, low = sorted((one, other), key=lambda figure: -figure.value)
    both = (
        f"{word_forms.capitalize(one.name)}: {one.written}. "
        f"{word_forms.capitalize(other.name)}: {other.written}."
    )
    if difference:
        gap = _written(high.value - low.value, one.unit)
        yield _made(f"By how much does {high.name} exceed {low.name}?", f"{gap}. {both}", gap, one, other)
    else:
        yield _made(
            f"Which is higher: {one.name}, or {other.name}?",
            f"{word_forms.capitalize(high.name)}. {both}",
            high.name,
            one,
            other,
        )


def _over_time(figure: Figure, rng: np.random.Generator) -> Iterator[Candidate]:
    found = RECURRING.search(figure.name)
    if found and figure.value and figure.unit in ("$", "€", "£"):
        times = int(rng.integers(2, 7))
        total = _written(figure.value * times, figure.unit)
        question = f"How much does {figure.name} come to over {times} {PERIODS[found['every']]}?"
        yield _made(
            question, f"{total}. {word_forms.capitalize(figure.name)} is {figure.written}.", total, figure
        )


def _written(value: Decimal, unit: str) -> str:
    if unit.startswith("%"):
        return f"{value.normalize():f} percentage points"
    sign = re.match(r"(?:US)?[$€£]", unit)
    assert sign is not None
    return f"{sign.group()}{value:,f}{unit[sign.end() :]}"


def _made(question: str, answer: str, key_fact: str, *of: Figure) -> Candidate:
    chunk_ids = tuple(dict.fromkeys(name for figure in of for name in figure.candidate.chunk_ids))
    family = "total" if len(of) == 1 else "difference" if question.startswith("By") else "comparison"
    return Candidate(
        question, answer, key_fact, "short_fact", "inference", family, chunk_ids, of[0].candidate.source, True
    )
