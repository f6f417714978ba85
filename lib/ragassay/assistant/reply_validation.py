"""What the assistant may reply, as one row of the answers table; a reply that fits nothing becomes a row that
says so."""

import inspect
import json
import unicodedata
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from ragassay import sanitized_text

HISTORY, PASSAGES = HOOKS = ("history", "passages")
IN_WORDS = {HISTORY: "the conversation so far", PASSAGES: "passages in place of those retrieved"}
LONGEST = 200  # characters of a version
NOTHING = "the assistant returned nothing"
NUMBERS = ("latency_s", "cost", "tokens")
CITATIONS = "citations"  # ids that a reply names as its sources, beside its text; None where it names none
IDS = ("id", "chunk_id", "passage_id", "doc_id", "document_id", "_id")  # names of a passage's id
VERSION = "system_version"  # what a reply says of the version that gave it; None where it says none
SAID = (CITATIONS, VERSION)  # columns of a table only where some reply says them
PLACEHOLDERS = {
    *("None", "null", "NULL", "nan", "NaN", "<NA>", "NaT", "undefined", "[object Object]"),
    *("#VALUE!", "#REF!", "#NAME?", "#N/A", "N/A", "nil", "#DIV/0!", "#NULL!", "#NUM!"),
}


def parameters_of(ask: Any) -> dict[str, inspect.Parameter]:
    """The parameters that its signature names; {} where none can be read."""
    try:
        return dict(inspect.signature(ask).parameters)
    except (ValueError, TypeError):
        return {}


def hooks_of(ask: Callable[..., object]) -> tuple[str, ...]:
    """The hooks that a callable takes: those that its signature names and that may be passed by name.

    `**options` names none: it would swallow what it does not know, and nobody could tell.
    """
    parameters = parameters_of(ask)
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(name for name in HOOKS if name in parameters and parameters[name].kind in by_name)


def version_text(value: object) -> str | None:
    """What stands where a reply has its version, as one line, cut to 200 characters; None if it says none.

    A text stands as it is, with hidden characters made visible; anything else as JSON in the order of its
    keys.
    """
    try:
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    if value is None or not text.strip():
        return None
    line = sanitized_text.clean(text.strip()[:LONGEST], 0).replace("\n", "\u240a").replace("\t", "\u2409")
    return line[:LONGEST]


def clean(text: str) -> str:
    """The text in NFC, with lone surrogates, which no file can hold, replaced by question marks."""
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))


def is_placeholder(text: str) -> bool:
    """Whether a text is what programs write where there is nothing: None, nan, [object Object], #VALUE!."""
    return len(text) < 20 and text.strip() in PLACEHOLDERS


def row_without_answer(error: str) -> dict:
    """The row of a question without an answer."""
    return {
        "answer": "",
        **dict.fromkeys(("contexts", "context_ids", CITATIONS, *NUMBERS, VERSION)),
        "error": error,
    }


def ids_beside(contexts: list[str] | None, ids: list[str] | None) -> list[str] | None:
    """The passages' ids as a table holds them: [] where the passages have none, None where neither they nor
    the passages are known."""
    return [] if ids is None and contexts is not None else ids


def row_of(reply: object) -> dict:
    """The row of a reply: answer, contexts, context_ids, citations, latency_s, cost, tokens, system_version,
    and error (empty if there is none); as JSON holds it, on the socket and in the journal.

    A reply is a text, or a mapping with `answer` and, where known, the other names; further keys are ignored.
    Contexts that are not named, or None, are unknown (None); an empty list says that nothing was retrieved;
    `sources` stand for what is not named (`_of_sources`). A reply of another form, or larger than the limits
    above, leaves an empty answer and an error.
    """
    try:
        if reply is None or isinstance(reply, str):
            reply = {"answer": reply}
        if not isinstance(reply, Mapping):
            raise ValueError(f"a {type(reply).__name__}, where a text or a dict with 'answer' was expected")
        if "answer" not in reply:
            raise ValueError(f"no 'answer' among its keys {sorted(map(str, reply))[:10]}")
        answer = "" if reply["answer"] is None else _text("answer", reply["answer"])
        named = {name: value for name, value in reply.items() if value is not None}
        reply = _of_sources(named) | named
        contexts = _texts("contexts", reply.get("contexts"))
        ids = _texts("context_ids", reply.get("context_ids"))
        citations = _texts(CITATIONS, reply.get(CITATIONS))
        if contexts and ids and len(contexts) != len(ids):
            raise ValueError(f"{len(contexts)} contexts but {len(ids)} context_ids")
        size = len(answer.encode())
        whole = size + sum(
            len(text.encode()) for text in [*(contexts or ()), *(ids or ()), *(citations or ())]
        )
        for what, n, limit in (("the answer", size, 1_000_000), ("the reply", whole, 16_000_000)):
            if n > limit:
                raise ValueError(f"{what} takes {n:,} bytes, at most {limit:,} are taken")
        error = "" if answer.strip() else NOTHING
        if is_placeholder(answer):
            error = f"{NOTHING}: the placeholder {answer.strip()!r}"
        return {
            "answer": "" if error else answer,
            "contexts": contexts,
            "context_ids": ids_beside(contexts, ids),
            CITATIONS: citations,
            **{name: _number(name, reply.get(name)) for name in NUMBERS},
            VERSION: version_text(reply.get(VERSION)),
            "error": error,
        }
    except ValueError as problem:
        return row_without_answer(f"wrong reply: {problem}")


def _of_sources(reply: Mapping) -> dict[str, Any]:
    """What `sources` say, a list of ids or of mappings: their ids as citations; where each has a text and the
    reply names no passages, these as contexts. Nothing of another form."""
    given = reply.get("sources")
    listed = given if isinstance(given, list | tuple) else ()
    sources = [one if isinstance(one, Mapping) else {IDS[0]: one} for one in listed]
    ids = [next((one[name] for name in IDS if name in one), None) for one in sources]
    are_ids = all(type(one) in (str, int) and len(str(one)) <= LONGEST for one in ids)
    found: dict[str, Any] = {CITATIONS: ids if ids and are_ids else None}
    texts = [one.get("text") for one in sources]
    if texts and all(isinstance(one, str) for one in texts) and {"contexts", "context_ids"}.isdisjoint(reply):
        found |= {"contexts": texts, "context_ids": found[CITATIONS]}
    return found


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} holds a {type(value).__name__}, where a text was expected")
    return clean(value)


def _texts(name: str, value: object) -> list[str] | None:
    """A list of texts, None where it is not given; whole numbers, as ids may be, are taken as texts."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{name} is a {type(value).__name__}, where a list of texts was expected")
    is_number = [isinstance(one, Integral) and not isinstance(one, bool) for one in value]
    return [
        _text(name, str(one) if is_whole else one) for one, is_whole in zip(value, is_number, strict=True)
    ]


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{name} is a {type(value).__name__}, where a number was expected")
    if not 0 <= value < 1e300:  # type: ignore[operator]
        raise ValueError(f"{name} is {str(value)[:40]}, where a number of at least 0 was expected")
    return float(value)
