"""Every regular expression of the package, and how it is used."""

import ast
import builtins
import importlib
import inspect
import itertools
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ragassay
from ragassay.cases.rule_questions import unanswerable

ANCHORED = {"match", "fullmatch"}
FUNCTIONS = {"compile", "sub", "subn", "search", "findall", "finditer", "split"} | ANCHORED
NOT_IMPORTED = ("ragassay.run.execution.sealed_kernel",)
FUNCTION = ast.FunctionDef | ast.Lambda


class Use(NamedTuple):
    """A pattern, where it stands, and whether it is only ever tried at the start of a text."""

    where: str
    pattern: re.Pattern
    anchored: bool


class Word(str):
    """A word that stands for whatever a local name may hold."""

    def __getattr__(self, name: str) -> "Word":
        return self

    def __add__(self, other: Any) -> "Word":
        return self


def modules() -> Iterator[Any]:
    """The package's modules that can be imported."""
    for found in pkgutil.walk_packages(ragassay.__path__, "ragassay."):
        if not found.name.startswith(NOT_IMPORTED):
            yield importlib.import_module(found.name)


def every_use() -> list[Use]:
    """Those of the modules, and those that the questions without answers make of their tables."""
    rows = [*unanswerable.OF_A_NAME, *unanswerable.OF_A_DUTY]
    made = [rf"(?<!\w)(?:{row.evidence})" for row in rows] + [rf"\b(?:{row.heads})$" for row in rows]
    return _written() + [Use("unanswerable", re.compile(each, re.IGNORECASE), False) for each in made]


def _written() -> list[Use]:
    """Objects of the modules, and patterns given in place to a function of `re`."""
    found: dict[tuple[str, int, bool], Use] = {}
    nodes = {module: list(ast.walk(ast.parse(Path(module.__file__).read_text()))) for module in modules()}
    methods = _methods_used(nodes.values())
    for module, of_module in nodes.items():
        for name, value in vars(module).items():
            for pattern in _patterns_in(_made_by(value, module)):
                anchored = bool(methods.get(name)) and methods[name] <= ANCHORED
                found.setdefault(
                    (pattern.pattern, pattern.flags, anchored),
                    Use(f"{module.__name__}.{name}", pattern, anchored),
                )
        for line, function, pattern in _given_in_place(module, of_module):
            key = (pattern.pattern, pattern.flags, function in ANCHORED)
            found.setdefault(key, Use(f"{module.__name__}:{line}", pattern, key[2]))
    return list(found.values())


def _methods_used(nodes: Iterable[list[ast.AST]]) -> dict[str, set[str]]:
    """Name of a pattern -> what is called on it anywhere; a name passed on as a value counts as searched."""
    called: dict[str, set[str]] = {}
    for of_module in nodes:
        heads = {id(head) for head in _gone_through(of_module, called)}
        for node in of_module:
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS | {"pattern"}:
                heads.add(id(node.value))
                called.setdefault(_last_name(node.value), set()).add(node.attr)
        for node in of_module:
            loaded = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            if loaded and id(node) not in heads:
                called.setdefault(_last_name(node), set()).add("search")
    return called


def _gone_through(nodes: list[ast.AST], called: dict[str, set[str]]) -> Iterator[ast.AST]:
    """Names of tuples of patterns where `for pattern in NAME` goes through them: what is called on each is
    called on the tuple's patterns."""
    for loop in nodes:
        for part in getattr(loop, "generators", [loop] if isinstance(loop, ast.For) else []):
            if not isinstance(part.target, ast.Name) or not _last_name(part.iter).isupper():
                continue
            each = [node for node in ast.walk(loop) if getattr(node, "id", "") == part.target.id]
            heads = {id(node.value): node.attr for node in ast.walk(loop) if isinstance(node, ast.Attribute)}
            used = {heads.get(id(node), "search") for node in each if node is not part.target}
            called.setdefault(_last_name(part.iter), set()).update(used)
            yield part.iter


def _last_name(node: ast.AST) -> str:
    return getattr(node, "id", None) or getattr(node, "attr", "")


def _made_by(value: Any, module) -> Any:
    """What a cached function without arguments returns, if it says that patterns are in it; else the value."""
    if not hasattr(value, "cache_info") or value.__module__ != module.__name__:
        return value
    signature = inspect.signature(value)
    told = str(signature.return_annotation)
    holders = ["Pattern", *(name for name, each in vars(module).items() if "Pattern" in _fields(each))]
    return value() if not signature.parameters and any(name in told for name in holders) else None


def _fields(value: Any) -> str:
    return str(getattr(value, "__annotations__", "")) if isinstance(value, type) else ""


def _patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth < 4 and isinstance(value, dict):
        for item in itertools.chain(value, value.values()):
            yield from _patterns_in(item, depth + 1)
    elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _patterns_in(item, depth + 1)
    elif depth < 4 and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        yield from _patterns_in(list(vars(value).values()) if hasattr(value, "__dict__") else [], depth + 1)


def _given_in_place(module, nodes: list[ast.AST]) -> Iterator[tuple[int, str, re.Pattern]]:
    for node in _calls(nodes):
        try:
            pattern = re.compile(_value(node.args[0], module), _flags(node, module))
        except re.error:
            continue  # the whole expression is a local name
        if isinstance(pattern.pattern, str):
            yield node.lineno, node.func.attr, pattern


def _calls(nodes: list[ast.AST]) -> Iterator[ast.Call]:
    """Calls of `re.search` and the like; of `re.compile` only those in functions, for the others are objects
    of the module."""
    calls = [node for node in nodes if isinstance(node, ast.Call) and _function_of_re(node)]
    if any(_function_of_re(node) == "compile" for node in calls):
        functions = (part for part in nodes if isinstance(part, FUNCTION))
        inside = {id(node) for part in functions for node in ast.walk(part)}
        calls = [node for node in calls if _function_of_re(node) != "compile" or id(node) in inside]
    yield from calls


def _function_of_re(node: ast.Call) -> str:
    called = node.func
    of_re = isinstance(called, ast.Attribute) and getattr(called.value, "id", "") == "re"
    return called.attr if of_re and called.attr in FUNCTIONS else ""


def _value(node: ast.AST, module) -> Any:
    """The expression's value in its module; a local name stands for a word."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    known = {**vars(builtins), **vars(module)}
    local = {name: Word("ab") for name in names if name not in known}
    return eval(compile(ast.Expression(node), "pattern", "eval"), {**vars(module), **local})


def _flags(node: ast.Call, module) -> int:
    place = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2}
    given = [keyword.value for keyword in node.keywords if keyword.arg == "flags"]
    given += node.args[place.get(node.func.attr, 9) :]
    flags = _value(given[0], module) if given else 0
    return 0 if isinstance(flags, Word) else flags
