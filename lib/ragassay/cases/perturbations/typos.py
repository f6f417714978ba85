"""Slips of the finger and of the scanner: letters changed, words still to be recognised."""

from functools import cache

import numpy as np

from ragassay.cases.perturbations.editing import change_some, touchable_words, word_list

BESIDE = (
    "wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jli kop xas zcd xvf cbg "
    "vnh bmj nk"
)
KEYS_BESIDE = dict(zip("qwertyuiopasdfghjklzxcvbnm", BESIDE.split(), strict=True))  # QWERTY
SHORTEST = 4  # letters of a word that is misspelt


@cache
def known_words() -> frozenset[str]:
    """Whole words of three letters or more that the default encoder's vocabulary has: what a slip must not
    become, for then another thing is asked (`form` for `from`)."""
    from ragassay import models

    return frozenset(word for word in models.tokenizer().get_vocab() if len(word) >= 3 and word.isalpha())


def add_slips(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One slip of the keyboard in each word touched: a neighbouring key, two letters swapped, one dropped or
    one doubled."""
    spans = touchable_words(question, language, SHORTEST)
    return change_some(question, spans, level, lambda word: _first_unknown(word, _slips(word, rng), rng), rng)


def misread(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One letter in each word touched read as a scanner misreads it: rn for m, 1 for l; never the first."""
    spans = touchable_words(question, language, SHORTEST)
    return change_some(
        question, spans, level, lambda word: _first_unknown(word, _misreadings(word), rng), rng
    )


def _first_unknown(word: str, slips: list[str], rng: np.random.Generator) -> str:
    """One of the slips, from a place drawn by rng on, that is no other word; the word where there is none."""
    if not slips:
        return word
    first = int(rng.integers(len(slips)))
    turned = slips[first:] + slips[:first]
    return next((slip for slip in turned if slip != word and slip.lower() not in known_words()), word)


def _slips(word: str, rng: np.random.Generator) -> list[str]:
    at = int(rng.integers(1, len(word) - 1))
    keys = KEYS_BESIDE.get(word[at].lower(), "e")
    return [
        word[:at] + keys[int(rng.integers(len(keys)))] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]


def _misreadings(word: str) -> list[str]:
    return [
        word[:at] + read + word[at + len(sign) :]
        for sign, read in word_list("ocr").items()
        for at in range(1, len(word))
        if word.startswith(sign, at)
    ]
