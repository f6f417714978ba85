"""Multiple choice: a fact asked with four answers, the wrong ones taken from the same topic."""

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.askable_units import Candidate
from ragassay.cases.rule_questions.yes_no import other

OPTIONS = 4
LETTERS = "ABCD"
LONGEST = 30  # words of one option
SHAPES = {
    "money": re.compile(rf"{word_forms.MONEY}(?: (?:a|per|each) \w+)?"),
    "percent": re.compile(rf"{word_forms.PERCENT}(?: (?:a|per) \w+)?"),
    "duration": re.compile(rf"(?:{word_forms.BOUND} )?{word_forms.DURATION}"),
    "count": re.compile(
        rf"(?:up to|at most|no more than|not more than|at least|a maximum of|only)? ?(?:\d+"
        rf"|{word_forms.NUMBER_WORDS})"
    ),
    "date": re.compile(rf"(?:on|by|since|until|from|before) {word_forms.DATE}"),
    "time": re.compile(rf"{word_forms.TIME} (?:to|and|until) {word_forms.TIME}"),
    "frequency": re.compile(
        rf"(?:(?:at least|no less than|not less than) )?(?:{word_forms.either('frequencies')})"
    ),
}
TIMES = ("annually", "quarterly", "monthly", "weekly", "daily")


def questions(
    candidates: Sequence[Candidate], texts: Mapping[str, str], rng: np.random.Generator
) -> Iterator[Candidate]:
    """At most one multiple-choice question per fact, in the order of the facts.

    texts : chunk_id -> text; a wrong answer never stands in the passage of the right one
    """
    pools: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        pools.setdefault(shape(candidate), []).append(candidate)
    for candidate in candidates:
        kind = shape(candidate)
        wrong = _wrong(candidate, kind, pools[kind], texts[candidate.chunk_ids[0]], rng) if kind else []
        if len(wrong) == OPTIONS - 1 and not (kind == "definition" and _told(candidate)):
            yield _made(candidate, wrong, rng)


def shape(candidate: Candidate) -> str:
    """What form a key fact has, "" where no other could stand for it."""
    if candidate.query_type != "factual" or candidate.source.language != "en":
        return ""
    if candidate.family in ("definition", "person"):
        return candidate.family if len(candidate.key_fact.split()) <= LONGEST else ""
    return next((name for name, form in SHAPES.items() if form.fullmatch(candidate.key_fact)), "")


def _wrong(
    candidate: Candidate, kind: str, pool: Sequence[Candidate], text: str, rng: np.random.Generator
) -> list[str]:
    """Three wrong answers: those of other facts of the topic first, then the figure itself changed."""
    taken = [candidate.key_fact.rstrip(".")]
    found = sorted(
        (pool[i].key_fact.rstrip(".") for i in rng.permutation(len(pool))),
        key=lambda value: -_likeness(value, taken[0]),
    )
    if kind not in ("definition", "person"):
        found = [value for value in found if _alike(value, taken[0])] + _changed(taken[0], kind, rng)
    for value in found:
        if (
            len(taken) < OPTIONS
            and value.lower() not in text.lower()
            and not any(_same(value, one) for one in taken)
        ):
            taken.append(value)
    return taken[1:]


def _likeness(value: str, right: str) -> float:
    """How plausible a wrong answer looks beside the right one, in [0, 2]:
    words in common, and about the same length."""
    one, other = (set(re.findall(r"\w{4,}", text.lower())) for text in (value, right))
    lengths = sorted((len(value), len(right)))
    return round(len(one & other) / max(1, len(one | other)) + lengths[0] / max(1, lengths[1]), 6)


def _told(candidate: Candidate) -> bool:
    """Whether a definition repeats most words of what it defines: among four, it would be known by them."""
    asked = set(re.findall(r"\w{4,}", candidate.question.lower())) - {
        "what",
        "does",
        "mean",
        "term",
        "according",
    }
    return (
        bool(asked) and len(asked & set(re.findall(r"\w{4,}", candidate.key_fact.lower()))) / len(asked) > 0.5
    )


def _alike(value: str, right: str) -> bool:
    """Whether a figure is written like the right one:
    the same words around its number, so that its form tells nothing."""
    bare = [
        re.sub(rf"\d[\d,.]*|\b(?:{word_forms.NUMBER_WORDS})\b", "0", text.lower()) for text in (value, right)
    ]
    return bare[0].rstrip("s") == bare[1].rstrip("s")


def _same(one: str, another: str) -> bool:
    """Whether two answers say the same, or one holds most words of the other."""
    first, second = (
        set(re.findall(r"\w+", text.lower())) - {"a", "an", "the", "of", "any", "or", "and"}
        for text in (one, another)
    )
    return first == second or (
        min(len(first), len(second)) >= 4 and len(first & second) / min(len(first), len(second)) > 0.6
    )


def _changed(value: str, kind: str, rng: np.random.Generator) -> list[str]:
    """The same answer with other figures: doubled, halved and so on; a frequency by the others there are."""
    if kind == "frequency":
        return [re.sub(r"(?<![\w-])[\w-]+$", time, value) for time in TIMES]
    number = re.search(r"\d[\d,]*(?:\.\d+)?", value)
    if not number or kind in ("date", "time"):
        return []
    forms = (other(number.group(), rng, (factor,)) for factor in (2.0, 0.5, 1.5, 3.0, 4.0))
    return [value[: number.start()] + form + value[number.end() :] for form in forms]


def _made(candidate: Candidate, wrong: list[str], rng: np.random.Generator) -> Candidate:
    options = [candidate.key_fact.rstrip("."), *wrong]
    options = (
        [options[i] for i in rng.permutation(OPTIONS)]
        if not _ordered(options)
        else sorted(options, key=_number)
    )
    right = LETTERS[options.index(candidate.key_fact.rstrip("."))]
    listed = "; ".join(f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=True))
    return candidate._replace(
        question=f"{candidate.question} {listed}",
        answer=f"({right}) {candidate.key_fact.rstrip('.')}. {candidate.answer}",
        query_type="multiple_choice", family="choice", placed=True, choices=tuple(options),
    )  # fmt: skip


def _ordered(options: Sequence[str]) -> bool:
    return all(re.search(r"\d", option) for option in options) and not any(
        re.search(word_forms.DATE, option) for option in options
    )


def _number(option: str) -> float:
    found = re.search(r"\d[\d,]*(?:\.\d+)?", option)
    assert found is not None
    return float(found.group().replace(",", ""))
