"""One executed notebook, walked once, to its chapters."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragassay.errors import ENDED
from ragassay.report import blocks as model
from ragassay.report import cell_outputs, markdown
from ragassay.report.blocks import anchor_of, paragraph, plain, words

_NUMBER = re.compile(r"^\s*+(?:0(?=\d))*+(\d++)\s*+[·.:|–—-]\s*")
_WRITTEN = re.compile(r"^\s*+\d++(?:\.\d++)++\s++")  # before a heading: 4.1
_BANNER = "papermill-error-cell-tag"
ANNEX, LIMITS = TAGS = ("annex", "limits")  # of cells that stand elsewhere than in their chapter


@dataclass
class Walked:
    """A notebook, cell by cell: the titles and questions of its chapters, which headings of level 1 open;
    each block with its cell's tag and the place of its chapter; its code by cell; and how far its execution
    came: executed, failed, pending or missing."""

    name: str
    titles: list[tuple[str, str]] = field(default_factory=list)
    parts: list[tuple[str, int, model.Block]] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)
    state: str = "executed"
    reason: str = ""

    def chapters(self, *elsewhere: str) -> list[model.Chapter]:
        """Its chapters, without the cells of these tags."""
        made = []
        for place, (title, question) in enumerate(self.titles):
            blocks = [block for tag, at, block in self.parts if at == place and tag not in elsewhere]
            opening = [model.Paragraph(words(question, italic=True))] if question else []
            chapter = model.Chapter(
                "", title, anchor_of(self.name, place), opening + without_empty_headings(blocks)
            )
            headings = (block for block in chapter.blocks if isinstance(block, model.Heading))
            for number, heading in enumerate(headings, 1):
                heading.level = max(heading.level, 2)
                heading.anchor = f"{chapter.anchor}-part-{number}"
            made.append(chapter)
        return made

    def tagged(self, tag: str) -> list[model.Block]:
        """The blocks of the cells of this tag."""
        return [block for own, _, block in self.parts if own == tag]


def without_empty_headings(blocks: list[model.Block]) -> list[model.Block]:
    """The blocks without the headings under which nothing is left."""
    kept: list[model.Block] = []
    open_level = 1  # the highest level of heading that what follows may stand under
    for block in reversed(blocks):
        if isinstance(block, model.Heading) and (not kept or block.level >= open_level):
            continue
        open_level = block.level if isinstance(block, model.Heading) else 9
        kept.append(block)
    return kept[::-1]


def read(path: Path) -> Walked:
    """Read and walk the notebook file."""
    import nbformat

    return walk(nbformat.read(path, as_version=4), path.stem)


def walk(notebook: Any, name: str) -> Walked:
    """The notebook as chapters: each heading of level 1 opens one, `# 4 · Title: question`."""
    walked = Walked(name)
    cells = _reached(notebook.cells)
    walked.state, walked.reason = _state(cells, notebook.metadata)
    if walked.state != "executed":
        said = f"{name}: {walked.reason}. What follows is what it had produced by then, and no conclusion."
        tone = "bad" if walked.state == "failed" else "open"
        box = model.Callout(tone, "This section is incomplete", [paragraph(said)])
        walked.parts.append(("", 0, box))
    above = ""
    for position, cell in enumerate(cells, 1):
        is_failed = any(output["output_type"] == "error" for output in cell.get("outputs", []))
        tag = next((tag for tag in cell.metadata.get("tags", []) if tag in TAGS and not is_failed), "")
        for block in _cell(cell, f"{name} {_called(cell, position)}", _NUMBER.sub("", above)):
            if isinstance(block, model.Heading):
                above = plain(block.words)
            if isinstance(block, model.Heading) and block.level == 1:
                walked.titles.append(_title(above, name))
            else:
                walked.parts.append((tag, max(len(walked.titles) - 1, 0), block))
    code = ((cell, place) for place, cell in enumerate(notebook.cells, 1) if _is_code(cell))
    walked.code = [(_called(cell, place), cell.source) for cell, place in code]
    walked.titles = walked.titles or [_title("", name)]
    return walked


def _called(cell: Any, position: int) -> str:
    """A code cell by its execution count, or by its place if it never ran."""
    count = cell.get("execution_count")
    return f"cell [{count}]" if count else f"cell {position} (not run)"


def _reached(cells: list[Any]) -> list[Any]:
    """The cells up to the one in which the notebook ended early, and the limits."""
    for place, cell in enumerate(cells, 1):
        if any(ENDED in output.get("data", {}) for output in cell.get("outputs", [])):
            later = [each for each in cells[place:] if LIMITS in each.metadata.get("tags", [])]
            return [*cells[:place], *later]
    return cells


def _cell(cell: Any, where: str, above: str) -> list[model.Block]:
    """What a cell shows; `above`: the last heading before it. Below the title a heading loses the number that
    its author wrote: the report numbers anew."""
    if cell.cell_type == "code":
        return cell_outputs.blocks(cell, where, above)
    if cell.cell_type != "markdown" or _BANNER in cell.metadata.get("tags", []):
        return []
    shown = markdown.blocks(cell.source)
    for block in shown:
        if isinstance(block, model.Heading) and block.level > 1 and block.words:
            first, *rest = block.words
            block.words = (replace(first, text=_WRITTEN.sub("", first.text)), *rest)
    return shown


def _title(title: str, name: str) -> tuple[str, str]:
    """Title and question of `4 · Title: question?`; of a notebook without a title its name."""
    written = _NUMBER.sub("", title).strip()
    short, _, question = written.partition(": ")
    if written and question.endswith("?"):
        return short, question[:1].upper() + question[1:]
    return written or re.sub(r"^\d+_", "", name).replace("_", " ").capitalize(), ""


def _is_code(cell: Any) -> bool:
    return bool(cell.cell_type == "code" and cell.source.strip())


def _state(cells: list[Any], metadata: dict[str, Any]) -> tuple[str, str]:
    """Failed if any cell holds an error; pending if any code cell never ran; and why."""
    code = list(filter(_is_code, cells))
    outputs = [output for cell in code for output in cell.get("outputs", [])]
    errors = [output.get("ename", "Error") for output in outputs if output["output_type"] == "error"]
    waiting = sum(cell.get("execution_count") is None for cell in code)
    left = "1 cell was" if waiting == 1 else f"{waiting} cells were"
    if errors:
        return "failed", f"a cell failed ({errors[0]}); after it {left} not executed"
    if metadata.get("papermill", {}).get("exception"):
        return "failed", f"the run was stopped; {left} not executed"
    if waiting:
        return "pending", f"{waiting} of {len(code)} code cells were not executed"
    return "executed", ""
