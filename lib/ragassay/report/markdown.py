"""Markdown to blocks. What it does not know it refuses, so that nothing an author wrote can vanish from the
report."""

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import Any

from ragassay.errors import InputError
from ragassay.report import mathematics
from ragassay.report.blocks import (
    Block,
    Break,
    Code,
    Display,
    Emphasis,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
    Verbatim,
)
from ragassay.report.chapters import ANCHORS
from ragassay.show import clean

_FIRST_HOLE = 0xF0000
_HOLE = re.compile("([\U000f0000-\U000ffffd])")
Token = dict[str, Any]


def blocks(text: str, where: str) -> list[Block]:
    """The blocks of a markdown text.

    Raises
    ------
    InputError
        For markdown that has no place in the report: raw HTML, images, anything unknown. `where` says which
            cell.
    """
    return _Reader(where).blocks(_parser()(_no_holes(text)))


def filled(template: str, values: Mapping[str, str], where: str) -> list[Block]:
    """The blocks of a template whose `{name}` holes are filled with values, which are letters and never
    markup; raw HTML is letters too."""
    marked, texts = _marked(template, values)
    return _Reader(where, texts, literal_html=True).blocks(_parser()(marked))


def literal(text: str, where: str) -> list[Block]:
    """The blocks of markdown made by code (an output, not a cell's text): raw HTML is shown letter for
    letter."""
    return _Reader(where, literal_html=True).blocks(_parser()(_no_holes(text)))


@cache
def _parser() -> Any:
    import mistune

    return mistune.create_markdown(renderer=None, plugins=["math", "table"])


def _no_holes(text: str) -> str:
    return _HOLE.sub("\ufffd", text)


def _marked(template: str, values: Mapping[str, str]) -> tuple[str, list[str]]:
    parts: list[str] = []
    texts: list[str] = []
    for letters, name, _, _ in Formatter().parse(template):
        parts.append(_no_holes(letters))
        if name is not None:
            parts.append(chr(_FIRST_HOLE + len(texts)))
            texts.append(values[name])
    return "".join(parts), texts


class _Reader:
    """Walks one syntax tree; holds only where it is and the values of the holes."""

    def __init__(self, where: str, texts: list[str] | None = None, literal_html: bool = False):
        self.where, self.texts, self.literal_html = where, texts or [], literal_html

    def blocks(self, tokens: list[Token]) -> list[Block]:
        return [block for token in tokens if token["type"] != "blank_line" for block in self.block(token)]

    def block(self, token: Token) -> list[Block]:
        match token["type"]:
            case "heading":
                return [Heading(token["attrs"]["level"], self.inlines(token["children"]))]
            case "paragraph" | "block_text":
                return [Paragraph(self.inlines(token["children"]))]
            case "list":
                return [
                    Listing(
                        [self.blocks(item["children"]) for item in token["children"]],
                        token["attrs"]["ordered"],
                    )
                ]
            case "block_quote":
                return [Quote(self.blocks(token["children"]))]
            case "block_code":
                return [
                    Verbatim(self.whole(token["raw"]).rstrip("\n"), token.get("attrs", {}).get("info") or "")
                ]
            case "block_math":
                return [self.formula(token, Display)]
            case "table":
                return [self.table(token)]
            case "thematic_break":
                return []
            case "block_html" if self.literal_html:
                return [Paragraph(self.text(token["raw"].strip()))]
        raise self.refusal(token)

    def formula(self, token: Token, kind: type) -> Any:
        """A formula both writers can write. What is no TeX is refused in an author's cell, and letters
        elsewhere: `$5 or $6`."""
        tex = self.whole(token["raw"]).strip()
        try:
            mathematics.mathml(tex), mathematics.typst(tex)
        except InputError as problem:
            if not self.literal_html:
                raise InputError(problem.what, where=self.where, found=tex, do=problem.do) from problem
            return Text(f"${tex}$") if kind is Formula else Paragraph(self.text(f"$${tex}$$"))
        return kind(tex)

    def table(self, token: Token) -> Table:
        head, *body = token["children"]
        rows = [row["children"] for part in body for row in part["children"]]
        align = [(cell["attrs"]["align"] or "left")[0] for cell in head["children"]]
        return Table("", self.cells(head["children"]), [self.cells(row) for row in rows], align)

    def cells(self, cells: list[Token]) -> list[Inlines]:
        return [self.inlines(cell["children"]) for cell in cells]

    def inlines(self, tokens: list[Token]) -> Inlines:
        return tuple(item for token in tokens for item in self.inline(token))

    def inline(self, token: Token) -> Inlines:
        match token["type"]:
            case "text":
                return self.text(token["raw"])
            case "strong":
                return (Strong(self.inlines(token["children"])),)
            case "emphasis":
                return (Emphasis(self.inlines(token["children"])),)
            case "codespan":
                return (Code(self.whole(token["raw"])),)
            case "inline_math":
                return (self.formula(token, Formula),)
            case "link":
                return self.link(token)
            case "softbreak":
                return (Text(" "),)
            case "linebreak":
                return (Break(),)
            case "inline_html" if self.literal_html:
                return self.text(token["raw"])
        raise self.refusal(token)

    def link(self, token: Token) -> Inlines:
        """To a notebook, or a chapter by its id (`#quality`): that chapter. To anywhere else: the address in
        print, for nothing outside is ever fetched."""
        children, address = self.inlines(token["children"]), self.whole(token["attrs"]["url"])
        notebook = re.fullmatch(r"(?:.*/)?(\d\d_\w+)\.ipynb", address)
        if notebook:
            return (Link(children, f"chapter-{notebook.group(1)}"),)
        if address.removeprefix("#") in ANCHORS and address.startswith("#"):
            return (Link(children, ANCHORS[address[1:]]),)
        shown = any(isinstance(item, Text) and item.text == address for item in children)
        return children if shown or address.startswith("#") else (*children, Text(f" ({clean(address)})"))

    def text(self, raw: str) -> Inlines:
        """Letters, with holes filled; entities are left as typed."""
        items: list[Inline] = [Text(self.whole(part)) for part in _HOLE.split(raw) if part]
        return tuple(items)

    def whole(self, raw: str) -> str:
        return _HOLE.sub(lambda hole: self.value(hole.group()), raw)

    def value(self, hole: str) -> str:
        position = ord(hole) - _FIRST_HOLE
        return self.texts[position] if position < len(self.texts) else "\ufffd"

    def refusal(self, token: Token) -> InputError:
        seen = token.get("raw") or token.get("attrs") or token["type"]
        return InputError(
            f"this markdown ({token['type']}) has no place in the report",
            where=self.where,
            found=seen,
            expected="headings, paragraphs, bold, italic, code, links, lists, tables, quotes, $math$",
            do="write it in plain markdown; show pictures with ragassay.show.figure",
        )
