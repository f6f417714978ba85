"""Every regular expression of the package, how it is used, and texts that are likely to be bad for it."""

import ast
import builtins
import importlib
import inspect
import itertools
import pkgutil
import random
import re
from collections.abc import Iterator
from pathlib import Path
from re import _parser
from typing import Any, NamedTuple

import ragassay

ANCHORED = {"match", "fullmatch"}
FUNCTIONS = {"compile", "sub", "subn", "search", "findall", "finditer", "split"} | ANCHORED
NOT_IMPORTED = ("ragassay.run.kernel",)
ALWAYS = ("a", " ", "\n", "1", ".", "-", "a ", "a.", "1,", "A ", "Aa ")
FUNCTION = ast.FunctionDef | ast.Lambda
END = "\x01\n\x01"  # what few patterns expect: a run of what they do expect ends in it
CATEGORIES = {
    "DIGIT": "1", "NOT_DIGIT": "a", "SPACE": " ", "NOT_SPACE": "a", "WORD": "a", "NOT_WORD": "."
}  # fmt: skip


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


def uses() -> list[Use]:
    """All of them: objects of the modules, and patterns given in place to a function of `re`."""
    found: dict[tuple[str, int, bool], Use] = {}
    trees = {module: ast.parse(Path(module.__file__).read_text()) for module in modules()}
    methods = _methods_used(trees.values())
    for module, tree in trees.items():
        for name, value in vars(module).items():
            for pattern in _patterns_in(_made_by(value, module)):
                anchored = (
                    isinstance(value, re.Pattern) and bool(methods.get(name)) and methods[name] <= ANCHORED
                )
                found.setdefault(
                    (pattern.pattern, pattern.flags, anchored),
                    Use(f"{module.__name__}.{name}", pattern, anchored),
                )
        for line, function, pattern in _given_in_place(module, tree):
            key = (pattern.pattern, pattern.flags, function in ANCHORED)
            found.setdefault(key, Use(f"{module.__name__}:{line}", pattern, key[2]))
    return list(found.values())


def _methods_used(trees) -> dict[str, set[str]]:
    """Name of a pattern -> what is called on it anywhere; a name passed on as a value counts as searched."""
    called: dict[str, set[str]] = {}
    for tree in trees:
        heads = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS | {"pattern"}:
                heads.add(id(node.value))
                called.setdefault(_last_name(node.value), set()).add(node.attr)
        for node in ast.walk(tree):
            loaded = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            if loaded and id(node) not in heads:
                called.setdefault(_last_name(node), set()).add("search")
    return called


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


def _given_in_place(module, tree: ast.AST) -> Iterator[tuple[int, str, re.Pattern]]:
    for node in _calls(tree):
        try:
            pattern = re.compile(_value(node.args[0], module), _flags(node, module))
        except re.error:
            continue  # the whole expression is a local name
        if isinstance(pattern.pattern, str):
            yield node.lineno, node.func.attr, pattern


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls of `re.search` and the like; of `re.compile` only those in functions, for the others are objects
    of the module."""
    inside = {id(node) for part in ast.walk(tree) if isinstance(part, FUNCTION) for node in ast.walk(part)}
    for node in ast.walk(tree):
        of_re = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if not of_re or getattr(node.func.value, "id", "") != "re" or node.func.attr not in FUNCTIONS:
            continue
        if node.func.attr != "compile" or id(node) in inside:
            yield node


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


def bad_runs(pattern: re.Pattern, examples: int = 2) -> list[str]:
    """What a bad text repeats: each character that the pattern mentions, pairs of them, what it begins with,
    and examples of it, drawn by chance."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    letters = list(dict.fromkeys(_letters(tree)))
    pairs = ["".join(pair) for pair in itertools.pairwise([*letters[:12], *letters[:1]])]
    spaced = [letter + " " for letter in letters[:12]] + [f"{letter}." for letter in letters[:6]]
    rng = random.Random(0)
    starts = [start for _ in range(examples) for start in _starts(tree, rng)]
    return list(filter(None, dict.fromkeys([*letters[:24], *starts, *pairs, *spaced, *ALWAYS])))


def bad_text(run: str, length: int) -> str:
    """The run again and again, and at the end what is not expected."""
    return (run * (length // len(run) + 1))[:length] + END


def _letters(tree) -> Iterator[str]:
    """A character of every literal, class and category of the pattern."""
    for code, value in tree:
        name = str(code)
        if name in ("LITERAL", "RANGE"):
            yield chr(value if name == "LITERAL" else value[0])
        elif name == "NOT_LITERAL":
            yield "a" if value != ord("a") else "b"
        elif name == "ANY":
            yield "a"
        elif name == "CATEGORY":
            yield CATEGORIES[str(value).removeprefix("CATEGORY_")]
        elif name == "IN":
            yield from _class_letters(value)
        else:
            for part in _parts(value):
                yield from _letters(part)


def _class_letters(items) -> Iterator[str]:
    if str(items[0][0]) == "NEGATE":
        yield _outside(items[1:])
    yield from itertools.islice(_letters(item for item in items if str(item[0]) != "NEGATE"), 4)


def _outside(items) -> str:
    inside = set(_letters(items))
    words = any(str(code) == "CATEGORY" and str(value).endswith("_WORD") for code, value in items)
    return next((letter for letter in ("aA1 .,-\n" if not words else ".a 1") if letter not in inside), "a")


def _parts(value: Any) -> Iterator[Any]:
    """The patterns inside a group, a branch, a repeat, a look-around."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _parts(item)


def _starts(tree, rng: random.Random) -> Iterator[str]:
    """An example of the whole pattern, and of some of its beginnings; alternatives and repeats by chance."""
    parts = list(_example(tree, rng))
    for end in sorted({len(parts), *(rng.randint(1, max(1, len(parts))) for _ in range(2))}):
        yield "".join(parts[:end])


def _example(tree, rng: random.Random) -> Iterator[str]:
    for code, value in tree:
        name = str(code)
        if name == "BRANCH":
            yield from _example(rng.choice(value[1]), rng)
        elif name.endswith("REPEAT"):
            for _ in range(max(value[0], min(value[1], rng.randint(0, 2)))):
                yield from _example(value[2], rng)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from _example(next(_parts(value)), rng)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS"):
            yield rng.choice(list(_letters([(code, value)])) or ["a"])
