"""How large the tree may be, and where sentences may stand. A bound is today's number: it is lowered when the number
falls, and never raised. `python tests/test_sizes.py` lowers them."""

import ast
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "lib" / "ragassay"
CORE = "defaults sanitized_text errors output_files loop_progress parameter_ranges search_paths"
CORE += " provenance network_seal tables stats http_requests engagement_registers scope __init__"
ROOMS = {  # lines, the rooms that share the bound
    "core": (2_660, CORE),
    "documents": (4_790, "documents answers assistant"),
    "cases": (4_809, "cases"),
    "models": (2_175, "models"),
    "scores": (6_875, "scores"),
    "labels": (4_356, "labels calibration examination"),
    "analysis": (4_316, "analysis"),
    "decision": (1_610, "decision"),
    "report": (3_571, "report show figures plots"),
    "run": (6_200, "run cli api serve diff example"),
}
BOUNDS = {
    "lib lines": 41_362,
    "lib statements": 23_495,
    "lib files": 188,
    "test lines": 31_997,
    "training and bench lines": 4_426,
    "notebook code cells": 133,
    "docs words": 13_973,
}
FREE = ("report/", "cli/", "errors.py")  # words for readers; help
FILES = sorted(LIBRARY.rglob("*.py"))


def group_of(path: Path) -> str:
    """The row of ROOMS that a file belongs to; a KeyError names a room without one."""
    room = path.relative_to(LIBRARY).parts[0].removesuffix(".py")
    return {name: group for group, (_, names) in ROOMS.items() for name in names.split()}[room]


def lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def sizes() -> dict[str, int]:
    books = [json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("notebooks/*.ipynb")]
    pages = [path.read_text(encoding="utf-8") for path in ROOT.glob("docs/**/*.md")]
    return {
        "lib lines": lines(FILES),
        "lib statements": sum(
            isinstance(node, ast.stmt) for path in FILES for node in ast.walk(parsed(path))
        ),
        "lib files": len(FILES),
        "test lines": lines(ROOT.glob("tests/**/*.py")),
        "training and bench lines": lines([*ROOT.glob("training/**/*.py"), *ROOT.glob("bench/**/*.py")]),
        "notebook code cells": sum(cell["cell_type"] == "code" for book in books for cell in book["cells"]),
        "docs words": sum(len(page.split()) for page in pages),
    }


def room_lines() -> dict[str, int]:
    return {group: lines(path for path in FILES if group_of(path) == group) for group in ROOMS}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_exempt(node: ast.AST, path: Path) -> bool:
    """Whether below a node stand a docstring, an error, a pattern, a list of words, or a card of a metric."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name.endswith("Error") or name in ("compile", "split")
    in_cards = path.parent.name == "families" and isinstance(node, ast.Assign | ast.AnnAssign)
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Raise) or is_docstring or (in_cards and node.col_offset == 0)


def sentences(node: ast.AST, path: Path) -> Iterator[str]:
    """The literals of more than twelve words below a node; an f-string is one, a pattern or a query none."""
    if is_exempt(node, path):
        return
    if isinstance(node, ast.Constant | ast.JoinedStr):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts)
        is_code = "(?" in text or text.lstrip().startswith(("SELECT ", "CREATE ", "FROM "))
        yield from [text] if len(text.split()) > 12 and not is_code else []
        return
    for child in ast.iter_child_nodes(node):
        yield from sentences(child, path)


def long_literals() -> list[tuple[str, str]]:
    places = {path.relative_to(LIBRARY).as_posix(): path for path in FILES if "prompt" not in path.stem}
    read = {place: path for place, path in places.items() if not place.startswith(FREE)}
    return [(place, text) for place, path in read.items() for text in sentences(parsed(path), path)]


def test_nothing_grows():
    assert {what: n for what, n in sizes().items() if n > BOUNDS[what]} == {}


def test_no_room_grows():
    assert {room: n for room, n in room_lines().items() if n > ROOMS[room][0]} == {}


def test_the_library_holds_no_sentences():
    """What a reader sees stands in a markdown cell, an f-string beside it, a template or a data file."""
    assert long_literals() == []


if __name__ == "__main__":  # write the numbers that have fallen
    text = Path(__file__).read_text(encoding="utf-8")
    for what, n in sizes().items():
        text = text.replace(f'"{what}": {BOUNDS[what]:_},', f'"{what}": {min(n, BOUNDS[what]):_},')
    for room, n in room_lines().items():
        old = ROOMS[room][0]
        text = text.replace(f'"{room}": ({old:_}, ', f'"{room}": ({min(n, old):_}, ')
    Path(__file__).write_text(text, encoding="utf-8")
