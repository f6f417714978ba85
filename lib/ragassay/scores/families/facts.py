"""Facts that can be checked by reading: numbers, dates and times, and places of a text, and whether other
texts hold them; and the round trip from a sentence to questions and back (Hybrid 2.1 c, 2.6 b).

A number is a value with its unit: `5 %` is not `$5`, but `5` may be either. A date is held by a fuller one.
The source uses models for the round trip; ours
asks by rules and answers with the context sentence nearest to the question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isclose
from typing import NamedTuple

import numpy as np

from ragassay.models import Entity
from ragassay.scores.families.graph import LISTED, REMEMBERED, phrases, with_entities
from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import Amount, find_numbers, ratio
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.claim_text import folded

NUMBER, TIME, PLACE = "number", "time", "place"
KINDS = (NUMBER, TIME, PLACE)
_SIGN = re.compile(r"(?:[$€£]|\b(?:usd|eur|gbp))[ \xa0]?\Z", re.IGNORECASE)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}(?!\d|[.,]\d)")


@dataclass(frozen=True)
class Fact:
    """A fact of a text, its characters from `start` up to `end`, and what it may mean: quantities, moments,
    or the name of a place."""

    kind: str
    text: str
    start: int
    end: int
    readings: tuple[Amount | dates.Moment | str, ...]


class Source(NamedTuple):
    """What texts hold: every number, the dates and times, and their words without case, accents and signs,
    one space around each."""

    numbers: list[Amount]
    moments: frozenset[dates.Moment]
    folded: str


@lru_cache(REMEMBERED)
def read_source(texts: tuple[str, ...]) -> Source:
    """The texts, in which facts are looked up."""
    return Source(
        [reading for text in texts for one in find_numbers(text) for reading in _readings(text, one)],
        frozenset(moment for text in texts for one in dates.find(text) for moment in one.readings),
        f" {' '.join(map(folded, texts))} ",
    )


def facts_consistency(sample: Sample, tools: Tools, kind: str = "") -> Result:
    """Share of the answer's facts that stand in the question or the contexts, of one kind; without a kind,
    the mean over the kinds that it states; in [0, 1], higher is better.

    Source: Hybrid 2.1 c ("extract and match similarities between numerical, location and temporal facts"),
    which gives no formula.
    """
    texts = sample.answer_sentences
    named = with_entities(texts, tools) if kind in ("", PLACE) else tuple((one.text, ()) for one in texts)
    stated = [fact for text, names in named for fact in find(text, names) if kind in ("", fact.kind)]
    if not stated:
        raise NotApplicable(f"the answer states no {kind or 'fact: no number, place, date or time'}")
    source = read_source((*(one.text for one in sample.question_sentences), *(sample.contexts or ())))
    looked_up = [(fact, is_held(fact, source)) for fact in stated]
    kinds = [[found for fact, found in looked_up if fact.kind == one] for one in KINDS]
    missing_first = sorted(looked_up, key=lambda pair: pair[1])
    return float(np.mean([sum(some) / len(some) for some in kinds if some])), [
        {"kind": fact.kind, "text": fact.text.strip(), "score": float(found)}
        for fact, found in missing_first[:LISTED]
    ]


def find(text: str, names: Sequence[Entity] = ()) -> list[Fact]:
    """The facts of a text in order; the digits of a date are no numbers besides, the mark of a numbered step
    ("2. ") is none either.

    names : entities of the text; those of kind place and address are places
    """
    moments = [Fact(TIME, text[start:end], start, end, readings) for start, end, readings in dates.find(text)]
    numbers = []
    for one in find_numbers(text):
        sign = _SIGN.search(text[: one.start])
        start = sign.start() if sign else one.start
        numbers.append(Fact(NUMBER, text[start : one.end], start, one.end, _readings(text, one)))
    spans = dict.fromkeys((one.start, one.end) for one in names if one.kind in ("place", "address"))
    places = [Fact(PLACE, text[a:b], a, b, (text[a:b],)) for a, b in spans if folded(text[a:b])]
    return sorted([*moments, *numbers, *places], key=lambda fact: (fact.start, fact.end))


def is_held(fact: Fact, source: Source) -> bool:
    """Whether the texts hold the fact in one of its readings."""
    return any(_holds(reading, source) for reading in fact.readings)


def _holds(reading: Amount | dates.Moment | str, source: Source) -> bool:
    if isinstance(reading, Amount):
        # 0.412 billion is 412 million, 2.5 % is 250 basis points, 5 may be of any unit
        for one in source.numbers:
            size = ratio(reading.unit, one.unit) if reading.unit and one.unit else 1.0
            same_kind = reading.unit == one.unit or size > 0
            if same_kind and isclose(one.value * (size or 1.0), reading.value):
                return True
        return False
    if isinstance(reading, dates.Moment):
        only_year = reading == dates.Moment(year=reading.year) and any(
            one.value == reading.year for one in source.numbers
        )
        return only_year or any(dates.meets(reading, one) for one in source.moments)
    return f" {folded(reading)} " in source.folded


def _readings(text: str, one: Amount) -> tuple[Amount, ...]:
    """What a number may mean: 1.250 is 1.25 or 1250."""
    groups = _THOUSANDS.match(text, one.start)
    return (one, one._replace(value=one.value * 1000)) if groups else (one,)


LONGEST = 2000  # characters of a sentence beyond which nothing is asked


@lru_cache(2048)
def questions(sentence: str, names: tuple[Entity, ...] = ()) -> list[str]:
    """At most two questions that a sentence answers: by the patterns that write cases (`What is the fee?`),
    and a gap (`The fee is what?`).

    names : entities of the sentence. A sentence without a fact, a name and a concept has no question, nor has
        one that asks itself.
    """
    text = sentence.strip()
    if not text or len(text) > LONGEST or text.endswith("?"):
        return []
    from ragassay.cases.rule_questions import askable_units, sentence_questions, word_forms

    unit = askable_units.Unit("", "", None, "en", "", "", text if text[-1] in ".!" else f"{text}.")
    patterned = [made.question for made in sentence_questions.questions(unit, word_forms.small_words([text]))]
    return list(dict.fromkeys([*patterned[:1], *_gap(text, names)]))


def round_trip(sample: Sample, tools: Tools) -> Result:
    """Mean cosine of each answer sentence with the context sentence nearest to a question made of it, in
    [0, 1], one below 0 counting as 0; higher is better.

    Source: Hybrid 2.6 b.
    """
    named = with_entities(sample.answer_sentences, tools)
    made = [(text, asked) for text, names in named for asked in questions(text, names)]
    if not made:
        raise NotApplicable("no question could be made of the answer")
    said, asked = zip(*made, strict=True)
    candidates = [one.text for one in sample.context_sentences]
    places = tools.match(asked, candidates)[1]
    scores = np.maximum(tools.cosines(said, candidates)[np.arange(len(said)), places], 0.0)
    return float(scores.mean()), [
        {"text": text, "question": question, "evidence": candidates[place], "score": score}
        for text, question, place, score in zip(said, asked, places, scores, strict=True)
    ]


def _gap(text: str, names: Sequence[Entity]) -> list[str]:
    """The sentence with its first fact, else its last name or concept, asked for."""
    found = find(text, names)
    spans = [(fact.start, fact.end) for fact in found[:1]] or phrases(text, names)[-1:]
    if not spans or spans[0] == (0, len(text.rstrip(" .!;:"))):
        return []
    word = {TIME: "when", PLACE: "where"}.get(found[0].kind, "what") if found else "what"
    return [f"{text[: spans[0][0]]}{word}{text[spans[0][1] :]}".rstrip(" .!;:") + "?"]
