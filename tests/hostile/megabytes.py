"""Every regular expression of the package on a megabyte of the two texts that are worst for it: what takes
more than 6.5 times the pace of the machine is too slow. It measures time, so `make hostile` alone runs it.

    PYTHONPATH=tests python -m hostile.megabytes
"""

import ast
import builtins
import importlib
import inspect
import itertools
import math
import pkgutil
import random
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from re import _parser
from typing import Any, NamedTuple

import ragassay

MEGABYTE, FIRST = 1_000_000, 500  # characters; of the texts by which the worst runs are found
HARD = re.compile(r"[a-z ]{6,120}?x")  # a hundred steps at each character: the pace of the machine, now
ANCHORED = {"match", "fullmatch"}
FUNCTIONS = {"compile", "sub", "subn", "search", "findall", "finditer", "split"} | ANCHORED
NOT_IMPORTED = ("ragassay.run.execution.sealed_kernel",)
FUNCTION = ast.FunctionDef | ast.Lambda
ALWAYS = ("a", " ", "\n", "1", ".", "-", "a ", "a.", "1,", "A ", "Aa ")
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


def every_use() -> list[Use]:
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


@cache
def slowest() -> float:
    """Seconds a character at most: 6.5 times what HARD takes here."""
    text = " " * 5_000
    return 6.5 * min(seconds(Use("", HARD, False), text, math.inf) for _ in range(9)) / len(text)


def seconds(use: Use, text: str, most: float) -> float:
    """Of the processor, for all that there is to find; given up after so many."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0 if most == math.inf else most)
    began = time.process_time()
    try:
        if use.anchored:
            use.pattern.match(text), use.pattern.fullmatch(text)
        else:
            deque(use.pattern.finditer(text), maxlen=0)
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def _stop(*_) -> None:
    raise TimeoutError


def too_slow(use: Use, length: int = MEGABYTE) -> list[str]:
    """The two worst texts that take the pattern too long, each with its seconds."""
    most = slowest() * length
    timed = {run: seconds(use, bad_text(run, FIRST), 1.0) for run in bad_runs(use.pattern)}
    worst = sorted(timed, key=timed.__getitem__, reverse=True)[:2]
    taken = {run: seconds(use, bad_text(run, length), 2 * most) for run in worst}
    return [
        f"{use.where}: {use.pattern.pattern!r} on {run!r}: {s:.1f} s" for run, s in taken.items() if s > most
    ]


def main() -> None:
    """Try them all; say which are too slow, and exit with 1 if any is."""
    tried = every_use()
    found = [line for use in tried for line in too_slow(use)]
    print("\n".join([*found, f"{len(tried)} patterns on two megabytes each, {len(found)} too slow"]))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
