"""What the assistant may reply, as one row of the answers table; a reply that fits nothing becomes a row that
says so."""

import math
from collections.abc import Mapping

import numpy as np

NOTHING = "the assistant returned nothing"
NUMBERS = ("latency_s", "cost", "tokens")


def row_of(reply: object) -> dict:
    """The row of a reply: answer, contexts, context_ids, latency_s, cost, tokens, and error (empty if there
    is none).

    A reply is a text, or a mapping with `answer` and, where known, contexts and context_ids (lists of texts),
    latency_s, cost and tokens (numbers, at least 0). Other keys are ignored. An empty answer, or a reply of
    another form, leaves an empty answer and an error.
    """
    try:
        return _check_reply(reply)
    except ValueError as problem:
        return row_without_answer(str(problem))


def row_without_answer(error: str) -> dict:
    """The row of a question without an answer."""
    return {
        "answer": "",
        "contexts": [],
        "context_ids": [],
        "latency_s": math.nan,
        "cost": math.nan,
        "tokens": math.nan,
        "error": error,
    }


def clean(text: str) -> str:
    """The text with lone surrogates, which no file can hold, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _check_reply(reply: object) -> dict:
    if reply is None or isinstance(reply, str):
        reply = {"answer": reply}
    if not isinstance(reply, Mapping):
        raise ValueError(
            f"wrong reply: a {type(reply).__name__}, where a text or a dict with 'answer' was expected"
        )
    if "answer" not in reply:
        raise ValueError(f"wrong reply: no 'answer' among its keys {sorted(map(str, reply))[:10]}")
    answer = "" if reply["answer"] is None else _text("answer", reply["answer"])
    contexts, ids = (
        _texts("contexts", reply.get("contexts")),
        _texts("context_ids", reply.get("context_ids"), numbers=True),
    )
    if contexts and ids and len(contexts) != len(ids):
        raise ValueError(f"wrong reply: {len(contexts)} contexts but {len(ids)} context_ids")
    numbers = {name: _number(name, reply.get(name)) for name in NUMBERS}
    answer = answer if answer.strip() else ""
    return {
        "answer": answer,
        "contexts": contexts,
        "context_ids": ids,
        **numbers,
        "error": "" if answer else NOTHING,
    }


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"wrong reply: {name} holds a {type(value).__name__}, where a text was expected")
    return clean(value)


def _texts(name: str, value: object, numbers: bool = False) -> list[str]:
    """A list of texts; ids that are whole numbers are taken as texts."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise ValueError(
            f"wrong reply: {name} is a {type(value).__name__}, where a list of texts was expected"
        )
    return [
        str(item)
        if numbers and isinstance(item, (int, np.integer)) and not isinstance(item, bool)
        else _text(name, item)
        for item in value
    ]


def _number(name: str, value: object) -> float:
    if value is None:
        return math.nan
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"wrong reply: {name} is a {type(value).__name__}, where a number was expected")
    if not 0 <= value < 1e300:
        raise ValueError(
            f"wrong reply: {name} is {str(value)[:40]}, where a number of at least 0 was expected"
        )
    return float(value)
