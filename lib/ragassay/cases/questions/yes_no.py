"""Yes/no questions: the sentence's own claim asked back, or the same with its number changed."""

import re
from collections.abc import Iterator

import numpy as np

from ragassay.cases.questions import clauses, english, words
from ragassay.cases.questions.candidate import Candidate, fact
from ragassay.cases.questions.clauses import Clause
from ragassay.cases.questions.facts import vague
from ragassay.cases.questions.units import Unit

FIGURE = re.compile(rf"{words.MONEY}|{words.PERCENT}|\b\d{{1,3}}(?= {words.UNIT}| [a-z]+s\b|-(?:day|week|month|year|hour|minute)\b)", re.IGNORECASE)
HEDGED = re.compile(
    r"\b(?:unless|except|only|if|when|but|because|other than|apart from|save|where|than|as soon|until|so|therefore|this|these|those"
    r"|that|such|it|they|them|and)\b|, "
)
QUANTIFIED = re.compile(r"(?:some|various|all|each|every|many|most|no|any|neither)\b")


def questions(unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator) -> Iterator[Candidate]:
    """At most one yes/no question of a sentence: of a claim with a figure (true, or false by a changed figure), or of a permission.

    The sentence must make one plain claim: no conditions, no exceptions, no second clause.
    """
    clause = english.resolved(unit, vocabulary) if english.whole(unit.text) else None
    if clause is None or vague(clause.subject) or HEDGED.search(clause.rest) or clauses.cut(clause.rest) != clause.rest:
        return
    made = _claim(clause, rng)
    if made:
        rest, verdict = made
        answer = f"{verdict.capitalize()}. {english.answer(unit, clause)}"
        question = words.raised(clause.ask(rest)) + "?"
        yield fact(unit, "yes_no", question, verdict, answer=answer, query_type="yes_no")


def _claim(clause: Clause, rng: np.random.Generator) -> tuple[str, str] | None:
    """What to ask after the verb, and the answer; None where the claim is too weak to ask about."""
    negated = clause.verb == "cannot" or clause.rest.startswith("not ")
    rest = clause.rest.removeprefix("not ")
    figure, modal = FIGURE.search(rest), clause.verb in ("may", "can", "must")
    if negated:
        plain = clause.verb in ("cannot", "may", "can", "is", "are") and not figure and not QUANTIFIED.match(clause.subject)
        return (rest, "no") if plain and len(rest.split()) >= 2 else None
    if figure and not re.match(r"no\b", clause.subject):
        return (rest, "yes") if rng.integers(2) else (_changed(rest, figure, rng), "no")
    allowed = modal and len(rest.split()) >= 2 and not re.match(r"(?:no|neither)\b", clause.subject)
    return (rest, "yes") if allowed else None


def _changed(rest: str, figure: re.Match, rng: np.random.Generator) -> str:
    """The rest with its first figure doubled, halved, or multiplied by 1.5 or 3: another figure of the same form."""
    number = re.search(r"\d[\d,]*(?:\.\d+)?", figure.group())
    assert number is not None
    start = figure.start() + number.start()
    return rest[:start] + other(number.group(), rng) + rest[start + len(number.group()) :]


def other(number: str, rng: np.random.Generator) -> str:
    """A different number of the same form: $1,250.00 stays with two decimals and its comma."""
    decimals = len(number.partition(".")[2])
    value = float(number.replace(",", ""))
    factors = [2.0, 0.5, 1.5, 3.0]
    for i in rng.permutation(len(factors)):
        exact = value * factors[i] or 5.0
        changed = f"{exact:,.{decimals}f}"
        if float(changed.replace(",", "")) != exact:
            continue
        changed = changed if "," in number or value < 1000 or "." in number else changed.replace(",", "")
        if changed != number and float(changed.replace(",", "")) > 0:
            return changed
    return f"{value + 1:,.{decimals}f}"
