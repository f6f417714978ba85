"""What a user's own question is asked with: the turns before it, passages to answer from, its turn."""

import json
from typing import Any

from ragassay.cases.case_table import ASKED_WITH
from ragassay.errors import InputError


def read_asked_with(where: str, record: dict[str, Any]) -> dict[str, Any]:
    """The columns turn, history, passages and passage_ids that the record has; in CSV the lists are written
    as JSON.

    Raises
    ------
    InputError
        If turn is no number or one of the others no list of texts.
    """
    given = {name: record[name] for name in ASKED_WITH if record.get(name) is not None}
    return {name: (_turn if name == "turn" else _texts)(where, name, value) for name, value in given.items()}


def _turn(where: str, name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise _wrong(where, name, value, "1, 2, ...") from None


def _texts(where: str, name: str, value: object) -> list[str]:
    try:
        texts = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        texts = None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _wrong(where, name, value, '["a text", "another"]')
    return texts


def _wrong(where: str, name: str, value: object, expected: str) -> InputError:
    return InputError(
        f"the column {name} cannot be read",
        where=where,
        found=str(value)[:200],
        expected=expected,
        do="correct it, or rename the column if it means something else (docs/own-data.md, hooks)",
    )
