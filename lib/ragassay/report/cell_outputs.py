"""The outputs of one executed cell to blocks; the richest known form of each wins, and an error becomes a red
box."""

import base64
import io
import re
from html import unescape
from itertools import takewhile
from typing import Any

import yaml

from ragassay.errors import ENDED
from ragassay.report import html_tables, markdown
from ragassay.report.blocks import (
    Block,
    Callout,
    Figure,
    Heading,
    Paragraph,
    Table,
    Verbatim,
    gap,
    paragraph,
    plain,
    words,
)
from ragassay.show import clean
from ragassay.show.text_tables import CSV

UNDESCRIBED = "UNDESCRIBED"
MOST_FIGURES = 40  # of one cell
LONGEST_MARKDOWN = 20_000  # characters of an output in markdown that are read as such; the rest is letters
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_WARNING = re.compile(
    r"^(?:\S*[/\\])?+(?P<file>[^/\\\s]+\.py):\d+: (?P<kind>\w*Warning): (?P<words>.*)\n(?:[ \t]+.*(?:\n|$))?",
    re.MULTILINE,
)
_NOTHING = re.compile(r'id="blank: ([^"]*)"')
_NOISE = re.compile(r"^(<[^<>\n]*>|\[<[^\n]*>\]|Text\(.*\)|None)$")
Output = dict[str, Any]


def blocks(cell: Any, where: str, heading: str = "") -> list[Block]:
    """All blocks of a code cell's outputs, in order; a figure that it both returns and leaves open once.

    heading : the last one above the cell, the caption of what has no other
    """
    found: list[Block] = []
    for block in (block for output in cell.get("outputs", []) for block in _one(output, cell, where)):
        if not isinstance(block, Figure) or block not in found:
            found.append(block)
    left = [block for block in found if isinstance(block, Figure)][MOST_FIGURES:]
    if left:
        found = [block for block in found if not any(block is each for each in left)]
        found.append(gap(f"{len(left)} further figures of this cell are not printed."))
    given = options(cell.get("source", ""))
    _caption([block for block in found if isinstance(block, Figure | Heading)], heading, given, "fig-cap")
    _caption([block for block in found if isinstance(block, Table | Heading)], heading, given, "tbl-cap")
    return [_none(block) if isinstance(block, Table) and not block.rows else block for block in found]


def _none(table: Table) -> Paragraph:
    """What stands for a table without rows: its caption, and that there is none."""
    return Paragraph(words(f"{table.caption or 'Table'}: none."))


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


def _caption(blocks: list[Any], heading: str, given: dict[str, list[str]], name: str) -> None:
    """Caption the figures or tables that have none: by the option, else by the heading above; the last
    caption is counted where there are fewer. A figure without an alternative text is described by its
    caption."""
    place = 0
    for block in blocks:
        if isinstance(block, Heading):
            heading = plain(block.words)
            continue
        if not block.caption:
            captions = given.get(name) or [heading]
            last = f"{captions[-1]} ({place + 1})" if captions[-1] else ""
            block.caption = captions[place] if place < len(captions) else last
            place += 1
        if isinstance(block, Figure):
            alts = given.get("fig-alt", [])[place - 1 : place] if place else []
            block.alt = block.alt or "".join(alts) or block.caption or UNDESCRIBED


def failure(output: Output, where: str, source: str) -> Callout:
    """The red box: which cell failed, why, and what it said."""
    reason = f"{output.get('ename', 'Error')}: {_unpainted(output.get('evalue', ''))}"
    return Callout(
        "failure",
        f"Failed at {where}",
        [paragraph(clean(reason, 0)), Verbatim(clean(source, 0), "python", "The cell that failed")],
    )


def _one(output: Output, cell: Any, where: str) -> list[Block]:
    match output["output_type"]:
        case "stream":
            return _stream(output)
        case "error":
            return [failure(output, where, cell["source"])]
        case "display_data" | "execute_result" | "update_display_data":
            return _shown(output["data"], output.get("metadata", {}), cell, where)
    return []


