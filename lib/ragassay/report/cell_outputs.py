"""The outputs of one executed cell to blocks: the richest known form of each, an error as a red box, and no
text longer than a page can hold; the executed notebook holds it whole."""

import base64
import io
import re
from html import unescape
from itertools import takewhile
from typing import Any

from ragassay.errors import ENDED
from ragassay.report import blocks as model
from ragassay.report import html_tables, markdown
from ragassay.report.blocks import gap, paragraph, plain
from ragassay.show import clean

UNDESCRIBED = "UNDESCRIBED"
MOST, MOST_MARKDOWN = 4000, 20_000  # characters of one text; a longer output in markdown is letters
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_WARNING = re.compile(  # the path of the machine before it, and the line of code below it
    r"^(?:\S*[/\\])?+([^/\\\s]+\.py:\d+: \w*Warning: .*\n)(?:[ \t]+.*(?:\n|$))?", re.MULTILINE
)
_PROGRESS = re.compile(r"it/s\]|s/it\]|TqdmWarning")
_NOTHING = re.compile(r'id="blank: ([^"]*)"')
_NOISE = re.compile(r"^(<[^<>\n]*>|\[<[^\n]*>\]|Text\(.*\)|None|)$")
PICTURES = {"image/svg+xml": "svg", "image/png": "png"}
Output = dict[str, Any]


def blocks(cell: Any, where: str, heading: str = "") -> list[model.Block]:
    """All blocks of a code cell's outputs, in order; a figure that it both returns and leaves open once.

    heading : the last one above the cell, the caption of what has no other
    """
    found: list[model.Block] = []
    for output in cell.get("outputs", []):
        shown = _shown(output, cell["source"], where)
        found += [block for block in shown if not isinstance(block, model.Figure) or block not in found]
    _caption(found, heading, options(cell.get("source", "")))
    return [
        paragraph(f"{block.caption or 'Table'}: none.")
        if isinstance(block, model.Table) and not block.rows
        else block
        for block in found
    ]


def options(source: str) -> dict[str, str]:
    """The options at the top of a code cell, as in Quarto: `#| fig-cap: Words`, in quotes or not."""
    lines = takewhile(lambda line: line.startswith("#|"), source.strip().splitlines())
    found = ([part.strip() for part in line[2:].partition(":")] for line in lines)
    return {name: text.strip(text[0]) if text[:1] in ("'", '"') else text for name, _, text in found}


def _caption(shown: list[model.Block], heading: str, given: dict[str, str]) -> None:
    """Caption the figures and tables that have none: by the option, else by the heading above, counted where
    there are more. A figure is described by its option, else by its caption."""
    counts = {"fig": 0, "tbl": 0}
    for block in shown:
        if isinstance(block, model.Heading):
            heading = plain(block.words)
        elif isinstance(block, model.Figure | model.Table):
            kind = "fig" if isinstance(block, model.Figure) else "tbl"
            caption = given.get(f"{kind}-cap") or heading
            if not block.caption:
                counts[kind] += 1
                block.caption = f"{caption} ({counts[kind]})" if caption and counts[kind] > 1 else caption
            if isinstance(block, model.Figure):
                block.alt = given.get("fig-alt") or block.caption or UNDESCRIBED


def _shown(output: Output, source: str, where: str) -> list[model.Block]:
    match output["output_type"]:
        case "stream":
            return _stream(output)
        case "error":
            reason = f"{output.get('ename', 'Error')}: {_COLOURS.sub('', output.get('evalue', ''))}"
            code = _verbatim(source, "The cell that failed")
            return [model.Callout("bad", f"Failed at {where}", [paragraph(clean(reason, MOST)), code])]
    return _displayed(output["data"])


def _displayed(data: Output) -> list[model.Block]:
    if ENDED in data:
        return [gap(f"The chapter ends here: {clean(data[ENDED]['reason'], MOST)}")]
    for mime, kind in PICTURES.items():
        if mime in data:
            return [_figure(kind, _joined(data[mime]))]
    for mime in ("text/markdown", "text/latex"):
        if mime in data:
            text = _joined(data[mime])
            return [_verbatim(text, "Output")] if len(text) > MOST_MARKDOWN else markdown.blocks(text)
    html = html_tables.blocks(_joined(data.get("text/html", "")))
    return html or _plain_or_named(data)


def _figure(kind: str, text: str) -> model.Block:
    """A figure; the reason why nothing was drawn (plots.style.blank); or that its picture cannot be read."""
    from xml.etree import ElementTree

    from PIL import Image

    if kind == "svg" and (nothing := _NOTHING.search(text)):
        return paragraph(f"{clean(unescape(nothing[1]), 200).capitalize()}.")
    try:
        data = text.encode() if kind == "svg" else base64.b64decode(text)
        if kind == "svg":
            ElementTree.fromstring(text)
        else:
            Image.open(io.BytesIO(data)).verify()
    except (ValueError, SyntaxError, OSError) as problem:
        return gap(f"A figure cannot be read ({type(problem).__name__}).")
    return model.Figure(kind, data, "", "")


def _stream(output: Output) -> list[model.Block]:
    """Printed lines; of a line drawn again and again (a progress bar) the last drawing stays, and of progress
    bars nothing."""
    printed = _COLOURS.sub("", _joined(output["text"])).replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1] for line in _WARNING.sub(r"\1", printed).split("\n")]
    text = "\n".join(line for line in lines if not _PROGRESS.search(line)).strip("\n")
    title = "Messages" if output.get("name") == "stderr" else "Printed"
    return [_verbatim(text, title)] if text.strip() else []


def _plain_or_named(data: Output) -> list[model.Block]:
    """The words for an output, or the name of what no document prints; of a progress bar or a bare object
    nothing."""
    text = _ADDRESS.sub("", _joined(data.get("text/plain", ""))).strip("\n")
    is_noise = bool(_NOISE.match(text))
    kinds = sorted({*data} - {"text/plain"})
    if _PROGRESS.search(text):
        return []
    if kinds and (is_noise or kinds != ["text/html"]):
        return [gap(f"Not printable: {clean(', '.join(kinds), 200)}.")]
    if is_noise:
        return []
    return [_verbatim(text, "Output") if "\n" in text else paragraph(clean(text, MOST))]


def _joined(text: Any) -> str:
    return "".join(text) if isinstance(text, list) else str(text)


def _verbatim(text: str, title: str) -> model.Verbatim:
    return model.Verbatim(clean(text, MOST), title)
