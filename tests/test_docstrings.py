"""Every function that a notebook calls shows how, and an example that can run gives what stands below it."""

import ast
import doctest
import importlib
import json
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ragassay

LIBRARY, NOTEBOOKS = Path(ragassay.__file__).parent, Path(__file__).parents[1] / "notebooks"
FILES = [path for path in sorted(LIBRARY.rglob("*.py")) if "    >>> " in path.read_text(encoding="utf-8")]


def called(book: Path) -> set:
    """What the cells of a notebook name of the library, through the modules that they import."""
    cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
    code = ast.parse("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    imports = [node for node in code.body if isinstance(node, ast.Import | ast.ImportFrom)]
    given: dict = {}
    exec(compile(ast.Module(imports, []), book.name, "exec"), given)
    named = {ast.unparse(node).partition(".") for node in ast.walk(code) if isinstance(node, ast.Attribute)}
    reached = {given[name] for name in given if isinstance(given[name], type(called))}
    for first, _, rest in named:
        try:
            reached.add(attrgetter(rest)(given[first]))
        except (AttributeError, KeyError, TypeError):  # a variable of the notebook
            continue
    return {one for one in reached if callable(one) and str(one.__module__).startswith("ragassay")}


@pytest.mark.parametrize("book", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda book: book.stem)
def test_what_a_notebook_calls_has_an_example(book):
    found = called(book)
    assert found
    assert [
        one.__qualname__ for one in found if not {"Example:", ">>>"} & set((one.__doc__ or "").split())
    ] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(LIBRARY).as_posix())
def test_examples_give_what_stands_below_them(path):
    name = ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts)
    given = {"np": np, "pd": pd}  # as every notebook calls them
    assert doctest.testmod(importlib.import_module(name), extraglobs=given).failed == 0
