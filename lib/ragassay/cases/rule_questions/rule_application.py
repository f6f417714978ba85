"""Inference from one rule: what it says of a named instance, and dates reckoned from the days it allows."""

import datetime
import re
from collections.abc import Iterator

import numpy as np

from ragassay.cases.rule_questions import clause_parsing, english_sentences, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import vague

SOMEBODY = re.compile(
    r"^(?:an?|any|each|every) (?P<who>(?:[\w’'-]+ ){0,4}?(?P<head>[\w’'-]+)(?: (?:of|for|in|on|with|by) "
    r"[\w’' -]{3,60})?)$"
)
SPAN = re.compile(
    rf"(?P<bound>within|for(?: at least| a minimum of)?) (?P<n>\d+|{word_forms.NUMBER_WORDS}) "
    rf"(?P<unit>(?:calendar )?days?|weeks?|months?|years?)\b"
)
EVENT = re.compile(
    r" (?:of|after|from|following) (?P<event>the date (?:of|on which) [\w’' -]{4,70}|(?:the |its "
    r")?(?:[\w’'-]+ ){0,4}?[\w’'-]*(?:date|day))$"
)
FREE = {
    "must": "is {} free not to",
    "may": "is {} obliged to",
}  # what is false of a duty, and of a permission
COUNTED = dict(zip(word_forms.NUMBER_WORDS.split("|"), range(1, 13), strict=True))


def questions(unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator) -> Iterator[Candidate]:
    """Both kinds, of a sentence that makes one plain claim."""
    clause = (
        english_sentences.resolve_pronouns(unit, vocabulary) if english_sentences.whole(unit.text) else None
    )
    if clause is not None and not vague(clause.subject):
        yield from instance(unit, clause, rng)
        yield from reckoned(unit, clause, rng)


def instance(unit: Unit, clause: Clause, rng: np.random.Generator) -> Iterator[Candidate]:
    """A customer may lower any limit -> I am a customer.
    May I lower any limit? or Am I obliged to ...? A firm gets an invented name."""
    found = SOMEBODY.match(clause.subject)
    if not found or clause.verb not in ("may", "must", "cannot") or hedged(clause.rest):
        return
    negated = clause.verb == "cannot" or clause.rest.startswith("not ")
    rest = clause.rest.removeprefix("not ")
    if clause.verb == "may" and re.match(r"(?:also|be|have|need|wish|choose|want)\b", rest):
        return
    verb = {"cannot": "can", "must": "may" if negated else "must"}.get(clause.verb, clause.verb)
    plain = negated or bool(rng.integers(2))
    asked = _about(found, verb if plain else FREE[verb], rest, rng)
    if asked:
        verdict = "no" if negated or not plain else "yes"
        yield fact_candidate(
            unit,
            "applied",
            asked,
            verdict,
            answer=f"{verdict.capitalize()}. {unit.text}",
            query_type="inference",
        )


def _about(found: re.Match, verb: str, rest: str, rng: np.random.Generator) -> str | None:
    head, article = found["head"].lower(), "an" if re.match(r"[aeiouAEIOU]", found["who"]) else "a"
    if re.search(r"\b(?:and|or)\b|^(?:Branch|Team|Line|Case|General|Relationship)\b", found["who"]):
        return None
    private = head in word_forms.word_list("people") and found["head"].islower()
    if (head in word_forms.word_list("firms") and not private) or found["head"] == "Person":
        names = sorted(word_forms.word_list("invented"))
        mine = re.sub(r"\btheir\b", "its", rest)
        return (
            f"{names[int(rng.integers(len(names)))]} Limited is {article} {found['who']}. "
            f"{_asks(verb, 'it')} {mine}?"
        )
    if head in word_forms.word_list("people"):
        mine = re.sub(r"\b(?:their|his or her|his|her)\b", "my", rest)
        return f"I am {article} {found['who']}. {_asks(verb, 'I')} {mine}?"
    return None


def _asks(verb: str, who: str) -> str:
    """`Must it`, `Is it free not to`, `Am I obliged to`."""
    asked = verb.format(who) if "{}" in verb else f"{verb} {who}"
    return word_forms.capitalize(asked.replace("is I", "am I"))


def hedged(rest: str) -> bool:
    """Whether what follows the verb makes more than one plain claim, or is too short or long for one."""
    doubt = (
        r"\b(?:unless|except|only|if|when|but|because|where|than|until|so|this|these|those|such|it|they"
        r"|them|which|who|that|above|below)\b|[,;:]"
    )
    second = [
        word in word_forms.third_person() and word not in word_forms.NOUNS_TOO
        for word in re.findall(r"\b(?:and|or) (\w+)", rest)
    ]
    second.append(
        bool(re.search(r"\b(?:and|or) (?:must|may|can|cannot|is|are|will|shall|should|not)\b", rest))
    )
    return bool(re.search(doubt, rest)) or any(second) or not 3 <= len(rest.split()) <= 22


def reckoned(unit: Unit, clause: Clause, rng: np.random.Generator) -> Iterator[Candidate]:
    """It must be sent within 10 days of the statement date -> If the statement date is 3 March 2026,
    by what date ... at the latest?"""
    rest = clause_parsing.cut(clause.rest)
    span = SPAN.search(rest)
    event = EVENT.match(rest[span.end() :]) if span else None
    what = rest[: span.start()].strip() if span else ""
    if (
        not span
        or not event
        or clause.verb not in ("must", "should", "shall")
        or _joined(what)
        or re.search(r"\b(?:it|they)\b", event["event"])
    ):
        return
    start = datetime.date(2026, 1, 5) + datetime.timedelta(days=int(rng.integers(0, 300)))
    end, within = (
        later(start, COUNTED.get(span["n"]) or int(span["n"]), span["unit"]),
        span["bound"] == "within",
    )
    if not within and not re.search(
        r"\b(?:retain|keep|kept|retained|maintained?|preserved?|stored?|held)\b", what
    ):
        return
    ask = "by what date at the latest" if within else "until what date at least"
    condition = re.sub(r"^its ", "the ", event["event"])
    question = f"If {condition} is {spell_date(start)}, {ask} {clause.ask(what)}?"
    why = f"{span.group()} counted from {spell_date(start)} is {spell_date(end)}."
    yield fact_candidate(
        unit,
        "reckoned",
        question,
        spell_date(end),
        answer=f"{spell_date(end)}. {unit.text} {word_forms.capitalize(why)}",
        query_type="inference",
    )


def later(start: datetime.date, count: int, unit: str) -> datetime.date:
    """The date so many days, weeks, months or years later;
    the last day of the month where that month is shorter."""
    if unit.rstrip("s").endswith(("day", "week")):
        return start + datetime.timedelta(days=count * (7 if unit.startswith("week") else 1))
    months = start.year * 12 + start.month - 1 + count * (12 if unit.startswith("year") else 1)
    first = datetime.date(months // 12, months % 12 + 1, 1)
    last = (first.replace(day=28) + datetime.timedelta(days=4)).replace(day=1) - datetime.timedelta(days=1)
    return first.replace(day=min(start.day, last.day))


def spell_date(day: datetime.date) -> str:
    """3 March 2026."""
    return f"{day.day} {word_forms.MONTH.split('|')[day.month - 1]} {day.year}"


def _joined(what: str) -> bool:
    return not what or bool(
        re.search(r"\b(?:and|or|but|because|if|when|who|which|that|unless|until|not)\b", what)
    )
