"""Questions made of other questions of a topic: four answers to choose from, two passages that speak of one
thing."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ragassay.cases.question_filter import share_of
from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.askable_units import Candidate
from ragassay.cases.rule_questions.sentence_questions import change_number

OPTIONS, LONGEST, ALIKE = 4, 30, 0.4  # of a choice; words of one; share of words that two may have in common
DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
NUMBER = re.compile(rf"{DIGITS.pattern}|\b(?:{word_forms.NUMBER_WORDS})\b")
OPENING = re.compile(r"(?:According to “[^”]+”|(?:Under|For) [^,?]+), ")
TERM = re.compile(r"[Ww]hat (?:is|are|does) (?:an? |the )?“?(?P<term>[^?”]{4,60}?)”?(?: mean)?\?")


def choices(
    facts: Sequence[Candidate], texts: dict[str, str], rng: np.random.Generator
) -> Iterator[Candidate]:
    """Facts asked with four answers to choose from: the wrong ones are those of other facts of the topic in
    the same form, then the figure itself changed; none stands in the passage of the right one.

    texts : chunk_id -> text
    """
    for one in facts:
        form, right, text = _form(one), one.key_fact.rstrip("."), texts[one.chunk_ids[0]].lower()
        pool = sorted({other.key_fact.rstrip(".") for other in facts if form and _form(other) == form})
        pool = [pool[i] for i in rng.permutation(len(pool))]
        number = DIGITS.search(right)
        if form and number and one.family not in ("date", "age", "definition"):
            changed = [change_number(number.group(), rng, (factor,)) for factor in (2.0, 0.5, 1.5, 3.0)]
            pool += [right.replace(number.group(), value) for value in changed]
        wrong = [value for value in dict.fromkeys(pool) if value != right and value.lower() not in text]
        if one.family == "definition":  # told in nearly the same words elsewhere, it would be right too
            wrong = [value for value in wrong if share_of(value, right) < ALIKE]
        if len(wrong) < OPTIONS - 1:
            continue
        options = sorted([right, *wrong[: OPTIONS - 1]], key=_figure_first)
        listed = "; ".join(f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
        yield one._replace(
            question=f"{one.question} {listed}",
            answer=f"({'ABCD'[options.index(right)]}) {right}. {one.answer}",
            query_type="multiple_choice",
            family="choice",
            choices=tuple(options),
        )


def _form(one: Candidate) -> str:
    """What other facts must share to be a plausible wrong answer; "" where none can be."""
    if one.source.language != "en" or len(one.key_fact.split()) > LONGEST:
        return ""
    if one.family == "definition":
        return one.family
    form = NUMBER.sub("0", one.key_fact.lower().rstrip("."))
    return form.rstrip("s") if form.count("0") == 1 and re.fullmatch(r"[^,]{2,40}", form) else ""


def _figure_first(option: str) -> tuple[float, str]:
    number = DIGITS.search(option)
    return (float(number.group().replace(",", "")) if number else 0.0, option)


def links(facts: Sequence[Candidate], rng: np.random.Generator) -> Iterator[Candidate]:
    """Two facts of two passages about one thing, which both questions name, as one question: `What is a
    pre-approval, and how long is a pre-approval valid?`"""
    plain = [one for one in facts if one.family != "condition" and one.source.language == "en"]
    defined = [TERM.search(one.question) for one in plain if one.family == "definition"]
    terms = [term["term"] for term in defined if term]
    waiting: dict[str, Candidate] = {}
    for one in (plain[i] for i in rng.permutation(len(plain))):
        things = word_forms.names(re.sub("“[^”]*”", "", one.question))
        things += [term for term in terms if re.search(rf"\b{re.escape(term)}\b", one.question)]
        thing = next((thing for thing in things if thing in waiting), "")
        former = waiting.get(thing)
        if former is None or set(former.chunk_ids) & set(one.chunk_ids) or former.family == one.family:
            waiting |= dict.fromkeys(things, one)
            continue
        waiting = {name: other for name, other in waiting.items() if other is not former}
        first, second = (one, former) if one.family == "definition" else (former, one)
        opening = OPENING.match(second.question)
        tail = second.question.removeprefix(opening.group() if opening and thing in opening.group() else "")
        question = f"{first.question.rstrip('?')}, and {tail[:1].lower()}{tail[1:]}"
        ids, answer = first.chunk_ids + second.chunk_ids, f"{first.answer} {second.answer}"
        key = second.key_fact
        yield Candidate(question, answer, key, "short_fact", "multi_hop", "linked", ids, first.source)
