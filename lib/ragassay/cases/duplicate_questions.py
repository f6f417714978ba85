"""A question stands once in a set: asked again in other letters or marks it would count again, and easy ones
could outweigh the rest."""

from collections.abc import Sequence
from typing import Any

from ragassay.errors import InputError

ASIDE = ("segment", "history", "passages", "conversation_id", "turn", "language")  # what makes it another one


def refuse_repeats(cases: Sequence[dict[str, Any]], places: Sequence[str]) -> None:
    """Refuse a case_id, or a question, that stands twice; a question is the same whatever its capitals, marks
    and spaces, if it is asked of the same segment with the same history and passages.

    Raises
    ------
    InputError
        If one stands twice; it names both places.
    """
    seen: dict[object, str] = {}
    for case, where in zip(cases, places, strict=True):
        for mark in (case["case_id"], _asked(case)):
            if mark in seen:
                raise InputError(
                    "a case is there twice",
                    where=f"{seen[mark]}; {where}",
                    found=case["question"],
                    expected="each question once",
                    do="remove one of them; repeats are asked by the kit itself",
                )
            seen[mark] = where


def _asked(case: dict[str, Any]) -> tuple:
    letters = "".join(letter for letter in case["question"].casefold() if letter.isalnum())
    return (letters or case["question"], *(repr(case.get(name)) for name in ASIDE))
