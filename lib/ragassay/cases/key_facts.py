"""The figure on which an answer turns, and the same statement made false: what contradicting premises,
misleading passages and changed evidence are made of."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ragassay import documents
from ragassay.cases.rule_questions.yes_no import other
from ragassay.tables import is_blank

MONTHS = "jan|ene|feb|fev|mar|apr|abr|may|mai|jun|jul|aug|ago|sep|set|oct|out|nov|dec|dic|dez"
FIGURE = re.compile(
    r"(?<![\w.,:/#-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![:/#]|[.,-]\d|(?!(?:st|nd|rd|th)\b)\w)"
    rf"(?!(?:st|nd|rd|th)?[ ](?:de[ ])?(?:{MONTHS}))",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:19|20)\d\d")
SPELLED = re.compile(r"\d|1\d|20")  # numbers that a passage may as well write in words
FACTORS = (2.0, 0.5, 1.5, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 11.0, 13.0, 17.0)  # by which a figure is changed
TRIES = 40  # other figures that are tried before a fact is given up


class KeyFact(NamedTuple):
    """A figure that the reference answer and its evidence state and the question does not.

    figure, false : as written, true and made false
    claim : a sentence of the evidence, or else the reference answer, with the false one in its place
    answer : the reference answer with it
    """

    figure: str
    false: str
    claim: str
    answer: str


def find_key_fact(
    question: str,
    reference: object,
    evidence: Sequence[str],
    rng: np.random.Generator,
    elsewhere: Set[str] = frozenset(),
) -> KeyFact | None:
    """The first such figure, with another of the same form that stands in none of these texts, nor among the
    values `elsewhere`, so that an answer can have it from nowhere else; None if there is none.

    Years, days of a date and numbers up to 20 that are no amount of money are passed over: texts write them
    in other ways as well, so that changing the figure would not change what they say.
    """
    if is_blank(reference):
        return None
    answer, stated = str(reference), figures(" ".join(evidence))
    asked = figures(question)
    found = (match.group() for match in FIGURE.finditer(answer) if not _is_loose(match))
    figure = next((each for each in found if _value(each) in stated - asked), None)
    taken = stated | asked | figures(answer) | elsewhere
    false = _another(figure, taken, rng) if figure else None
    if not (figure and false):
        return None
    changed = change_figure(answer, figure, false)
    return KeyFact(figure, false, _claim(evidence, figure, false) or changed, changed)


@lru_cache(maxsize=4096)  # the passages of the documents are asked of every question
def figures(text: str) -> frozenset[str]:
    """The values of the figures of a text, years and the days of a date left out."""
    return frozenset(_value(match.group()) for match in FIGURE.finditer(text))


def change_figure(text: str, figure: str, false: str) -> str:
    """The text with every figure of that value replaced."""
    value = _value(figure)
    return FIGURE.sub(lambda match: false if _value(match.group()) == value else match.group(), text)


def _value(figure: str) -> str:
    """`6.00` is `6`, and `1,250` is `1250`."""
    plain = figure.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _is_loose(figure: re.Match[str]) -> bool:
    """Whether a text may write it in another way: a year, or a small number without a sign of money."""
    if figure.string[max(0, figure.start() - 1) : figure.start()] in tuple("$€£"):
        return False
    return bool(YEAR.fullmatch(figure.group()) or SPELLED.fullmatch(figure.group()))


def _another(figure: str, taken: Set[str], rng: np.random.Generator) -> str | None:
    found = (other(figure, rng, FACTORS) for _ in range(TRIES))
    return next((each for each in found if _value(each) not in taken and FIGURE.fullmatch(each)), None)


def _claim(evidence: Sequence[str], figure: str, false: str) -> str:
    """The first sentence of the evidence that states the figure, made false; "" where only a table does."""
    for text in evidence:
        for sentence in documents.sentences(text):
            if _value(figure) in figures(sentence) and "|" not in sentence:
                return change_figure(" ".join(sentence.split()), figure, false)
    return ""
