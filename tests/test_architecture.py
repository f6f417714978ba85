"""The shape of the library: imports point one way, nothing heavy is loaded before it is needed, tests mirror rooms."""

import ast
import graphlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import ragassay

LIBRARY, TESTS = Path(ragassay.__file__).parent, Path(__file__).parent
FLOW = """
    defaults sanitized_text errors output_files loop_progress parameter_ranges
    search_paths provenance network_seal http_requests assistant tables stats models documents cases answers
    scores labels calibration examination analysis decision
""".split()
# a room may import those to its left
ORDER = [*FLOW, *"engagement_registers scope show plots api serve report diff run cli example".split()]  # fmt: skip
NARROWER = {  # the process of an assistant starts in a moment, and loads no table
    "assistant": set("sanitized_text errors provenance network_seal http_requests".split()),
    "scope": set("errors parameter_ranges provenance tables engagement_registers".split()),
    "serve": set("sanitized_text errors models scores calibration api".split()),
    "example": set("errors provenance models documents".split()),
}
HEAVY = ("torch", "sentence_transformers", "umap", "sklearn", "ot", "papermill", "scipy.stats")
LIGHT = (
    "ragassay",
    *(
        f"ragassay.{room}"
        for room in "cli run cases scores labels calibration examination analysis decision documents".split()
    ),
)
FILES = sorted(LIBRARY.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


ROOMS = sorted({room_of(path) for path in FILES} - {"__init__"})


@cache
def imports_in(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Those of a file, wherever in it they stand."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(path: Path) -> set[str]:
    """The rooms a file imports."""
    names = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import hides its room"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("ragassay.")} & set(ROOMS)


def test_every_room_has_its_place():
    assert sorted(ORDER) == ROOMS


def may_import(room: str) -> set[str]:
    return {room} | NARROWER.get(room, set(ORDER[: ORDER.index(room)] if room in ORDER else []))


def test_imports_point_one_way():
    against = {path: imported(path) - may_import(room_of(path)) for path in FILES}
    assert {path: rooms for path, rooms in against.items() if rooms} == {}


def module_of(path: Path) -> str:
    parts = path.relative_to(LIBRARY.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imported_modules(path: Path, known: set[str]) -> set[str]:
    """The library's modules that a file imports."""
    named = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        else:
            wholes = [f"{node.module}.{alias.name}" for alias in node.names]
            named |= {whole if whole in known else str(node.module) for whole in wholes}
    return named & known - {module_of(path)}


def test_no_module_imports_one_that_imports_it():
    """Over the whole library, within rooms too, imports in functions included."""
    paths = {module_of(path): path for path in FILES}
    graph = {name: imported_modules(path, set(paths)) for name, path in paths.items()}
    assert any(graph.values())
    list(graphlib.TopologicalSorter(graph).static_order())  # CycleError names the circle


def test_nothing_heavy_is_loaded_by_importing():
    code = f"import sys, {', '.join(LIGHT)}; print([name for name in {HEAVY} if name in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_tests(room):
    assert (TESTS / f"test_{room}.py").exists() or list((TESTS / room).glob("test_*.py"))
