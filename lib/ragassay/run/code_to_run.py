"""What a run executes besides the kit, and whom the assistant's process reaches."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.answers import described_systems
from ragassay.answers.log_import import open_log
from ragassay.assistant.described import is_described
from ragassay.sanitized_text import clean

Values = Mapping[str, Mapping[str, Any]]  # notebook -> its parameters


def code_to_run(books: Mapping[str, Path], values: Values) -> list[str]:
    """What this run executes besides the kit, a line each: where the notebooks and the assistant are; or how
    the log is read."""
    folders = list(dict.fromkeys(book.parent.resolve() for book in books.values()))
    lines = [*(f"notebooks: {folder}" for folder in folders), *map(in_words, _asked(values))]
    return [*lines, *(_log_in_words(each) for each in values.values() if each.get("answers_log"))]


def _log_in_words(scope: Mapping[str, Any]) -> str:
    """How the log is read: its schema, which column stands for which of ours, and whether it has contexts."""
    opened = open_log(provenance.source(scope["answers_log"]), scope.get("map"))
    absent = "" if opened.holds("contexts") else "; no column is read as contexts, see 00_scope, map"
    return clean(f"log: {opened.description()}{absent}", 500)


def reached(values: Values) -> list[str]:
    """The endpoints of assistants that are described, as host:port; their processes reach them, no notebook
    does."""
    described = [described_systems.read(name) for name in _asked(values) if is_described(name)]
    return sorted({host for one in described for host in described_systems.reaches(one, ()) or ()})


def in_words(assistant: str) -> str:
    """What is asked: the file that is run, or what a description names."""
    if is_described(assistant):
        return f"assistant: {described_systems.in_words(assistant)}"
    name = assistant.rpartition(":")[0]
    file = provenance.located(name if name.endswith(".py") else provenance.MODULE + name)
    return f"assistant: {file.resolve() if file else 'not found'}"


def _asked(values: Values) -> list[str]:
    """The assistants that are asked: none of an engagement with a log."""
    return [
        each["assistant"] for each in values.values() if each.get("assistant") and not each.get("answers_log")
    ]
