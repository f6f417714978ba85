"""What is put to the assistant: every question with what was said before it and the passages given with it,
checked before the first is asked."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

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
    """Every case, in their order; `cases` may have the columns history, passages, passage_ids, and turn
    beside conversation_id. TableError if the texts of a history are not in pairs, passages not as many as
    their ids, or the turns of a conversation not 1, 2, ..."""
    rows = cases.to_dict("records")
    earlier: dict[int, list[int]] = {}
    turns: dict[Any, list[int]] = {}
    for place, row in enumerate(rows):
        if not is_missing(row.get("turn")):
            turns.setdefault(row.get("conversation_id"), []).append(place)
    for conversation, places in turns.items():
        places.sort(key=lambda place: rows[place]["turn"])
        for n, place in enumerate(places):
            if is_missing(conversation) or rows[place]["turn"] != n + 1:
                expected = f"{n + 1} comes next, each of 1, 2, ... once in its conversation_id"
                raise _wrong(rows[place], "turn", rows[place]["turn"], expected)
            earlier[place] = places[:n]
    return [_question(row, earlier.get(place, [])) for place, row in enumerate(rows)]


def _question(row: dict[str, Any], earlier: Sequence[int]) -> Question:
    """The question of a case; ids of its passages are p1, p2, ... where the case names none."""
    history, texts, ids = (
        () if is_missing(row.get(name)) else tuple(row[name]) for name in (HISTORY, PASSAGES, "passage_ids")
    )
    if len(history) % 2:
        expected = "question and answer in turn, so an even number"
        raise _wrong(row, HISTORY, f"{len(history)} texts", expected)
    if ids and len(ids) != len(texts):
        expected = f"one for each of {len(texts)} passages"
        raise _wrong(row, "passage_ids", f"{len(ids)} ids", expected)
    names = ids or [f"p{i + 1}" for i in range(len(texts))]
    passages = None if is_missing(row.get(PASSAGES)) else tuple(zip(names, texts, strict=True))
    return Question(row["case_id"], row["question"], history, passages, tuple(earlier))


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
    hooks = _question(case, [0] if later else []).hooks()
    return not_applicable(hooks, "only logged answers are at hand") if hooks else ONLY_LOGS


def sha256_of(text: object, arguments: dict[str, Any]) -> str:
    """By which a question is known again; with nothing beside it that of its text alone."""
    whole = json.dumps(["", str(text), arguments], sort_keys=True) if arguments else str(text)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _wrong(row: dict[str, Any], column: str, found: object, expected: str) -> TableError:
    what, where = f"a case cannot be asked with its {column}", f"table cases, case {row['case_id']}"
    return TableError(what, where=where, found=found, expected=expected, do="correct it, or leave it empty")
