"""What is sent: a template in which placeholders stand for the question and what is given with it.

{question}    the question             {messages}    history and question as chat messages
{history}     what was said before     {passages}    what it is to answer from, id and text
{request_id}  made anew for each request

A value that is a placeholder and nothing else becomes what it stands for, a list too; in a list {messages}
and {history} are put in element by element. Within a longer text it becomes text. What stands for passages is
left out where none are given.
"""

import re
from collections.abc import Mapping
from typing import Any

NAMES = ("question", "history", "passages", "messages", "request_id")
PLACEHOLDER = re.compile(r"\{(" + "|".join(NAMES) + r")\}")
HOOK_OF = {"history": "history", "messages": "history", "passages": "passages"}
ABSENT: Any = object()


def names_in(template: Any) -> set[str]:
    """The placeholders of a template."""
    if isinstance(template, str):
        return set(PLACEHOLDER.findall(template))
    parts = (
        template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    )
    return set().union(*map(names_in, parts))


def values(
    question: str, history: list[dict], passages: list[dict] | None, request_id: str
) -> dict[str, Any]:
    """What each placeholder stands for."""
    said = [{"role": turn["role"], "content": turn["content"]} for turn in history]
    messages = [*said, {"role": "user", "content": question}]
    given = {"question": question, "history": said, "messages": messages, "request_id": request_id}
    return given | {"passages": ABSENT if passages is None else passages}


def fill(template: Any, given: Mapping[str, Any]) -> Any:
    """The template with every placeholder replaced, once: what a question holds is not looked into."""
    if isinstance(template, str):
        whole = PLACEHOLDER.fullmatch(template)
        return given[whole[1]] if whole else PLACEHOLDER.sub(lambda found: _text(given[found[1]]), template)
    if isinstance(template, dict):
        filled = {name: fill(part, given) for name, part in template.items()}
        return {name: part for name, part in filled.items() if part is not ABSENT}
    if isinstance(template, list):
        return [each for part in template for each in _elements(part, fill(part, given))]
    return template


def _elements(part: Any, filled: Any) -> list[Any]:
    if filled is ABSENT:
        return []
    return filled if isinstance(part, str) and isinstance(filled, list) else [filled]


def _text(value: Any) -> str:
    """A list within a text: turns and passages, one after the other."""
    if value is ABSENT:
        return ""
    if isinstance(value, str):
        return value
    return "\n".join(
        f"{each.get('role', each.get('id'))}: {each.get('content', each.get('text'))}" for each in value
    )
