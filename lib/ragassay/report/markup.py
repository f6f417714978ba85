"""Markdown, and the tables of an output's HTML as pandas, its Styler or anything else writes it, to blocks.

What has no place in the report (raw HTML, pictures, what is no TeX) stands there as letters, so that nothing
an author wrote can vanish; what a cell of a table holds is data: its letters without its tags.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate, groupby, takewhile
from typing import Any

import pandas as pd
from lxml.html import HTMLParser, fragment_fromstring

from ragassay.report.blocks import (
    ANCHORS,
    BOLD,
    Block,
    Callout,
    Heading,
    Inlines,
    Listing,
    Paragraph,
    Span,
    Table,
    Verbatim,
    data_table,
    gap,
    longest_piece,
    paragraph,
    plain,
    tone_of,
    words,
)
from ragassay.report.printed_text import mathml
from ragassay.show import clean

Token = dict[str, Any]


def markdown_blocks(text: str) -> list[Block]:
    """The blocks of a markdown text."""
    return _blocks(_parser()(text))


@cache
def _parser() -> Any:
    import mistune

    return mistune.create_markdown(renderer=None, plugins=["math", "table"])


def _blocks(tokens: list[Token]) -> list[Block]:
    return [block for block in map(_block, tokens) if block is not None]


def _block(token: Token) -> Block | None:
    children = token.get("children", [])
    match token["type"]:
        case "heading":
            return Heading(token["attrs"]["level"], _inlines(children))
        case "paragraph" | "block_text":
            return Paragraph(_inlines(children))
        case "list":
            return Listing([_blocks(item["children"]) for item in children], token["attrs"]["ordered"])
        case "block_quote":
            return _box(_blocks(children))
        case "block_code":
            return Verbatim(token["raw"].rstrip("\n"))
        case "block_math":
            tex = token["raw"].strip()
            return Paragraph(words(tex, kind="display") if mathml(tex) else words(f"$${tex}$$"))
        case "table":
            head, *body = children
            rows = [row["children"] for part in body for row in part["children"]]
            sides = [(each["attrs"]["align"] or "left")[0] for each in head["children"]]
            cells = [[_inlines(each["children"]) for each in row] for row in (head["children"], *rows)]
            return Table("", cells[0], cells[1:], sides)
    text = token.get("raw", "").strip()
    return Paragraph(words(text)) if text else None


def _box(inner: list[Block]) -> Callout:
    """A quotation as a box; in the colour of the judgement in bold, such as a rating, that it begins with."""
    match inner:
        case [Paragraph((Span(text, _, True), *rest)), *others] if text.rstrip(".") in BOLD:
            word = text.rstrip(".")
            said = Paragraph((*words(f"{word}.", bold=True), *rest))
            return Callout(tone_of(word).replace("grave", "bad"), "", [said, *others])
    return Callout("calm", "", inner)


def _inlines(tokens: list[Token]) -> Inlines:
    """Texts of one form side by side are one."""
    spans = (span for token in tokens for span in _spans(token))
    runs = (list(run) for _, run in groupby(spans, lambda span: replace(span, text="")))
    return tuple(replace(run[0], text=plain(tuple(run))) for run in runs)


def _spans(token: Token) -> Iterator[Span] | Inlines:
    children = _inlines(token.get("children", []))
    match token["type"]:
        case "strong" if plain(children) in BOLD:
            return words(plain(children), kind="state", bold=True)
        case "strong":
            return (replace(span, bold=True) for span in children)
        case "emphasis":
            return (replace(span, italic=True) for span in children)
        case "codespan":
            return words(token["raw"], kind="code")
        case "inline_math":
            tex = token["raw"].strip()
            return words(tex, kind="formula") if mathml(tex) else words(f"${tex}$")  # `$5 or $6` is none
        case "link":
            return _link(children, token["attrs"]["url"])
        case "image":
            return words(f"![{plain(children)}]({token['attrs']['url']})")
        case "softbreak":
            return words(" ")
        case "linebreak":
            return words("\n")
    return words(token.get("raw", ""))


def _link(children: Inlines, address: str) -> Iterator[Span] | Inlines:
    """To a notebook, or a chapter by its id (`#quality`): that chapter. To anywhere else: the address in
    print, for nothing outside is ever fetched."""
    notebook = re.fullmatch(r"(?:.*/)?(\d\d_\w+)\.ipynb", address)
    anchor = f"chapter-{notebook[1]}" if notebook else ANCHORS.get(address.removeprefix("#"), "")
    if notebook or (address.startswith("#") and anchor):
        return (replace(span, kind="link", target=anchor) for span in children)
    shown = address.startswith("#") or plain(children) == address
    return children if shown else (*children, *words(f" ({clean(address)})"))


MOST_ROWS = 25  # in print; the others are attached
FEWEST_ROWS, NOTED = 3, 120  # rows of which no column may say the same, in so many letters
TURNED, LETTER, GUTTER = 728, 4, 9  # points: a turned page of the PDF; a letter, and what parts columns
MOST_SPAN = 1000  # places that one cell covers
MOST_LETTERS = 2200  # of a cell
MISSING, CUT = ("NaN", "nan", "NaT", "<NA>"), ("...", "…")
UNPRINTED = {"audio", "canvas", "embed", "iframe", "img", "object", "script", "svg", "video"}
_DIMENSIONS = re.compile(r"(\d+) rows × \d+ columns")
_NUMBER = re.compile(r"[-−+<>≈]?\s?[$€£]?\d[\d,.]*(?:e[-+]?\d+)?\s?%?(?:\s*\[[^\]]*\])?", re.IGNORECASE)


def table_blocks(html: str) -> list[Block]:
    """The tables that a reader sees, then the words outside of them; nothing where there is no table."""
    page = fragment_fromstring(clean(html, 0), "div", parser=HTMLParser(huge_tree=True))
    found = page.xpath(".//table[not(ancestor::table) and not(ancestor::details)]")
    for each in [*page.xpath(".//style"), *found] if found else []:
        each.drop_tree()
    outside = " ".join(page.text_content().split()) if found else ""
    total = sum(map(int, _DIMENSIONS.findall(outside)[:1]))
    shown: list[Block] = [_table(each, total) for each in found]
    if rest := _DIMENSIONS.sub("", outside).strip():
        shown.append(paragraph(rest))
    lost = sorted({each.tag for each in page.iter() if each.tag in UNPRINTED} if found else ())
    return [*shown, gap(f"Not printable: {', '.join(lost)}.")] if lost else shown


def _table(element: Any, total: int) -> Table:
    lines = [(is_head, line) for is_head, line in _grid(element) if line]
    heads, body = ([line for is_head, line in lines if is_head is wanted] for wanted in (True, False))
    width = max(map(len, [*heads, *body]), default=0)
    index = len(list(takewhile(lambda cell: cell.tag == "th", body[0]))) if body else 0  # its columns
    names = [_name([line[at] for line in heads if at < len(line)], at < index) for at in range(width)]
    rows = [[*map(_text, line), *[""] * (width - len(line))] for line in body]
    counted = [row[0] for row in takewhile(lambda row: row[0] not in CUT, rows)] if index == 1 else []
    if index == 1 and not names[0] and counted == list(map(str, range(len(counted)))):  # of pandas, from 0
        names, rows, index = names[1:], [row[1:] for row in rows], 0
    rows = [row[:index] + ["–" if text in MISSING else text for text in row[index:]] for row in rows]
    caption = clean(" ".join(element.xpath("string(./caption)").split()))
    if not rows:
        return Table(caption, [], [], [])
    columns = [list(each) for each in zip(names, *rows, strict=True)]
    same = [each for each in columns if len(each[1]) <= NOTED and len({*each[1:]} - {*CUT}) <= 1]
    same = same if len(rows) >= FEWEST_ROWS and len(same) < len(columns) else []
    kept = [each for each in columns if each not in same]
    sides = [_side(each[1:]) for each in kept]
    kept = [each[: MOST_ROWS + 1] for each in kept]
    longest = map(longest_piece, kept, sides)
    fitting = max(1, sum(end <= TURNED for end in accumulate(LETTER * each + GUTTER for each in longest)))
    printed = list(zip(*kept[:fitting], strict=True))
    note, whole = _cut(names, rows, total, fitting, len(kept))
    if said := [f"{each[0]}: {each[1]}".strip(": ") for each in same if each[1] not in ("", "–", *CUT)]:
        note = f"The same in every row – {'; '.join(said).rstrip('.')}. {note}".strip()
    table = data_table(caption, [*printed[0]], printed[1:], align="".join(sides[:fitting]), note=note)
    return replace(table, whole=whole, same={each[0]: each[1] for each in same})


def _grid(table: Any) -> Iterator[tuple[bool, list[Any]]]:
    """Each row, whether of the head, with its cells: one that covers several places is in each of them."""
    held: dict[int, tuple[Any, int]] = {}  # by place: a cell from above, for so many rows more
    for row in table.xpath("./tr|./*/tr"):
        line: list[Any] = []
        for cell in [*row.xpath("./th|./td"), None]:
            while len(line) in held:
                above, left = held.pop(len(line))
                if left > 1:
                    held[len(line)] = (above, left - 1)
                line.append(above)
            for _ in range(0 if cell is None else _span(cell, "colspan")):
                if (rows := _span(cell, "rowspan")) > 1:
                    held[len(line)] = (cell, rows - 1)
                line.append(cell)
        yield row.getparent().tag == "thead", line


def _span(cell: Any, name: str) -> int:
    given = cell.get(name, "1")
    return min(int(given), MOST_SPAN) if re.fullmatch("[1-9][0-9]{0,8}", given) else 1


def _text(cell: Any) -> str:
    for line in cell.iter("br"):
        line.tail = f"\n{line.tail or ''}"
    return clean(str(cell.text_content()).strip(), MOST_LETTERS)


def _name(heads: list[Any], is_index: bool) -> str:
    """The words over a column; of an index the lowest, which is its own name."""
    named = [text for text in dict.fromkeys(map(_text, heads)) if text]
    return "".join(named[-1:]) if is_index else " · ".join(named)


def _side(texts: list[str]) -> str:
    said = [text for text in texts if text not in ("", "–", *CUT)]
    return "r" if said and all(map(_NUMBER.fullmatch, said)) else "l"


def _cut(
    names: list[str], rows: list[list[str]], total: int, fitting: int, wanted: int
) -> tuple[str, pd.DataFrame | None]:
    """How many rows and columns are printed if not all, and all of them where they are there, their names
    with their place where they share one or have none."""
    is_cut = any(row and set(row) <= set(CUT) for row in rows)  # pandas has left rows out
    total = total or (0 if is_cut else len(rows))
    printed = min(len(rows), MOST_ROWS) - (is_cut and len(rows) <= MOST_ROWS)
    notes = []
    if printed != total:
        first = "First " * (len(rows) > MOST_ROWS)
        notes.append(f"{first}{printed} of {total:,} rows" if total else f"{first}{printed} rows of more")
    if fitting < wanted:
        notes.append(f"First {fitting} of {wanted} columns")
    placed = [
        f"{each} {at}".strip() if names.count(each) > 1 or not each else each
        for at, each in enumerate(names, 1)
    ]
    return ", ".join(notes), pd.DataFrame(rows, columns=placed) if notes and total == len(rows) else None
