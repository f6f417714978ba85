"""As people type in a hurry, or talk: an opening, short forms, contractions."""

import re
from collections.abc import Mapping
from functools import cache

import numpy as np

from ragassay.cases.perturbations.capitals_and_punctuation import MARKS
from ragassay.cases.perturbations.editing import (
    like_written,
    phrases_found,
    replace_some,
    stem_end,
    word_list,
)


def make_casual(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """An opening word; also in small letters with little punctuation; also with every short form there is."""
    openings = word_list("openings").get(language, word_list("openings")["en"])
    opening = openings[int(rng.integers(len(openings)))]
    if level == 1:
        return f"{opening}, {question}"
    places = phrases_found(question, language, _short_forms(language)) if level == 3 else []
    text = replace_some(question, places, len(places), rng)
    return " ".join([opening, *MARKS.sub(" ", text.lower()).split()])


def shorten_words(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """Short forms of text messages in one, two or three places: u, pls, acct."""
    return replace_some(question, phrases_found(question, language, _short_forms(language)), level, rng)


def contract(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """English contractions written where there is none, or written out where there is one: what's, don't."""
    if language != "en":
        return question
    stem, options = question[: stem_end(question)], question[stem_end(question) :]
    pairs = word_list("contractions")
    written_out = _replaced(stem, {short: full for full, short in pairs.items()})
    return (written_out if written_out != stem else _replaced(stem, pairs)) + options


def _short_forms(language: str) -> Mapping[str, str]:
    return word_list("short_forms").get(language, {})


def _replaced(text: str, pairs: Mapping[str, str]) -> str:
    lower = {old.casefold(): new for old, new in pairs.items()}
    return _pattern(tuple(lower)).sub(
        lambda found: like_written(found[0], lower[found[0].casefold().replace("’", "'")]), text
    )


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    alternatives = "|".join(re.escape(phrase).replace("'", "['’]") for phrase in longest_first)
    return re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE)
