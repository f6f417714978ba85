"""One executed notebook, walked once, to its chapters."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay.errors import ENDED
from ragassay.report import blocks as model
from ragassay.report import cell_outputs, markdown
from ragassay.report.blocks import paragraph, plain, words
from ragassay.report.chapters import anchor_of

_NUMBER = re.compile(r"^\s*+(?:0(?=\d))*+(\d++)\s*+[·.:|–—-]\s*")
_WRITTEN = re.compile(r"^\s*+\d++(?:\.\d++)++\s++")  # before a heading: 4.1
_BANNER = "papermill-error-cell-tag"
ANNEX, LIMITS = TAGS = ("annex", "limits")  # of cells that stand elsewhere than in their chapter


@dataclass
class Part:
    """The blocks of one cell in one chapter of the notebook, and the tag that sends them elsewhere."""

    tag: str
    place: int
    blocks: list[model.Block]


@dataclass
class Walked:
    """A notebook, cell by cell; the titles and questions of its chapters, which headings of level 1 open; its
    code by cell, and how far its execution came: executed, failed, pending or missing."""

    name: str
    titles: list[tuple[str, str]]
    parts: list[Part] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)
    state: str = "executed"
    reason: str = ""
    long: cell_outputs.Kept = field(default_factory=list)  # where, and each text that was cut, whole

    def chapters(self, *elsewhere: str) -> list[model.Chapter]:
        """Its chapters, without the cells of these tags."""
        made = []
        for place, (title, question) in enumerate(self.titles):
            chosen = [part for part in self.parts if part.place == place and part.tag not in elsewhere]
            blocks = without_empty_headings([block for part in chosen for block in part.blocks])
            opening: list[model.Block] = (
                [model.Paragraph((model.Emphasis(words(question)),))] if question else []
            )
            made.append(model.Chapter("", title, anchor_of(self.name, place), opening + blocks))
            _anchored(made[-1])
        return made

    def tagged(self, tag: str) -> list[model.Block]:
        """The blocks of the cells of this tag."""
        return [block for part in self.parts if part.tag == tag for block in part.blocks]


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


def walk(notebook: Any, name: str, file: str = cell_outputs.LONG_TEXTS) -> Walked:
    """The notebook as chapters: each heading of level 1 opens one, `# 4 · Title: question`. Where a text is
    too long for a page, `file` is named, which holds it."""
    walked = Walked(name, [], code=_code(notebook))
    cells = _reached(notebook.cells)
    walked.state, walked.reason = _state(cells, notebook.metadata)
    if walked.state != "executed":
        said = f"{name}: {walked.reason}. What follows is what it had produced by then, and no conclusion."
        kind = "failure" if walked.state == "failed" else "gap"
        walked.parts.append(
            Part("", 0, [model.Callout(kind, "This section is incomplete", [paragraph(said)])])
        )
    above = ""
    for position, cell in enumerate(cells, 1):
        kept: cell_outputs.Kept = []
        shown = _cell(cell, position, name, above)
        above = next((plain(each.words) for each in shown[::-1] if isinstance(each, model.Heading)), above)
        blocks = cell_outputs.shortened(shown, kept, file)
        walked.long += [(f"{name}, cell {position}: {what}", text) for what, text in kept]
        failed = any(isinstance(block, model.Callout) and block.kind == "failure" for block in blocks)
        tags = [] if failed else [tag for tag in cell.metadata.get("tags") or () if tag in TAGS]
        _add(walked, tags[0] if tags else "", blocks)
    walked.titles = walked.titles or [_title((), name)]
    return walked


def _reached(cells: list[Any]) -> list[Any]:
    """The cells up to the one in which the notebook ended early, and the limits."""
    for place, cell in enumerate(cells, 1):
        if any(ENDED in output.get("data", {}) for output in cell.get("outputs", [])):
            later = [each for each in cells[place:] if LIMITS in each.metadata.get("tags", [])]
            return [*cells[:place], *later]
    return cells


def _add(walked: Walked, tag: str, blocks: list[model.Block]) -> None:
    """The blocks as parts of the notebook's last chapter, a heading of level 1 opening another."""
    part = Part(tag, max(len(walked.titles) - 1, 0), [])
    for block in blocks:
        if isinstance(block, model.Heading) and block.level == 1:
            walked.parts.append(part)
            walked.titles.append(_title(block.words, walked.name))
            part = Part(tag, len(walked.titles) - 1, [])
        else:
            part.blocks.append(block)
    walked.parts.append(part)


def _code(notebook: Any) -> list[tuple[str, str]]:
    """Each code cell by its name, and its source."""
    cells = [each for each in enumerate(notebook.cells, 1) if each[1].cell_type == "code"]
    return [(_cell_name(cell, place), cell.source) for place, cell in cells if cell.source.strip()]


def _cell_name(cell: Any, position: int) -> str:
    """A code cell by its execution count, or by its place if it never ran."""
    count = cell.get("execution_count")
    return f"cell [{count}]" if count else f"cell {position} (not run)"


def _cell(cell: Any, position: int, name: str, above: str) -> list[model.Block]:
    """What a cell shows; `above`: the last heading before it."""
    if cell.cell_type == "code":
        return cell_outputs.blocks(cell, f"{name} {_cell_name(cell, position)}", _NUMBER.sub("", above))
    if cell.cell_type == "markdown" and _BANNER not in cell.metadata.get("tags", []):
        return [_unnumbered(block) for block in markdown.blocks(cell.source)]
    return []


def _unnumbered(block: model.Block) -> model.Block:
    """A heading below the title without the number its author wrote: the report numbers anew."""
    match block:
        case model.Heading(level, (model.Text(text), *rest), anchor) if level > 1:
            return model.Heading(level, (model.Text(_WRITTEN.sub("", text)), *rest), anchor)
    return block


def _title(title: model.Inlines, name: str) -> tuple[str, str]:
    """Title and question of `4 · Title: question?`; of a notebook without a title its name."""
    written = _NUMBER.sub("", plain(title)).strip()
    short, _, question = written.partition(": ")
    if written and question.endswith("?"):
        return short, question[:1].upper() + question[1:]
    return written or re.sub(r"^\d+_", "", name).replace("_", " ").capitalize(), ""


def _state(cells: list[Any], metadata: dict[str, Any]) -> tuple[str, str]:
    """Failed if any cell holds an error; pending if any code cell never ran; and why."""
    code = [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]
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


def _anchored(chapter: model.Chapter) -> None:
    headings = [block for block in chapter.blocks if isinstance(block, model.Heading)]
    for position, heading in enumerate(headings, 1):
        heading.level = max(heading.level, 2)
        heading.anchor = f"{chapter.anchor}-part-{position}"
