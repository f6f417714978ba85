"""One executed notebook, walked once, to one chapter."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay.errors import ENDED, InputError
from ragassay.report import cell_outputs, long_texts, markdown
from ragassay.report.block_builders import gap, paragraph
from ragassay.report.blocks import Block, Callout, Chapter, Heading, Inlines, Text, Verbatim, plain

_NUMBER = re.compile(r"^\s*+(?:0(?=\d))*+(\d++)\s*+[·.:|–—-]\s*")
_WRITTEN = re.compile(r"^\s*+\d++(?:\.\d++)++\s++")  # before a heading: 4.1
_BANNERS = {"papermill-error-cell-tag"}


@dataclass
class Part:
    """The blocks of one cell, and the cell's tags; the opening one is that of the notebook's title."""

    tags: tuple[str, ...]
    blocks: list[Block]
    is_opening: bool = False


@dataclass
class Walked:
    """A notebook's chapter, whole and cell by cell, its code by cell, and how far its execution came:
    executed, failed or pending."""

    name: str
    chapter: Chapter
    parts: list[Part] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)
    state: str = "executed"
    reason: str = ""
    long: long_texts.Kept = field(default_factory=list)  # where, and each text that was cut, whole


def read(path: Path) -> Walked:
    """Read and walk the notebook file."""
    import nbformat

    return walk(nbformat.read(path, as_version=4), path.stem)


def walk(notebook: Any, name: str, file: str = long_texts.FILE) -> Walked:
    """The notebook as a chapter. Its first heading of level 1 is the title, and names the number: `# 4 ·
    Title`. Where a text is too long for a page, `file` is named, which holds it."""
    notebook = type(notebook)({**notebook, "cells": _reached(notebook.cells)})
    long: long_texts.Kept = []
    parts, above = [], ""
    for position, cell in enumerate(notebook.cells, 1):
        kept: long_texts.Kept = []
        shown = _cell(cell, position, name, above)
        above = next((plain(each.words) for each in shown[::-1] if isinstance(each, Heading)), above)
        blocks = long_texts.shortened(shown, kept, file)
        long += [(f"{name}, cell {position}: {what}", text) for what, text in kept]
        parts.append(Part(tuple(cell.metadata.get("tags") or ()), blocks))
    title = next((block for block in _flat(parts) if isinstance(block, Heading) and block.level == 1), None)
    for part in parts:
        part.is_opening = any(block is title for block in part.blocks)
        part.blocks = [block for block in part.blocks if block is not title]
    number, words = _numbered(title.words if title else (), name)
    walked = Walked(name, Chapter(number, words, f"chapter-{name}", []), parts, _code(notebook), long=long)
    walked.state, walked.reason = _state(notebook)
    if walked.state != "executed":
        parts.insert(0, Part((), [_unfinished(walked)], is_opening=True))
    walked.chapter.blocks = _flat(parts)
    _anchored(walked.chapter)
    return walked


def _reached(cells: list[Any]) -> list[Any]:
    """The cells up to the one in which the notebook ended early, and the limits."""
    for place, cell in enumerate(cells, 1):
        if any(ENDED in output.get("data", {}) for output in cell.get("outputs", [])):
            return [
                *cells[:place],
                *(each for each in cells[place:] if "limits" in each.metadata.get("tags", [])),
            ]
    return cells


def _flat(parts: list[Part]) -> list[Block]:
    return [block for part in parts for block in part.blocks]


def cell_name(cell: Any, position: int) -> str:
    """How the report and the manifest name a code cell: by its execution count, or by its place if it never
    ran."""
    count = cell.get("execution_count")
    return f"cell [{count}]" if count else f"cell {position} (not run)"


def _cell(cell: Any, position: int, name: str, above: str) -> list[Block]:
    """What a cell shows; `above`: the last heading before it."""
    if cell.cell_type == "code":
        return cell_outputs.blocks(cell, f"{name} {cell_name(cell, position)}", _NUMBER.sub("", above))
    if cell.cell_type == "markdown" and not _BANNERS & set(cell.metadata.get("tags", [])):
        return [_unnumbered(block) for block in _authored(cell.source, f"{name}, cell {position}")]
    return []


def _authored(text: str, where: str) -> list[Block]:
    """The blocks of an author's text; where a part of it has no place in the report, the reason in a box and
    the text as typed, so that a cell is lost neither to the reader nor with its chapter."""
    try:
        return markdown.blocks(text, where)
    except InputError as problem:
        return [gap(f"{where}: {problem.what}; the cell stands below as typed."), Verbatim(text, "")]


def _unnumbered(block: Block) -> Block:
    """A heading below the title without the number its author wrote: the report numbers anew."""
    match block:
        case Heading(level, (Text(text), *rest), anchor) if level > 1:
            return Heading(level, (Text(_WRITTEN.sub("", text)), *rest), anchor)
    return block


def _numbered(title: Inlines, name: str) -> tuple[str, str]:
    written = plain(title) if title else name
    found = _NUMBER.match(written) or re.match(r"(?:0(?=\d))*+(\d++)_", name)
    stripped = (
        _NUMBER.sub("", written) if title else re.sub(r"^\d+_", "", name).replace("_", " ").capitalize()
    )
    return (found.group(1) if found else ""), stripped.strip()


def _state(notebook: Any) -> tuple[str, str]:
    """Failed if any cell holds an error; pending if any code cell never ran."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    errors = [
        output for cell in code for output in cell.get("outputs", []) if output["output_type"] == "error"
    ]
    waiting = sum(cell.get("execution_count") is None for cell in code)
    if errors:
        return (
            "failed",
            f"a cell failed ({errors[0].get('ename', 'Error')}); after it {_cells(waiting)} not executed",
        )
    if notebook.metadata.get("papermill", {}).get("exception"):
        return "failed", f"the run was stopped; {_cells(waiting)} not executed"
    return (
        ("pending", f"{waiting} of {len(code)} code cells were not executed") if waiting else ("executed", "")
    )


def _cells(count: int) -> str:
    return "1 cell was" if count == 1 else f"{count} cells were"


def _unfinished(walked: Walked) -> Callout:
    return Callout(
        "failure" if walked.state == "failed" else "gap",
        "This section is incomplete",
        [
            paragraph(
                f"{walked.name}: {walked.reason}. What follows is what the notebook had produced by then; "
                "nothing in it is a conclusion."
            )
        ],
    )


def _code(notebook: Any) -> list[tuple[str, str]]:
    cells = [
        (cell_name(cell, position), cell.source)
        for position, cell in enumerate(notebook.cells, 1)
        if cell.cell_type == "code"
    ]
    return [(called, source) for called, source in cells if source.strip()]


def _anchored(chapter: Chapter) -> None:
    headings = [block for block in chapter.blocks if isinstance(block, Heading)]
    for position, heading in enumerate(headings, 1):
        heading.level = max(heading.level, 2)
        heading.anchor = f"{chapter.anchor}-{position}"
