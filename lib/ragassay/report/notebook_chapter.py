"""One executed notebook, walked once, to its chapters: of each output the richest known form, an error as a
red box, and no text longer than a page can hold; the executed notebook holds it whole."""

import base64
import io
import re
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import pairwise, takewhile
from typing import Any

from ragassay.errors import ENDED
from ragassay.report.blocks import (
    NOTEBOOKS,
    Block,
    Callout,
    Chapter,
    Figure,
    Heading,
    Paragraph,
    Table,
    Verbatim,
    anchor_of,
    gap,
    paragraph,
    plain,
    words,
)
from ragassay.report.markup import markdown_blocks, table_blocks
from ragassay.show import clean

_NUMBER = re.compile(r"^\s*+(?:0(?=\d))*+(\d++)\s*+[·.:|–—-]\s*")
_WRITTEN = re.compile(r"^\s*+\d++(?:\.\d++)++\s++")  # before a heading: 4.1
ANNEX, LIMITS = TAGS = ("annex", "limits")  # tags of cells that stand elsewhere than in their chapter
FULL, ROWS = "full", "rows"  # `#| only: full`: left out of a small engagement's report; `rows`: where empty
_LEFT_OUT = Paragraph((), "left out")


Output = dict[str, Any]


@dataclass
class Walked:
    """A notebook, cell by cell: the titles and questions of its chapters, which headings of level 1 open;
    each block with its cell's tag and the place of its chapter; its code by cell; how far its execution
    came: executed, failed, pending or missing; and the sections with nothing to show."""

    name: str
    titles: list[tuple[str, str]] = field(default_factory=list)
    parts: list[tuple[str, int, Block]] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)
    state: str = "executed"
    reason: str = ""
    absent: list[str] = field(default_factory=list)

    def chapters(self, *elsewhere: str) -> list[Chapter]:
        """Its chapters, without the cells of these tags and the sections in which nothing is to be shown; of
        a small engagement a table of one row is a sentence."""
        made, is_short = list[Chapter](), FULL in elsewhere
        self.absent = []
        for place, (title, question) in enumerate(self.titles):
            blocks = [
                _LEFT_OUT if is_short and tag == FULL else block
                for tag, at, block in self.parts
                if at == place and (tag == FULL or tag not in elsewhere)
            ]
            starts = [0, *(i for i, block in enumerate(blocks) if isinstance(block, Heading)), len(blocks)]
            sections = (blocks[start:end] for start, end in pairwise(starts) if start < end)
            blocks = [block for each in sections for block in self._shown(each, is_short=is_short)]
            if question and not is_short:
                blocks.insert(0, Paragraph(words(question, italic=True)))
            made.append(Chapter("", title, anchor_of(self.name, place), without_empty_headings(blocks)))
            headings = (block for block in made[-1].blocks if isinstance(block, Heading))
            for number, heading in enumerate(headings, 1):
                heading.level = max(heading.level, 2)
                heading.anchor = f"{made[-1].anchor}-part-{number}"
        return made

    def _shown(self, section: list[Block], *, is_short: bool) -> list[Block]:
        """The section as it is printed; nothing, and a note of it, where no output shows anything."""
        roles = {getattr(each, "role", "") for each in section[1:]} - {"prose"}
        if isinstance(section[0], Heading) and roles and roles <= {"absent", _LEFT_OUT.role}:
            self.absent += [plain(section[0].words)] * (_LEFT_OUT not in section)
            return []
        return [
            _one_row(each) if is_short and isinstance(each, Table) and len(each.rows) == 1 else each
            for each in section
            if each is not _LEFT_OUT
        ]

    def tagged(self, tag: str) -> list[Block]:
        """The blocks of the cells of this tag, without those that say that there is nothing to show."""
        shown = (block for own, _, block in self.parts if own == tag)
        return [block for block in shown if getattr(block, "role", "") != "absent"]


def _one_row(table: Any) -> Paragraph:
    """A table of one row as words: what it is of, then each column with its value."""
    cells = zip(table.columns, table.rows[0], strict=False)
    said = "; ".join(f"{plain(name)} {plain(value)}" for name, value in cells if plain(value))
    said = f"{said.rstrip('.')}. {table.note}".strip()
    return Paragraph((*words(f"{table.caption}. ", bold=True), *words(said)))


