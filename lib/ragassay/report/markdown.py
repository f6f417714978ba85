"""Markdown to blocks. What it does not know it refuses, so that nothing an author wrote can vanish from the
report."""

import re
from functools import cache
from itertools import groupby
from typing import Any

from ragassay.errors import InputError
from ragassay.report import mathematics
from ragassay.report.blocks import (
    BOLD,
    Block,
    Break,
    Callout,
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
    State,
    Strong,
    Table,
    Text,
    Verbatim,
    plain,
)
from ragassay.report.chapters import ANCHORS
from ragassay.show import clean

Token = dict[str, Any]


def blocks(text: str, where: str) -> list[Block]:
    """The blocks of a markdown text.

    Raises
    ------
    InputError
        For markdown that has no place in the report: raw HTML, images, anything unknown. `where` says which
            cell.
    """
    return _Reader(where).blocks(_parser()(text))


def literal(text: str, where: str) -> list[Block]:
    """The blocks of markdown made by code (an output, not a cell's text): raw HTML is shown letter for
    letter."""
    return _Reader(where, literal_html=True).blocks(_parser()(text))


@cache
def _parser() -> Any:
    import mistune

    return mistune.create_markdown(renderer=None, plugins=["math", "table"])


def _box(inner: list[Block]) -> Quote | Callout:
    """A quotation; one that begins with a judgement in bold, such as a rating, is a box in its colour."""
    match inner:
        case [Paragraph((State() | Strong() as first, *rest)), *others] if _judged(first) in BOLD:
            word = _judged(first)
            return Callout("result", "", [Paragraph((Strong((Text(f"{word}."),)), *rest)), *others], word)
    return Quote(inner)


def _judged(word: Inline) -> str:
    return plain((word,)).rstrip(".")


class _Reader:
    """Walks one syntax tree; holds only where it is."""

    def __init__(self, where: str, literal_html: bool = False):
        self.where, self.literal_html = where, literal_html

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
                return [_box(self.blocks(token["children"]))]
            case "block_code":
                return [Verbatim(token["raw"].rstrip("\n"), token.get("attrs", {}).get("info") or "")]
            case "block_math":
                return [self.formula(token, Display)]
            case "table":
                return [self.table(token)]
            case "thematic_break":
                return []
            case "block_html" if self.literal_html:
                return [Paragraph((Text(token["raw"].strip()),))]
        raise self.refusal(token)

    def formula(self, token: Token, kind: type) -> Any:
        """A formula both writers can write. What is no TeX is refused in an author's cell, and letters
        elsewhere: `$5 or $6`."""
        tex = token["raw"].strip()
        try:
            mathematics.mathml(tex), mathematics.typst(tex)
        except InputError as problem:
            if not self.literal_html:
                raise InputError(problem.what, where=self.where, found=tex, do=problem.do) from problem
            return Text(f"${tex}$") if kind is Formula else Paragraph((Text(f"$${tex}$$"),))
        return kind(tex)

    def table(self, token: Token) -> Table:
        head, *body = token["children"]
        rows = [row["children"] for part in body for row in part["children"]]
        align = [(cell["attrs"]["align"] or "left")[0] for cell in head["children"]]
        return Table("", self.cells(head["children"]), [self.cells(row) for row in rows], align)

    def cells(self, cells: list[Token]) -> list[Inlines]:
        return [self.inlines(cell["children"]) for cell in cells]

    def inlines(self, tokens: list[Token]) -> Inlines:
        """Texts side by side are one."""
        found = (item for token in tokens for item in self.inline(token))
        items: list[Inline] = []
        for is_text, group in groupby(found, lambda item: isinstance(item, Text)):
            run = tuple(group)
            items += (Text(plain(run)),) if is_text else run
        return tuple(items)

    def inline(self, token: Token) -> Inlines:
        match token["type"]:
            case "text":
                return (Text(token["raw"]),)
            case "strong":
                children = self.inlines(token["children"])
                return (State(plain(children)) if plain(children) in BOLD else Strong(children),)
            case "emphasis":
                return (Emphasis(self.inlines(token["children"])),)
            case "codespan":
                return (Code(token["raw"]),)
            case "inline_math":
                return (self.formula(token, Formula),)
            case "link":
                return self.link(token)
            case "softbreak":
                return (Text(" "),)
            case "linebreak":
                return (Break(),)
            case "inline_html" if self.literal_html:
                return (Text(token["raw"]),)
        raise self.refusal(token)

    def link(self, token: Token) -> Inlines:
        """To a notebook, or a chapter by its id (`#quality`): that chapter. To anywhere else: the address in
        print, for nothing outside is ever fetched."""
        children, address = self.inlines(token["children"]), token["attrs"]["url"]
        notebook = re.fullmatch(r"(?:.*/)?(\d\d_\w+)\.ipynb", address)
        if notebook:
            return (Link(children, f"chapter-{notebook.group(1)}"),)
        if address.removeprefix("#") in ANCHORS and address.startswith("#"):
            return (Link(children, ANCHORS[address[1:]]),)
        shown = any(isinstance(item, Text) and item.text == address for item in children)
        return children if shown or address.startswith("#") else (*children, Text(f" ({clean(address)})"))

    def refusal(self, token: Token) -> InputError:
        seen = token.get("raw") or token.get("attrs") or token["type"]
        return InputError(
            f"this markdown ({token['type']}) has no place in the report",
            where=self.where,
            found=seen,
            expected="headings, paragraphs, bold, italic, code, links, lists, tables, quotes, $math$",
            do="write it in plain markdown; leave a figure open in a code cell",
        )
