"""Questions the documents raise but do not answer: their duties and names, asked about what no passage on
them says.

What is asked comes from lists; a question is kept only if no passage on its subject holds a word that could
be its answer or lead to it: for a name every passage that holds the name, for a duty the ten that share most
with the question. That is a proof for the words in the lists, not for every way of saying a thing.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay.cases.question_filter import Index, might_be_answered
from ragassay.cases.rule_questions import askable_units, english_sentences, rule_application, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit
from ragassay.cases.rule_questions.fact_patterns import vague

NAME = re.compile(
    r"(?<=[a-z,;] )(?:the|an?) ((?:[A-Z][a-zà-ÿ’'-]+ ){1,3}[A-Z][a-zà-ÿ’'-]+)\b(?! (?:(?:of|for|and|on) "
    r")?[A-Z(])"
)
FEWEST, MOST = 2, 40  # passages a name stands in: once may be a slip, everywhere is too much to rule out
LONGEST = 16  # words of a duty
MONTHS = rf"{word_forms.MONTH}|Monday|Tuesday|Wednesday|Thursday|Friday"


class Asked(NamedTuple):
    """What is asked about, the question with room for its subject,
    what words in a passage could be its answer, the subjects it suits."""

    about: str
    question: str
    evidence: str
    heads: str = ""


BODIES = (
    "authority|council|court|ministry|board|committee|office|department|bank|branch|team|desk|centre"
    "|institute|agency|commission|regulator"
)
OF_A_NAME = [
    Asked("staff", "How many employees does the {} have?", r"employees?|staff\b|headcount|people", BODIES),
    Asked(
        "year",
        "In which year was the {} founded?",
        r"found(?:ed|ing)|established|set up|created|launched|introduced|(?:19|20)\d\d",
        BODIES,
    ),
    Asked(
        "telephone",
        "What is the telephone number of the {}?",
        r"telephone|phone|call(?:s|ed|ing)?\b|hotline|\+?\d[\d -]{6,}",
        BODIES,
    ),
    Asked(
        "street",
        "In which street is the office of the {}?",
        r"street|address|avenue|located|square|floor|offices?\b",
        BODIES,
    ),
    Asked("budget", "What is the annual budget of the {}?", r"budget\w*|expenditure|annual cost", BODIES),
    Asked(
        "pages",
        "How many pages may the {} have at most?",
        r"pages?\b|length|words\b",
        word_forms.either("papers"),
    ),
    Asked(
        "print",
        "Which font size must the {} use?",
        r"font\w*|type ?size|point|legib\w+|print\w*",
        word_forms.either("papers"),
    ),
    Asked(
        "minutes",
        "How many minutes does it usually take to complete the {}?",
        r"complet\w+|takes?\b|hours?|minutes?",
        word_forms.either("papers"),
    ),
]
OF_A_DUTY = [
    Asked(
        "fine",
        "What fine in dollars must {who} pay for failing to {does}?",
        r"fin(?:e|es|ed)\b|penalt\w+|sanction\w*|censur\w+|[$€£]|USD|dollars?",
    ),
    Asked(
        "software",
        "Which software product must {who} use to {does}?",
        r"software|systems?\b|platform|tools?\b|technolog\w+|electronic\w*|vendor",
    ),
    Asked(
        "people",
        "How many employees does {who} need to {does}?",
        r"employees?|staff\w*|personnel|individuals?|people|team",
    ),
    Asked(
        "training", "How many hours of training are needed to {does}?", r"train\w*|hours?|courses?|qualif\w+"
    ),
    Asked(
        "cost",
        "What does it usually cost {who} to {does}?",
        r"costs?\b|fees?\b|expens\w+|charges?\b|[$€£]|USD",
    ),
    Asked(
        "since",
        "In which year did it become a rule that {who} must {does}?",
        rf"(?:19|20)\d\d|commenc\w+|come into force|came into force|{MONTHS}",
    ),
    Asked(
        "court",
        "Which court was the first to hold that {who} must {does}?",
        r"courts?\b|judg\w+|tribunal\w*|case law|appeal\w*",
    ),
    Asked(
        "share",
        "What share of firms failed to {does} last year?",
        r"survey\w*|per ?cent|%|share of firms|failed|last year|previous year",
    ),
]


def questions(chunks: pd.DataFrame, index: Index, rng: np.random.Generator) -> Iterator[Candidate]:
    """Each name and each plain duty asked once,
    about something drawn by the seed that no passage on it speaks of."""
    texts, where = chunks["text"].tolist(), askable_units.place(chunks)
    for name, holding in names_in(texts).items():
        fitting = [asked for asked in OF_A_NAME if re.search(rf"\b(?:{asked.heads})$", name, re.IGNORECASE)]
        place = Unit(str(chunks["chunk_id"].iloc[holding[0]]), **where[holding[0]], text="")
        for asked in _shuffled(fitting, rng) if place.language == "en" else ():
            question = asked.question.format(name)
            if not spoken_of(asked, [texts[i] for i in holding]) and not might_be_answered(
                question, texts, index
            ):
                yield _made(question, place, f"unknown_{asked.about}")
                break
    yield from _duties(chunks, index, rng)


def _duties(chunks: pd.DataFrame, index: Index, rng: np.random.Generator) -> Iterator[Candidate]:
    texts, vocabulary = chunks["text"].tolist(), word_forms.small_words(chunks["text"])
    for unit in askable_units.read(chunks)[0]:
        duty = _duty(unit, vocabulary)
        for asked in _shuffled(OF_A_DUTY, rng)[:2] if duty else ():
            question = asked.question.format(**duty)
            if not spoken_of(asked, [unit.text, *(texts[i] for i in index.top(question))]):
                yield _made(question, unit, f"unknown_{asked.about}")
                break


def _duty(unit: Unit, vocabulary: frozenset[str]) -> dict[str, str]:
    """Who must do what, of a sentence that lays down one plain duty; empty for any other."""
    clause = (
        english_sentences.resolve_pronouns(unit, vocabulary)
        if unit.language == "en" and english_sentences.whole(unit.text)
        else None
    )
    if (
        clause is None
        or clause.verb != "must"
        or vague(clause.subject)
        or rule_application.hedged(clause.rest)
    ):
        return {}
    plain = (
        rule_application.SOMEBODY.match(clause.subject)
        and not re.match(r"(?:be|not|have|also)\b", clause.rest)
        and len(clause.rest.split()) <= LONGEST
    )
    return {"who": clause.subject, "does": clause.rest} if plain else {}


def _made(question: str, place: Unit, family: str) -> Candidate:
    return Candidate(
        question, "", "", "no_answer", "factual", family, (), place._replace(text=question), True
    )


def _shuffled(asked: Sequence[Asked], rng: np.random.Generator) -> list[Asked]:
    return [asked[i] for i in rng.permutation(len(asked))]


def names_in(texts: Sequence[str]) -> dict[str, list[int]]:
    """Names of two capitalised words or more that stand after `the` or `a` somewhere, in the order of their
    spelling, and every passage that holds each; names of a few passages only.
    """
    runs = (run for text in texts for run in NAME.findall(text))
    names = sorted({run for run in runs if not re.search(r"s$|['’]s\b", run)})
    holding: dict[str, set[int]] = {}
    for i, text in enumerate(texts):
        for word in set(re.findall(r"[^\W\d_]+", text)):
            holding.setdefault(word, set()).add(i)
    found = {name: _places(name, texts, holding) for name in names}
    return {name: places for name, places in found.items() if FEWEST <= len(places) <= MOST}


def _places(name: str, texts: Sequence[str], holding: dict[str, set[int]]) -> list[int]:
    """The passages that hold the name, looked for only where all its words are."""
    parts = re.findall(r"[^\W\d_]+", name)
    return sorted(i for i in set.intersection(*(holding[part] for part in parts)) if name in texts[i])


def spoken_of(asked: Asked, texts: Sequence[str]) -> bool:
    """Whether one of the passages holds a word that could be the answer, or lead to it."""
    return any(re.search(rf"(?<!\w)(?:{asked.evidence})", text, re.IGNORECASE) for text in texts)