def without_empty_headings(blocks: list[Block]) -> list[Block]:
    """The blocks without the headings under which nothing is left."""
    kept: list[Block] = []
    open_level = 1  # the highest level of heading that what follows may stand under
    for block in reversed(blocks):
        if isinstance(block, Heading) and (not kept or block.level >= open_level):
            continue
        open_level = block.level if isinstance(block, Heading) else 9
        kept.append(block)
    return kept[::-1]


def walk(notebook: Any, name: str) -> Walked:
    """The notebook as chapters: each heading of level 1 opens one, `# 4 · Title: question`."""
    walked = Walked(name)
    ends = [any(map(_is_end, cell.get("outputs", []))) for cell in notebook.cells]
    reached = ends.index(True) + 1 if True in ends else len(ends)  # where it ended early: up to there
    later = (cell for cell in notebook.cells[reached:] if LIMITS in cell.metadata.get("tags", []))
    cells = [*notebook.cells[:reached], *later]
    walked.state, walked.reason = _state(cells, notebook.metadata)
    if walked.state != "executed":
        said = f"{name}: {walked.reason}. What follows is what it had produced by then, and no conclusion."
        tone = "bad" if walked.state == "failed" else "open"
        walked.parts.append(("", 0, Callout(tone, "This section is incomplete", [paragraph(said)])))
    above = ""
    for position, cell in enumerate(cells, 1):
        outputs, tags = cell.get("outputs", []), cell.metadata.get("tags", [])
        is_last = any(output["output_type"] == "error" or _is_end(output) for output in outputs)
        tag = next((tag for tag in tags if tag in TAGS and not is_last), "")
        shown: list[Block] = []
        if cell.cell_type == "code":
            shown = output_blocks(cell, f"{name} {_called(cell, position)}", _NUMBER.sub("", above))
            tag = tag or (FULL if options(cell.source).get("only") == FULL else "")
        elif cell.cell_type == "markdown" and "papermill-error-cell-tag" not in tags:
            shown = [
                replace(each, role="prose") if isinstance(each, Paragraph) else each
                for each in markdown_blocks(cell.source)
            ]
        for block in shown:
            if isinstance(block, Heading):
                above = plain(block.words)
                if block.level == 1:
                    walked.titles.append(_title(above, name))
                    tag = tag or (FULL if name in NOTEBOOKS else "")  # the words that open a chapter
                    continue
                if above := _WRITTEN.sub("", above):  # the report numbers anew
                    first, *rest = block.words
                    block.words = (replace(first, text=_WRITTEN.sub("", first.text)), *rest)
            walked.parts.append((tag, max(len(walked.titles) - 1, 0), block))
    walked.code = [
        (_called(cell, place), cell.source) for place, cell in enumerate(notebook.cells, 1) if _is_code(cell)
    ]
    walked.titles = walked.titles or [_title("", name)]
    return walked


def _called(cell: Any, position: int) -> str:
    """A code cell by its execution count, or by its place if it never ran."""
    count = cell.get("execution_count")
    return f"cell [{count}]" if count else f"cell {position} (not run)"


def _is_end(output: Output) -> bool:
    return ENDED in output.get("data", {})


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
    outputs = (output for cell in code for output in cell.get("outputs", []))
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


MOST, MOST_MARKDOWN = 4000, 20_000  # characters of one text; a longer output in markdown is letters
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_WARNING = re.compile(  # the path of the machine before it, and the line of code below it
    r"^(?:\S*[/\\])?+([^/\\\s]+\.py:\d+: \w*Warning: .*\n)(?:[ \t]+.*(?:\n|$))?", re.MULTILINE
)
_PROGRESS = re.compile(r"it/s\]|s/it\]|TqdmWarning")
_NOISE = re.compile(r"^(<[^<>\n]*>|\[<[^\n]*>\]|Text\(.*\)|None|)$")


