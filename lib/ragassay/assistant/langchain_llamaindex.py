"""Assistants of LangChain and LlamaIndex, known by what they offer: `invoke`, or `query`.

A runnable is invoked with the question under the name that its input has (question, input, query, messages);
one that names none with the text, or with all of these names if it refuses a text. One that takes a chat
history takes the hook `history`. Of what it returns the answer, the passages and, where all of them have one,
their ids are taken.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

QUESTIONS, HISTORIES, MESSAGES = ("question", "input", "query"), ("chat_history", "history"), "messages"
ANSWERS = ("answer", "result", "output", "response", "output_text")
PASSAGES = ("context", "source_documents", "documents", "contexts")
IDS = ("id", "chunk_id", "passage_id", "doc_id", "document_id", "_id")  # in the metadata of a passage


def function_of(found: Any) -> Callable[..., object] | None:
    """The function that asks a runnable or a query engine; None if it is neither."""
    if inspect.isclass(found) or inspect.ismodule(found):
        return None
    if callable(getattr(found, "invoke", None)):
        return _of_runnable(found)
    if callable(getattr(found, "query", None)):
        return lambda question: reply_of(found.query(question))
    return None


def _of_runnable(runnable: Any) -> Callable[..., object]:
    if isinstance(named := getattr(runnable, "input_keys", None), Sequence) and not isinstance(named, str):
        names = {str(name) for name in named}
    else:
        try:
            names = set(runnable.get_input_jsonschema().get("properties", {}))
        except Exception:  # it takes anything, or no schema can be made of what it takes
            names = set()
    key = next((name for name in QUESTIONS if name in names), "")
    said = next((name for name in HISTORIES if name in names), "")

    def ask(question: str) -> object:
        if key:
            return reply_of(runnable.invoke({key: question}))
        try:
            return reply_of(runnable.invoke(question))
        except (TypeError, AssertionError, KeyError, AttributeError):  # a text is not what it takes
            return reply_of(runnable.invoke(dict.fromkeys(QUESTIONS, question)))

    def ask_with_history(question: str, history: Sequence[Mapping[str, str]] = ()) -> object:
        turns = [({"user": "human", "assistant": "ai"}[turn["role"]], turn["content"]) for turn in history]
        if key:
            return reply_of(runnable.invoke({key: question, said: turns}))
        return reply_of(runnable.invoke({MESSAGES: [*turns, ("human", question)]}))

    return ask_with_history if (key and said) or (not key and MESSAGES in names) else ask


def reply_of(response: Any) -> object:
    """What they return as a reply of ours; what is not known stays as it is."""
    if isinstance(response, Mapping):
        name = next((name for name in ANSWERS if name in response), "")
        if not name:
            messages = response.get(MESSAGES)
            return _reply(messages[-1], None) if isinstance(messages, Sequence) and messages else response
        named = [response[each] for each in PASSAGES if response.get(each) is not None]
        passages: Any = next(filter(None, named), [] if named else None)
        return _reply(response[name], [passages] if isinstance(passages, str) else passages)
    if isinstance(nodes := getattr(response, "source_nodes", None), Sequence):
        return _reply(getattr(response, "response", None), [getattr(node, "node", node) for node in nodes])
    return _reply(response, None) if hasattr(response, "content") else response


def _reply(answer: Any, passages: Sequence[Any] | None) -> dict[str, Any]:
    """The reply; what was retrieved is not known where `passages` is None."""
    usage = getattr(answer, "usage_metadata", None)
    text = getattr(answer, "content", answer)
    if isinstance(text, list):  # of parts
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in text]
        text = "".join(part for part in parts if isinstance(part, str))
    found = {"answer": text, "tokens": usage.get("total_tokens") if isinstance(usage, Mapping) else None}
    if passages is None:
        return found
    ids = [_id(passage) for passage in passages]
    return found | {
        "contexts": [
            one.get_content() if hasattr(one, "get_content") else getattr(one, "page_content", one)
            for one in passages
        ],
        "context_ids": ids if all(each is not None for each in ids) else [],
    }


def _id(passage: Any) -> Any:
    """The passage's id: of its metadata, else its own."""
    metadata = getattr(passage, "metadata", None)
    given = metadata if isinstance(metadata, Mapping) else {}
    named = [given.get(name) for name in IDS] + [getattr(passage, name, None) for name in ("id", "node_id")]
    return next((each for each in named if isinstance(each, str | int)), None)
