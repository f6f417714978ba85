"""The system under test: a Python function, or a factory that makes one, named as "module:name" or
"path/to/file.py:name"."""

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ragassay import evidence, places
from ragassay.errors import SystemUnderTestError

FORM = "module:name, or path/to/file.py:name"


@dataclass(frozen=True)
class System:
    """Something to ask: `ask(question)`, and a hash of its source file and documents, by which journalled
    answers are known again."""

    ask: Callable[[str], object]
    identity: str

    def __call__(self, question: str) -> object:
        return self.ask(question)


def load_system(spec: str, documents: str | Path | None = None) -> System:
    """The assistant that `spec` names, ready to be asked.

    Parameters
    ----------
    spec : "module:name" (importable from the working folder) or "path/to/file.py:name". The object named is
        asked directly if its first parameter is `question`; otherwise it is a factory, called once (with
        `documents=` if it takes that), which returns what is asked.
    documents : the documents' folder, handed to the factory as a path, and part of the identity

    Raises
    ------
    SystemUnderTestError
        If the spec has no colon, the module or the name does not exist, it cannot be called, or the factory
        fails.
    """
    place, colon, name = spec.rpartition(":")
    if not (colon and place and name):
        raise SystemUnderTestError(
            "the assistant is not named as it should be",
            where="system",
            found=repr(spec),
            expected=FORM,
            do="write both parts, for example my_assistant:ask",
        )
    folder = None if documents is None else evidence.source(documents)
    module = _file(place, spec) if place.endswith(".py") else _module(place, spec)
    ask = _function_to_ask(_object_named(module, name, spec), folder, spec)
    return System(ask, _identity(place, module, folder))


def identity_of(system: Callable) -> str:
    """What a system is known by: its own `identity`, or a hash of the function's source (values it closes
    over are not seen)."""
    given = getattr(system, "identity", None)
    if isinstance(given, str):
        return given
    try:
        source = inspect.getsource(system)
    except (OSError, TypeError):
        source = getattr(system, "__qualname__", type(system).__qualname__)
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()


def _identity(place: str, module: ModuleType, folder: Path | None) -> str:
    """Notes the source file as read, and hashes it together with the documents."""
    path = Path(module.__file__) if module.__file__ else None
    if path:
        evidence.reads_code(place if place.endswith(".py") else f"module:{place}", path)
    parts = [evidence.sha256_of(part) if part else "" for part in (path, folder)]
    return hashlib.sha256("\0".join([module.__name__, *parts]).encode()).hexdigest()


def _module(place: str, spec: str) -> ModuleType:
    """A module importable from where Python looks, or from the folders of the engagement."""
    sys.path[:0] = [folder for folder in map(str, places.folders()) if folder not in sys.path]
    importlib.invalidate_caches()
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as problem:
        if problem.name and (place == problem.name or place.startswith(f"{problem.name}.")):
            raise SystemUnderTestError(
                f"there is no module {problem.name!r}",
                where=spec,
                expected=FORM,
                do=f"run from its folder, install it, or give its file: path/to/{place}.py:name",
            ) from None
        raise _failure("the assistant's module cannot be imported", spec, problem) from problem
    except (Exception, SystemExit) as problem:
        raise _failure("the assistant's module cannot be imported", spec, problem) from problem


def _file(place: str, spec: str) -> ModuleType:
    """A file run as a module; files beside it can be imported by it."""
    path = places.find(place)
    if not path.is_file():
        raise SystemUnderTestError(
            "the assistant's file does not exist",
            where=spec,
            found=f"nothing at {path}",
            do="correct the path",
        )
    name = f"system_under_test_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    if str(path.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(path.parent.resolve()))
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        raise _failure("the assistant's file cannot be run", spec, problem) from problem
    return module


def _object_named(module: ModuleType, name: str, spec: str) -> Any:
    if hasattr(module, name):
        return getattr(module, name)
    known = sorted(key for key, value in vars(module).items() if callable(value) and not key.startswith("_"))
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    raise SystemUnderTestError(
        f"the module has no {name!r}",
        where=spec,
        expected=", ".join(known[:20]) or "a function",
        do=f"did you mean {nearest[0]!r}?" if nearest else "name a function of that module",
    )


def _function_to_ask(found: Any, folder: Path | None, spec: str) -> Callable[[str], object]:
    """The function to ask: the object itself, or what it makes."""
    if not callable(found):
        raise SystemUnderTestError(
            "the assistant cannot be called",
            where=spec,
            found=f"a {type(found).__name__}",
            expected="a function or a factory",
            do="name a function whose first parameter is `question`, or a factory that returns one",
        )
    parameters = _parameters(found)
    if next(iter(parameters), None) == "question":
        return found
    _refuse_unknown(parameters, spec)
    takes = "documents" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    try:
        made = found(documents=str(folder)) if takes and folder is not None else found()
    except (Exception, SystemExit) as problem:
        raise _failure("the factory failed", spec, problem) from problem
    if not callable(made):
        raise SystemUnderTestError(
            "the factory returned nothing that can be asked",
            where=spec,
            found=f"a {type(made).__name__}",
            expected="a function of one question",
            do="return the function; or name its first parameter `question`",
        )
    return made


def _parameters(found: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(found).parameters)
    except (ValueError, TypeError):
        return {}


def _refuse_unknown(parameters: dict[str, inspect.Parameter], spec: str) -> None:
    """A factory is called with `documents` or nothing: another required parameter means that it is no
    factory."""
    free = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    required = [
        name
        for name, p in parameters.items()
        if p.default is p.empty and p.kind not in free and name != "documents"
    ]
    if required:
        raise SystemUnderTestError(
            "it is not clear how to ask the assistant",
            where=spec,
            found=f"required parameters {required}",
            expected="a first parameter `question` (a function), or none but `documents` (a factory)",
            do="rename the first parameter to `question`, or wrap the function in one that has it",
        )


def _failure(what: str, spec: str, problem: BaseException) -> SystemUnderTestError:
    return SystemUnderTestError(
        what,
        where=spec,
        found=f"{type(problem).__name__}: {problem}",
        do="make it work in plain Python first",
    )
