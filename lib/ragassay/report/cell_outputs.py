"""The outputs of one executed cell to blocks: the richest known form of each, an error as a red box, and no
more letters than pages can hold; what is cut travels whole in a file."""

import base64
import io
import re
from dataclasses import replace
from html import unescape
from itertools import takewhile
from typing import Any

import yaml

from ragassay.errors import ENDED
from ragassay.report import blocks as model
from ragassay.report import html_tables, markdown
from ragassay.report.blocks import gap, letters, paragraph, plain, with_parts
from ragassay.sanitized_text import beginning
from ragassay.show import clean
from ragassay.show.text_tables import CSV

UNDESCRIBED = "UNDESCRIBED"
LONGEST_MARKDOWN = 20_000  # characters of an output in markdown; a longer one is letters
LONG_TEXTS = "long_texts.txt"  # the attached file that holds what was cut
MOST, MOST_IN_TABLE = 4000, 2200  # characters of one text, and of one in a table
MOST_OF_CELL = 60_000  # characters of all that one cell shows
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_WARNING = re.compile(  # the path of the machine before it, and the line of code below it
    r"^(?:\S*[/\\])?+([^/\\\s]+\.py:\d+: \w*Warning: .*\n)(?:[ \t]+.*(?:\n|$))?", re.MULTILINE
)
_PROGRESS = re.compile(r"it/s\]|s/it\]|TqdmWarning")
_NOTHING = re.compile(r'id="blank: ([^"]*)"')
_NOISE = re.compile(r"^(<[^<>\n]*>|\[<[^\n]*>\]|Text\(.*\)|None)$")
Output = dict[str, Any]
Kept = list[tuple[str, str]]  # what a text is, and the text, whole


def blocks(cell: Any, where: str, heading: str = "") -> list[model.Block]:
    """All blocks of a code cell's outputs, in order; a figure that it both returns and leaves open once.

    heading : the last one above the cell, the caption of what has no other
    """
    found: list[model.Block] = []
    for output in cell.get("outputs", []):
        for block in _shown(output, cell, where):
            if not isinstance(block, model.Figure) or block not in found:
                found.append(block)
    given = options(cell.get("source", ""))
    for kind, name in ((model.Figure, "fig-cap"), (model.Table, "tbl-cap")):
        _caption([block for block in found if isinstance(block, kind | model.Heading)], heading, given, name)
    return [_none(block) if isinstance(block, model.Table) and not block.rows else block for block in found]


def _none(table: model.Table) -> model.Paragraph:
    return paragraph(f"{table.caption or 'Table'}: none.")


def options(source: str) -> dict[str, list[str]]:
    """The options at the top of a code cell, as in Quarto (`#| fig-cap: Words`), each a list of values.

    A value is the rest of its line, in quotes or not; `[first, second]` is one for each figure or table, and
    `#|` with two blanks goes on with the line before.
    """
    found: dict[str, str] = {}
    name = ""
    for line in takewhile(lambda line: line.startswith("#|"), source.strip().splitlines()):
        if line.startswith("#|  ") and name:
            found[name] = f"{found[name].strip('|>')} {line[2:].strip()}".strip()
        else:
            name, _, value = (part.strip() for part in line[2:].partition(":"))
            found[name] = value
    return {name: _values(text) for name, text in found.items()}


def _values(text: str) -> list[str]:
    try:
        value = yaml.load(text, yaml.BaseLoader) if text[:1] in ("[", '"', "'") else text
    except (yaml.YAMLError, RecursionError):
        value = text
    return [str(each) for each in (value if isinstance(value, list) else [value])]


def _caption(shown: list[Any], heading: str, given: dict[str, list[str]], name: str) -> None:
    """Caption the figures or tables that have none: by the option, else by the heading above; the last
    caption is counted where there are fewer. A figure without an alternative text is described by its
    caption."""
    place = 0
    for block in shown:
        if isinstance(block, model.Heading):
            heading = plain(block.words)
            continue
        if not block.caption:
            captions = given.get(name) or [heading]
            last = f"{captions[-1]} ({place + 1})" if captions[-1] else ""
            block.caption = captions[place] if place < len(captions) else last
            place += 1
        if isinstance(block, model.Figure):
            alts = given.get("fig-alt", [])[place - 1 : place] if place else []
            block.alt = block.alt or "".join(alts) or block.caption or UNDESCRIBED


def _shown(output: Output, cell: Any, where: str) -> list[model.Block]:
    match output["output_type"]:
        case "stream":
            return _stream(output)
        case "error":
            reason = f"{output.get('ename', 'Error')}: {_unpainted(output.get('evalue', ''))}"
            code = model.Verbatim(clean(cell["source"], 0), "python", "The cell that failed")
            return [model.Callout("failure", f"Failed at {where}", [paragraph(clean(reason, 0)), code])]
        case "display_data" | "execute_result" | "update_display_data":
            return _displayed(output["data"], output.get("metadata", {}), cell)
    return []


