"""Directness: is the question answered first, without preamble or detour? (Lesson 1.3 and 3.1)

Four points, each in [0, 1], of equal weight: the answer stands in the first sentence (the whole point) or the
first three (half of it; Lesson 10.1); the first sentence is no preamble; sentences do not speculate;
sentences are about the question. Words are those of `cue_words.txt`; words and thresholds are ours and not
calibrated.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ragassay.scores import vector_similarity
from ragassay.scores.metric import SHOWN, Detail, Result
from ragassay.scores.numbers.written_numbers import numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.cue_words import has_sign

CLOSE = 0.1  # a sentence this near to the best cosine with the question may be the answer
ABOUT = 0.2  # least cosine of a sentence that is about the question
OPENING = 3  # sentences in which the direct answer may stand
_CAPITALISED = re.compile(r"(?<=\S )[A-ZÀ-Ý]\w")
KINDS: dict[str, Callable[[str], bool]] = {  # what a question may ask for, and how a sentence shows it
    "number": lambda text: bool(numbers(text)),
    "time": lambda text: bool(numbers(text)) or has_sign("moment", text),
    "name": lambda text: bool(_CAPITALISED.search(text)),
    "yes_no": lambda text: has_sign("decides", text),
}


def mean_of_points(place: int, preamble: bool, speculating: Sequence[bool], about: Sequence[bool]) -> float:
    """Mean of the four points, in [0, 1]; higher is better.

    place : which sentence of the answer, from 0, holds the answer; see `answering_sentence`
    preamble : whether the first sentence says nothing yet
    speculating, about : one truth value per sentence

    Raises ValueError if there is no sentence. Source: Lesson sections 1.3 ("answers the question first, then
    gives brief context; no detours or speculation") and 10.1 (three sentences).
    """
    if len(speculating) == 0 or len(speculating) != len(about):
        raise ValueError("no sentences: the answer is empty")
    certain = 1 - sum(speculating) / len(speculating)
    return (point_of_place(place) + (not preamble) + certain + sum(about) / len(about)) / 4


def point_of_place(place: int) -> float:
    """1 if the answer stands in the first sentence, 0.5 in the first three, else 0."""
    return 1.0 if place == 0 else 0.5 if place < OPENING else 0.0


def answering_sentence(question: str, sentences: Sequence[str], cosines: ArrayLike) -> int:
    """Which sentence holds the answer: the first with the kind of thing asked for, or near the question.

    cosines : (k,) of each sentence with the question; close is within `CLOSE` of the best
    """
    cosines = np.asarray(cosines, dtype=float)
    close = np.flatnonzero(cosines >= round(float(cosines.max()) - CLOSE, 9))
    kind = kind_asked_for(question)
    holding = [i for i, text in enumerate(sentences) if kind and KINDS[kind](text)]
    return int(holding[0]) if holding else int(close[0])


def kind_asked_for(question: str) -> str | None:
    """What the question asks for, by its words: number, time, name, yes_no; None for anything else."""
    return next((kind for kind in KINDS if has_sign(kind, question[:2000])), None)


def directness(sample: Sample, tools: Tools) -> Result:
    """How directly the answer answers, in [0, 1]; higher is better; one record per sentence."""
    sentences = [sentence.text for sentence in sample.answer_sentences]
    questions = [sentence.text for sentence in sample.question_sentences]
    cosines = vector_similarity.best_match(tools.embed(sentences), tools.embed(questions))
    place = answering_sentence(sample.question or "", sentences, cosines)
    preamble = any(has_sign(sign, sentences[0][:300]) for sign in ("courtesy", "preamble"))
    speculating = [has_sign("speculation", text) for text in sentences]
    value = mean_of_points(place, preamble, speculating, [bool(cosine >= ABOUT) for cosine in cosines])
    return value, _sentences(sentences, cosines.tolist(), speculating, place, preamble)


def _sentences(
    texts: Sequence[str], cosines: Sequence[float], speculating: Sequence[bool], place: int, preamble: bool
) -> Detail:
    return [
        {
            "text": text[:SHOWN],
            "score": round(cosine, 6),
            "answers": i == place,
            "preamble": preamble and i == 0,
            "speculates": guesses,
            "detour": cosine < ABOUT,
        }
        for i, (text, cosine, guesses) in enumerate(zip(texts, cosines, speculating, strict=True))
    ]
