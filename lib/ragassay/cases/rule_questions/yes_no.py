"""Yes/no questions: the sentence's own claim asked back, or the same with its number changed."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ragassay.cases.rule_questions import clause_parsing, english_sentences, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import vague

FIGURE = re.compile(
    rf"{word_forms.MONEY}|{word_forms.PERCENT}|\b\d{{1,3}}(?= {word_forms.UNIT}| [a-z]+s\b|-(?:day"
    rf"|week|month|year|hour|minute)\b)",
    re.IGNORECASE,
)
HEDGED = re.compile(
    r"\b(?:unless|except|only|if|when|but|because|other than|apart from|save|where|than|as soon|until|so"
    r"|therefore|this|these|those"
    r"|that|such|it|they|them|and)\b|, "
)
QUANTIFIED = re.compile(r"(?:some|various|all|each|every|many|most|no|any|neither)\b")


LEAST = re.compile(r"\b(?:at least|no less than|not less than|a minimum of|more than|no fewer than)\s*$")
MOST = re.compile(
    r"\b(?:within|at most|up to|no more than|not more than|less than|a maximum of|no later than|fewer "
    r"than)\s*$"
)
DONE = re.compile(rf"be {word_forms.PARTICIPLE}\b(?! by (?:the|an?) fact)")
ACTOR = re.compile(
    rf"\b(?:{word_forms.either('agents')}|{word_forms.either('firms')}|{word_forms.either('people')})s?\b",
    re.IGNORECASE,
)
EXCEPT = re.compile(
    r"(?P<what>[^,;:]{8,120}?),? (?:unless|except (?:where|when|if|in)|other than (?:where|when|if)) "
    r"[^;:]{12,}"
)


def questions(unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator) -> Iterator[Candidate]:
    """At most one yes/no question of a sentence: of a claim with a figure (true, or false by a changed
    figure), of a permission, of a duty or of its exceptions.

    The sentence must make one plain claim: no conditions and no second clause; exceptions are asked about as
    such.
    """
    clause = (
        english_sentences.resolve_pronouns(unit, vocabulary) if english_sentences.whole(unit.text) else None
    )
    if clause is None or vague(clause.subject):
        return
    made = _excepted(clause)
    if made is None and not HEDGED.search(clause.rest) and clause_parsing.cut(clause.rest) == clause.rest:
        made = _claim(clause, rng)
    if made:
        asked, verdict, family = made
        answer = f"{verdict.capitalize()}. {english_sentences.answer(unit, clause)}"
        yield fact_candidate(
            unit, family, word_forms.capitalize(asked) + "?", verdict, answer=answer, query_type="yes_no"
        )


def _claim(clause: Clause, rng: np.random.Generator) -> tuple[str, str, str] | None:
    """The question, its answer and its family; None where the claim is too weak to ask about."""
    negated = clause.verb == "cannot" or clause.rest.startswith("not ")
    rest = clause.rest.removeprefix("not ")
    figure, plural = FIGURE.search(rest), re.match(r"(?:no|neither)\b", clause.subject)
    if negated:
        plain = (
            clause.verb in ("cannot", "may", "can", "is", "are")
            and not figure
            and not QUANTIFIED.match(clause.subject)
        )
        return (clause.ask(rest), "no", "yes_no") if plain and len(rest.split()) >= 2 else None
    if plural:
        return None
    if figure:
        true = bool(rng.integers(2))
        return (
            clause.ask(rest if true else change_figure(rest, figure, rng, clause.verb)),
            "yes" if true else "no",
            "yes_no",
        )
    return _duty(clause, rest, bool(rng.integers(2))) if len(rest.split()) >= 2 else None


def _duty(clause: Clause, rest: str, plain: bool) -> tuple[str, str, str] | None:
    """A permission asked as one, or as a duty (no); a duty asked as one, or as a matter of choice (no)."""
    acting, able = bool(ACTOR.search(clause.subject)), clause.verb in ("may", "can")
    if (
        not (acting or DONE.match(rest))
        or clause.verb not in ("may", "can", "must", "should")
        or (able and re.match(r"(?:also|have|need)\b", rest))
        or re.search(r"\bor\b", clause.subject)
    ):
        return None
    if (
        plain
        or not acting
        or clause.verb in ("can", "should")
        or rest.startswith("be ")
        or QUANTIFIED.match(clause.subject)
    ):
        return clause.ask(rest), "yes", "yes_no"
    return (
        f"is it {'optional' if clause.verb == 'must' else 'mandatory'} for {clause.subject} to {rest}",
        "no",
        "duty",
    )


def _excepted(clause: Clause) -> tuple[str, str, str] | None:
    """A fee must be paid unless X -> Must a fee be paid in every case? No."""
    found = EXCEPT.fullmatch(clause.rest)
    if (
        not found
        or clause.verb not in ("must", "is", "are", "shall")
        or clause.subject.startswith("nothing")
        or clause.rest.startswith("not ")
        or QUANTIFIED.match(clause.subject)
    ):
        return None
    ruled = clause.verb in ("must", "shall") or re.match(rf"{word_forms.PARTICIPLE}\b", found["what"])
    return (
        (f"{clause.ask(found['what'])} in every case", "no", "exception")
        if ruled and not HEDGED.search(found["what"])
        else None
    )


def change_figure(rest: str, figure: re.Match, rng: np.random.Generator, verb: str) -> str:
    """The rest of a clause with this figure replaced by one that makes the claim false:
    `at least 6 years` by more, `must ... within 6 days` by less."""
    number = re.search(r"\d[\d,]*(?:\.\d+)?", figure.group())
    assert number is not None
    start = figure.start() + number.start()
    before, able = rest[:start].rstrip("$€£ "), verb in ("may", "can")
    ways = (
        (2.0, 3.0, 1.5)
        if LEAST.search(before) or (able and MOST.search(before))
        else (0.5,)
        if MOST.search(before)
        else (2.0, 0.5, 1.5, 3.0)
    )
    return rest[:start] + other(number.group(), rng, ways) + rest[start + len(number.group()) :]


def other(number: str, rng: np.random.Generator, factors: Sequence[float] = (2.0, 0.5, 1.5, 3.0)) -> str:
    """A different number of the same form: $1,250.00 stays with two decimals and its comma."""
    decimals = len(number.partition(".")[2])
    value = float(number.replace(",", ""))
    for i in rng.permutation(len(factors)):
        exact = value * factors[i] or 5.0
        changed = f"{exact:,.{decimals}f}"
        if float(changed.replace(",", "")) != exact:
            continue
        changed = changed if "," in number or value < 1000 or "." in number else changed.replace(",", "")
        if changed != number and float(changed.replace(",", "")) > 0:
            return changed
    return f"{value + (1 if max(factors) > 1 or value <= 1 else -1):,.{decimals}f}"