def _shown(data: Output, metadata: Output, cell: Any, where: str) -> list[Block]:
    if ENDED in data:
        return [gap(f"The chapter ends here: {clean(data[ENDED]['reason'], 0)}")]
    for kind, mime in (("svg", "image/svg+xml"), ("png", "image/png")):
        if mime in data:
            return [
                _figure(
                    kind,
                    _joined(data[mime]),
                    {**cell.get("metadata", {}), **metadata, **metadata.get(mime, {})},
                )
            ]
    for mime in ("text/markdown", "text/latex"):
        if mime in data:
            return _markdown(_joined(data[mime]), where)
    html = html_tables.blocks(_joined(data.get("text/html", "")), _joined(data.get(CSV, "")))
    return html or _plain_or_named(data)


def _figure(kind: str, text: str, metadata: Output) -> Figure | Callout | Paragraph:
    """A figure; the reason why nothing was drawn (plots.style.blank); or that its picture cannot be read."""
    if kind == "svg" and (nothing := _NOTHING.search(text)):
        return Paragraph(words(f"{clean(unescape(nothing[1]), 200).capitalize()}."))
    alt, caption = metadata.get("alt") or "", metadata.get("caption") or ""
    try:
        data = _picture(kind, text)
    except (ValueError, SyntaxError, OSError) as problem:
        return gap(f"A figure cannot be read ({type(problem).__name__}): {caption or alt}")
    return Figure(kind, data, alt, caption)


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


def _stream(output: Output) -> list[Block]:
    """Printed lines; of a line drawn again and again (a progress bar) the last drawing stays, and of progress
    bars nothing."""
    lines = [
        line.rsplit("\r", 1)[-1]
        for line in _unpainted(_joined(output["text"])).replace("\r\n", "\n").split("\n")
    ]
    text = _warnings("\n".join(line for line in lines if not _is_progress(line))).strip("\n")
    title = "Messages" if output.get("name") == "stderr" else "Printed"
    return [Verbatim(clean(text, 0), "", title)] if text.strip() else []


def _warnings(text: str) -> str:
    """Python's warnings without the path of the machine they were raised on; those about progress bars say
    nothing about the run."""
    named = _WARNING.sub(
        lambda match: (
            "" if match["kind"] == "TqdmWarning" else f"{match['kind']} ({match['file']}): {match['words']}\n"
        ),
        text,
    )
    return named if named.strip() else ""


def _plain_or_named(data: Output) -> list[Block]:
    """The words for an output, or the name of what no document prints; of a progress bar nothing."""
    text = _joined(data.get("text/plain", ""))
    kinds, printed = sorted({*data} - {"text/plain"}), _plain(text)
    if _is_progress(text):
        return []
    if not kinds or (printed and kinds == ["text/html"]):
        return printed
    return [gap(f"Not printable: {clean(', '.join(kinds), 200)}.")]


def _is_progress(line: str) -> bool:
    return "it/s]" in line or "s/it]" in line


def _plain(text: str) -> list[Block]:
    text = _ADDRESS.sub("", text).strip("\n")
    if not text or _NOISE.match(text):
        return []
    return [Verbatim(clean(text, 0), "", "Output")] if "\n" in text else [Paragraph(words(clean(text, 0)))]


def _markdown(text: str, where: str) -> list[Block]:
    shown = markdown.literal(text[:LONGEST_MARKDOWN], where)
    if len(text) <= LONGEST_MARKDOWN:
        return shown
    return [*shown, Verbatim(clean(text[LONGEST_MARKDOWN:], 0), "", "Further text, not read as markdown")]


def _joined(text: Any) -> str:
    return "".join(text) if isinstance(text, list) else str(text)


def _unpainted(text: str) -> str:
    return _COLOURS.sub("", text)