def output_blocks(cell: Any, where: str, heading: str = "") -> list[Block]:
    """All blocks of a code cell's outputs, in order; a figure that it both returns and leaves open once.

    heading : the last one above the cell, the caption of what has no other
    """
    found: list[Block] = []
    for output in cell.get("outputs", []):
        shown = _shown(output, cell["source"], where)
        found += [block for block in shown if not isinstance(block, Figure) or block not in found]
    given = options(cell.get("source", ""))
    for block in found:  # those that have no caption: by the option, else by the heading above
        if isinstance(block, Heading):
            heading = plain(block.words)
        elif isinstance(block, Table):
            block.caption = block.caption or given.get("tbl-cap") or heading
        elif isinstance(block, Figure):
            block.caption = block.caption or given.get("fig-cap") or heading
            block.alt = given.get("fig-alt") or block.caption or "UNDESCRIBED"
    if given.get("only") == ROWS:
        found = [block for block in found if not isinstance(block, Table) or block.rows]
    return [
        Paragraph(words(f"{block.caption or 'Table'}: none."), role="absent")
        if isinstance(block, Table) and not block.rows
        else block
        for block in found
    ]


def options(source: str) -> dict[str, str]:
    """The options at the top of a code cell, as in Quarto: `#| fig-cap: Words`, in quotes or not."""
    lines = takewhile(lambda line: line.startswith("#|"), source.strip().splitlines())
    found = ([part.strip() for part in line[2:].partition(":")] for line in lines)
    return {name: text.strip(text[0]) if text[:1] in ("'", '"') else text for name, _, text in found}


def _shown(output: Output, source: str, where: str) -> list[Block]:
    """One output; of a progress bar or a bare object nothing, of a line drawn again and again the last
    drawing, and the name of what no document prints."""
    if output["output_type"] == "stream":
        printed = _COLOURS.sub("", output["text"]).replace("\r\n", "\n")
        lines = [line.rsplit("\r", 1)[-1] for line in _WARNING.sub(r"\1", printed).split("\n")]
        text = "\n".join(line for line in lines if not _PROGRESS.search(line)).strip("\n")
        title = "Messages" if output.get("name") == "stderr" else "Printed"
        return [Verbatim(clean(text, MOST), title)] if text.strip() else []
    if output["output_type"] == "error":
        reason = f"{output.get('ename', 'Error')}: {_COLOURS.sub('', output.get('evalue', ''))}"
        code = Verbatim(clean(source, MOST), "The cell that failed")
        return [Callout("bad", f"Failed at {where}", [paragraph(clean(reason, MOST)), code])]
    data = dict(output["data"])
    if ENDED in data:
        return [gap(f"The chapter ends here: {clean(data[ENDED]['reason'], MOST)}")]
    for mime, kind in (("image/svg+xml", "svg"), ("image/png", "png")):
        if mime in data:
            return [_figure(kind, data[mime])]
    for mime in ("text/markdown", "text/latex"):
        if mime in data:
            is_long = len(data[mime]) > MOST_MARKDOWN
            return [Verbatim(clean(data[mime], MOST), "Output")] if is_long else markdown_blocks(data[mime])
    return table_blocks(data.get("text/html", "")) or _words(data)


def _words(data: dict[str, str]) -> list[Block]:
    """The words for an output that has no better form."""
    text = re.sub(" at 0x[0-9a-fA-F]+", "", data.pop("text/plain", "")).strip("\n")
    is_progress, is_noise = bool(_PROGRESS.search(text)), bool(_NOISE.match(text))
    if data and not is_progress and (is_noise or [*data] != ["text/html"]):
        return [gap(f"Not printable: {clean(', '.join(sorted(data)), 200)}.")]
    if is_progress or is_noise:
        return []
    text = clean(text, MOST)
    return [Verbatim(text, "Output") if "\n" in text else paragraph(text)]


def _figure(kind: str, text: str) -> Block:
    """A figure; the reason why nothing was drawn (plots.style.blank); or that its picture cannot be read."""
    from xml.etree import ElementTree

    from PIL import Image

    if kind == "svg" and (nothing := re.search('id="blank: ([^"]*)"', text)):
        return Paragraph(words(f"{clean(unescape(nothing[1]), 200).capitalize()}."), role="absent")
    try:
        data = text.encode() if kind == "svg" else base64.b64decode(text)
        if kind == "svg":
            ElementTree.fromstring(text)
        else:
            Image.open(io.BytesIO(data)).verify()
    except (ValueError, SyntaxError, OSError) as problem:
        return gap(f"A figure cannot be read ({type(problem).__name__}).")
    return Figure(kind, data, "", "")
