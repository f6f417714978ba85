"""Whether the assistant that a value names, or describes, can be asked; nothing of it is run or sent."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragassay import search_paths
from ragassay.answers import described_systems
from ragassay.assistant.described import is_described, missing
from ragassay.errors import KitError
from ragassay.run.parameter_checks.input_files import in_words
from ragassay.run.parameters import Parameter

Found = tuple[tuple, str]


def problems(parameter: Parameter, value: Any, _: Any) -> Iterator[Found]:
    """The form, and of a file whether it is there and is Python; of a description everything, the variables
    of its headers too."""
    spec = parameter.as_taken(value)
    if is_described(spec):
        yield from (((), problem) for problem in _described(spec))
        return
    place, colon, name = spec.rpartition(":")
    if spec and not (colon and place and name.isidentifier()):
        yield (), f"must be module:name, path/to/file.py:name or a description, found {spec!r}"
    elif place.endswith(".py"):
        yield from (((), problem) for problem in _python(search_paths.find(place)))


def _described(spec: str) -> Iterator[str]:
    try:
        yield from missing(described_systems.read(spec).description.headers)
    except KitError as problem:
        yield in_words(problem)


def _python(path: Path) -> Iterator[str]:
    if not path.is_file():
        yield f"the assistant's file does not exist; found nothing at {path}"
        return
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError) as problem:
        yield f"the assistant's file is no Python; at {path}; found {str(problem)[:200]}"
    except OSError as problem:
        yield f"the assistant's file cannot be read; at {path}; found {problem.strerror}"