def _displayed(data: Output, metadata: Output, cell: Any) -> list[model.Block]:
    if ENDED in data:
        return [gap(f"The chapter ends here: {clean(data[ENDED]['reason'], 0)}")]
    for kind, mime in (("svg", "image/svg+xml"), ("png", "image/png")):
        if mime in data:
            about = {**cell.get("metadata", {}), **metadata, **metadata.get(mime, {})}
            return [_figure(kind, _joined(data[mime]), about)]
    for mime in ("text/markdown", "text/latex"):
        if mime in data:
            text = _joined(data[mime])
            long = len(text) > LONGEST_MARKDOWN
            return [model.Verbatim(clean(text, 0), "", "Output")] if long else markdown.blocks(text)
    html = html_tables.blocks(_joined(data.get("text/html", "")), _joined(data.get(CSV, "")))
    return html or _plain_or_named(data)


def _figure(kind: str, text: str, metadata: Output) -> model.Figure | model.Callout | model.Paragraph:
    """A figure; the reason why nothing was drawn (plots.style.blank); or that its picture cannot be read."""
    if kind == "svg" and (nothing := _NOTHING.search(text)):
        return paragraph(f"{clean(unescape(nothing[1]), 200).capitalize()}.")
    alt, caption = metadata.get("alt") or "", metadata.get("caption") or ""
    try:
        data = _picture(kind, text)
    except (ValueError, SyntaxError, OSError) as problem:
        return gap(f"A figure cannot be read ({type(problem).__name__}): {caption or alt}")
    return model.Figure(kind, data, alt, caption)


def _picture(kind: str, text: str) -> bytes:
    """The picture's bytes, read once to know that the PDF writer can."""
    from xml.etree import ElementTree

    from PIL import Image

    if kind == "svg":
        ElementTree.fromstring(text)
        return text.encode()
    data = base64.b64decode(text)
    Image.open(io.BytesIO(data)).verify()
    return data


def _stream(output: Output) -> list[model.Block]:
    """Printed lines; of a line drawn again and again (a progress bar) the last drawing stays, and of progress
    bars nothing."""
    printed = _unpainted(_joined(output["text"])).replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1] for line in _WARNING.sub(r"\1", printed).split("\n")]
    text = "\n".join(line for line in lines if not _PROGRESS.search(line)).strip("\n")
    title = "Messages" if output.get("name") == "stderr" else "Printed"
    return [model.Verbatim(clean(text, 0), "", title)] if text.strip() else []


def _plain_or_named(data: Output) -> list[model.Block]:
    """The words for an output, or the name of what no document prints; of a progress bar or a bare object
    nothing."""
    text = _joined(data.get("text/plain", ""))
    if _PROGRESS.search(text):
        return []
    printed = _ADDRESS.sub("", text).strip("\n")
    said = not _NOISE.match(printed) and bool(printed)
    kinds = sorted({*data} - {"text/plain"})
    if kinds and not (said and kinds == ["text/html"]):
        return [gap(f"Not printable: {clean(', '.join(kinds), 200)}.")]
    if not said:
        return []
    shown = clean(printed, 0)
    return [model.Verbatim(shown, "", "Output") if "\n" in shown else paragraph(shown)]


def _joined(text: Any) -> str:
    return "".join(text) if isinstance(text, list) else str(text)


def _unpainted(text: str) -> str:
    return _COLOURS.sub("", text)


def shortened(shown: list[model.Block], kept: Kept, file: str = LONG_TEXTS) -> list[model.Block]:
    """The blocks of one cell with every long text cut, and no more of them than MOST_OF_CELL characters; what
    was cut is added to `kept`, and `file` named, which holds it."""
    left, made, lost = MOST_OF_CELL, list[model.Block](), ""
    for block in shown:
        block = _cut(block, kept, file, MOST_IN_TABLE if isinstance(block, model.Table) else MOST)
        if isinstance(block, model.Table):
            block = _fewer_rows(block, left, kept, file)
        size = len(letters(block))
        if size <= left or isinstance(block, model.Table | model.Figure):
            made.append(block)
        else:
            lost += letters(block) + "\n"
        left = max(left - size, 0)
    if lost:
        kept.append(("the rest of the cell", lost))
        made.append(paragraph(f"… {len(lost):,} characters more, in {file}"))
    return made


def _cut(item: Any, kept: Kept, file: str, most: int) -> Any:
    """The block, or part of one, with each of its texts cut."""
    if isinstance(item, str):
        if len(item) <= most:
            return item
        kept.append(("a text", item))
        start = beginning(item, most)
        return f"{start.rstrip()} … {len(item) - len(start):,} characters more, in {file}"
    if isinstance(item, model.Formula | model.Display) and len(item.tex) > most:
        item = model.Text(item.tex) if isinstance(item, model.Formula) else model.Verbatim(item.tex)
    return with_parts(item, lambda part: _cut(part, kept, file, most))


def _fewer_rows(table: model.Table, left: int, kept: Kept, file: str) -> model.Table:
    """The table with the first rows that fit; the others are kept as lines."""
    lines = [" | ".join(map(letters, row)) for row in table.rows]
    fit = 0
    while fit < len(lines) and (left := left - len(lines[fit])) >= 0:
        fit += 1
    if fit == len(lines):
        return table
    rest = "\n".join(lines[fit:])
    kept.append((f"rows of the table {table.caption!r}", rest))
    more = f"… {len(lines) - fit:,} rows of {len(rest):,} characters more, in {file}."
    return replace(table, rows=table.rows[:fit], note=f"{more} {table.note}".strip())
