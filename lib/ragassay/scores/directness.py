"""Directness: is the question answered first, without preamble, speculation and detours? (Lesson sections 1.3 and 3.1)

Four points, each in [0, 1], of equal weight: the answer stands in the first sentence (the whole point) or the first three (half of it; Lesson
10.1); the first sentence is no preamble; sentences do not speculate; sentences are about the question. Words are those of `signs.txt`; words and
thresholds are ours and not calibrated.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ragassay.scores.citations import numbers
from ragassay.scores.signs import shown

CLOSE = 0.1  # a sentence this near to the best cosine with the question may be the answer
ABOUT = 0.2  # least cosine of a sentence that is about the question
OPENING = 3  # sentences in which the direct answer may stand
_CAPITALISED = re.compile(r"(?<=\S )[A-ZÀ-Ý]\w")
KINDS: dict[str, Callable[[str], bool]] = {  # what a question may ask for, and how a sentence shows it
    "number": lambda text: bool(numbers(text)),
    "time": lambda text: bool(numbers(text)) or shown("moment", text),
    "name": lambda text: bool(_CAPITALISED.search(text)),
    "yes_no": lambda text: shown("decides", text),
}


def directness(place: int, preamble: bool, speculating: Sequence[bool], about: Sequence[bool]) -> float:
    """Mean of the four points, in [0, 1]; higher is better.

    Parameters
    ----------
    place : which sentence of the answer, from 0, holds the answer; see `answering`
    preamble : whether the first sentence says nothing yet
    speculating, about : one truth value per sentence

    Raises
    ------
    ValueError
        If there is no sentence.

    Source
    ------
    Lesson sections 1.3 ("answers the question first, then gives brief context; no detours or speculation") and 10.1 (three sentences).
    """
    if len(speculating) == 0 or len(speculating) != len(about):
        raise ValueError("no sentences: the answer is empty")
    return (
        first(place) + (not preamble) + 1 - sum(speculating) / len(speculating) + sum(about) / len(about)
    ) / 4


def first(place: int) -> float:
    """1 if the answer stands in the first sentence, 0.5 in the first three, else 0."""
    return 1.0 if place == 0 else 0.5 if place < OPENING else 0.0


def answering(question: str, sentences: Sequence[str], cosines: ArrayLike) -> int:
    """Which sentence holds the answer: the first with the kind of thing the question asks for; else the first that is close to it (`CLOSE`).

    cosines : (k,) of each sentence with the question
    """
    cosines = np.asarray(cosines, dtype=float)
    close = np.flatnonzero(cosines >= round(float(cosines.max()) - CLOSE, 9))
    kind = asked(question)
    holding = [i for i, text in enumerate(sentences) if kind and KINDS[kind](text)]
    return int(holding[0]) if holding else int(close[0])


def asked(question: str) -> str | None:
    """What the question asks for, by its words: number, time, name, yes_no; None for anything else."""
    return next((kind for kind in KINDS if shown(kind, question[:2000])), None)


def is_preamble(sentence: str) -> bool:
    """Whether a sentence opens with a courtesy or with talk about the question."""
    return shown("courtesy", sentence[:300]) or shown("preamble", sentence[:300])


def speculates(sentence: str) -> bool:
    """Whether a sentence says that it guesses."""
    return shown("speculation", sentence)
