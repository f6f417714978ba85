"""What is put to the assistant: every question with what was said before it and the passages given with it,
checked before the first is asked."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ragassay.assistant.reply_validation import HISTORY, IN_WORDS, PASSAGES
from ragassay.errors import TableError
from ragassay.tables import is_missing

ROLES = ("user", "assistant")
NOT_APPLICABLE = "not applicable: "  # how the error of a question begins that cannot be asked here
NOT_TAKEN = "the assistant does not take it"
ONLY_LOGS = "not asked: only logged answers are at hand"


class Question(NamedTuple):
    """One question to ask.

    history : texts said before, user and assistant in turn; `earlier` : places of the turns asked before it
    passages : id and text of each, to answer from; None where the assistant is to retrieve its own
    """

    case_id: str
    text: str
    history: tuple[str, ...] = ()
    passages: tuple[tuple[str, str], ...] | None = None
    earlier: tuple[int, ...] = ()

    def hooks(self) -> tuple[str, ...]:
        """The hooks without which it cannot be asked."""
        needed = {HISTORY: bool(self.history or self.earlier), PASSAGES: self.passages is not None}
        return tuple(name for name, need in needed.items() if need)

    def arguments(self, said: Sequence[str]) -> dict[str, Any]:
        """What it is asked with, after these texts said in earlier turns."""
        turns = [{"role": ROLES[i % 2], "content": text} for i, text in enumerate([*self.history, *said])]
        found: dict[str, Any] = {HISTORY: turns} if turns else {}
        if self.passages is not None:
            found[PASSAGES] = [{"id": name, "text": text} for name, text in self.passages]
        return found


def questions_of(cases: pd.DataFrame) -> list[Question]:
    """Every case, in their order; `cases` may have the columns history, passages,
    passage_ids, and turn beside conversation_id. TableError if a history is no list of texts in pairs,
    passages no list of texts, or not as many as their ids, or a turn has no conversation, or the turns of a
    conversation are not 1, 2, ..."""
    rows = cases.to_dict("records")
    return [
        Question(row["case_id"], row["question"], _history(row), _passages(row), tuple(before))
        for row, before in zip(rows, _earlier(rows), strict=True)
    ]


def conversations(questions: Sequence[Question]) -> list[list[int]]:
    """The places of the questions in the order in which they are asked, a list a conversation, turn by turn,
    where its first row stands; a question without earlier turns is one of its own."""
    found: dict[int, list[int]] = {}
    for place, question in enumerate(questions):
        found.setdefault(question.earlier[0] if question.earlier else place, []).append(place)
    return [sorted(places, key=lambda place: len(questions[place].earlier)) for places in found.values()]


def not_applicable(hooks: Sequence[str], why: str = NOT_TAKEN) -> str:
    """The error of a question that needs these hooks, in words that a report may print."""
    return f"{NOT_APPLICABLE}it needs {' and '.join(IN_WORDS[name] for name in hooks)}, and {why}"


def why_not_logged(case: dict[str, Any]) -> str:
    """Why a log holds no answer to a case: it would have to be asked, perhaps with what a log cannot take."""
    later = not is_missing(case.get("turn")) and case["turn"] != 1
    hooks = Question("", "", _history(case), _passages(case), (0,) if later else ()).hooks()
    return not_applicable(hooks, "only logged answers are at hand") if hooks else ONLY_LOGS


def sha256_of(text: object, arguments: dict[str, Any]) -> str:
    """By which a question is known again; with nothing beside it that of its text alone."""
    whole = json.dumps(["", str(text), arguments], sort_keys=True) if arguments else str(text)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _history(row: dict[str, Any]) -> tuple[str, ...]:
    texts = _texts(row, "history")
    if len(texts) % 2:
        raise _wrong(row, "history", f"{len(texts)} texts", "question and answer in turn, so an even number")
    return texts


def _passages(row: dict[str, Any]) -> tuple[tuple[str, str], ...] | None:
    """None where none are given; their ids are p1, p2, ... where the case names none."""
    if is_missing(row.get("passages")):
        return None
    texts, names = _texts(row, "passages"), _texts(row, "passage_ids")
    if names and len(names) != len(texts):
        raise _wrong(row, "passage_ids", f"{len(names)} ids", f"one for each of {len(texts)} passages")
    return tuple(zip(names or [f"p{i + 1}" for i in range(len(texts))], texts, strict=True))


def _texts(row: dict[str, Any], column: str) -> tuple[str, ...]:
    value = row.get(column)
    if is_missing(value):
        return ()
    if not isinstance(value, list | tuple | np.ndarray) or not all(isinstance(text, str) for text in value):
        raise _wrong(row, column, repr(value)[:200], "a list of texts")
    return tuple(value)


def _earlier(rows: list[dict[str, Any]]) -> list[list[int]]:
    """For each row the rows of its conversation that are asked before it, by turn."""
    turns: dict[str, list[tuple[float, int]]] = {}
    for i, row in enumerate(rows):
        turn, name = row.get("turn"), row.get("conversation_id")
        if is_missing(turn):
            continue
        if not isinstance(turn, int | float):
            raise _wrong(row, "turn", repr(turn)[:200], "1, 2, ...")
        if not isinstance(name, str) or not name:
            raise _wrong(row, "conversation_id", "none", "the conversation that this is a turn of")
        turns.setdefault(name, []).append((float(turn), i))
    found: list[list[int]] = [[] for _ in rows]
    for of_one in turns.values():
        of_one.sort()
        for n, (turn, i) in enumerate(of_one):
            if turn != n + 1:
                raise _wrong(rows[i], "turn", f"{turn:g}, where {n + 1} comes next", "each of 1, 2, ... once")
            found[i] = [j for _, j in of_one[:n]]
    return found


def _wrong(row: dict[str, Any], column: str, found: str, expected: str) -> TableError:
    return TableError(
        f"a case cannot be asked with its {column}",
        where=f"table cases, case {row['case_id']}, column {column}",
        found=found,
        expected=expected,
        do=f"correct the column {column}, or leave it empty",
    )
