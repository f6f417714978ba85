"""The same words in another outward form: capitals and marks."""

import re

import numpy as np

MARKS = re.compile(r"(?<!\d)[.,;:?!¿¡\"“”()]+|[.,;:?!¿¡\"“”()]+(?!\d)")  # those inside a number stay
STRAY = (",", "..", " ,", "?", " -")


def change_case(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """All in small letters; all in capitals; capitals at random."""
    if level < 3:
        return question.lower() if level == 1 else question.upper()
    raised = rng.random(len(question)) < 0.5
    return "".join(sign.upper() if up else sign.lower() for sign, up in zip(question, raised, strict=True))


def change_marks(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """No mark at the end; no mark at all but inside numbers; none, and stray ones after a third of the
    words."""
    if level == 1:
        return question.rstrip(" .?!…")
    bare = MARKS.sub(" ", question).split()
    if level == 2:
        return " ".join(bare)
    stray = [STRAY[int(rng.integers(len(STRAY)))] if rng.random() < 1 / 3 else "" for _ in bare]
    stray = ["" if word[-1].isdigit() else mark for word, mark in zip(bare, stray, strict=True)]
    return " ".join(word + mark for word, mark in zip(bare, stray, strict=True)) + "??"
