"""Markdown to blocks. What has no place in the report (raw HTML, pictures, what is no TeX) stands there as
letters, so that nothing an author wrote can vanish."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

from ragassay.errors import InputError
from ragassay.report import blocks as model
from ragassay.report import mathematics
from ragassay.report.blocks import ANCHORS, BOLD, Inlines, Span, plain, words
from ragassay.show import clean

Token = dict[str, Any]


def blocks(text: str) -> list[model.Block]:
    """The blocks of a markdown text."""
    return _blocks(_parser()(text))


@cache
def _parser() -> Any:
    import mistune

    return mistune.create_markdown(renderer=None, plugins=["math", "table"])


def _blocks(tokens: list[Token]) -> list[model.Block]:
    found = [_block(token) for token in tokens if token["type"] not in ("blank_line", "thematic_break")]
    return [block for block in found if block is not None]


def _block(token: Token) -> model.Block | None:
    children = token.get("children", [])
    match token["type"]:
        case "heading":
            return model.Heading(token["attrs"]["level"], _inlines(children))
        case "paragraph" | "block_text":
            return model.Paragraph(_inlines(children))
        case "list":
            return model.Listing([_blocks(item["children"]) for item in children], token["attrs"]["ordered"])
        case "block_quote":
            return _quote(_blocks(children))
        case "block_code":
            return model.Verbatim(token["raw"].rstrip("\n"))
        case "block_math":
            tex = token["raw"].strip()
            shown = words(tex, kind="display") if _is_formula(tex) else words(f"$${tex}$$")
            return model.Paragraph(shown)
        case "table":
            head, *body = children
            rows = [row["children"] for part in body for row in part["children"]]
            sides = [(each["attrs"]["align"] or "left")[0] for each in head["children"]]
            return model.Table("", _cells(head["children"]), list(map(_cells, rows)), sides)
    text = token.get("raw", "").strip()
    return model.Paragraph(words(text)) if text else None


def _quote(inner: list[model.Block]) -> model.Quote | model.Callout:
    """A quotation; one that begins with a judgement in bold, such as a rating, is a box in its colour."""
    match inner:
        case [model.Paragraph((Span(text, _, True), *rest)), *others] if text.rstrip(".") in BOLD:
            word = text.rstrip(".")
            said = model.Paragraph((*words(f"{word}.", bold=True), *rest))
            return model.Callout(model.tone_of(word).replace("grave", "bad"), "", [said, *others])
    return model.Quote(inner)


def _is_formula(tex: str) -> bool:
    """Whether both writers can write it; `$5 or $6` is none."""
    try:
        return bool(mathematics.mathml(tex) and mathematics.typst(tex))
    except InputError:
        return False


def _cells(cells: list[Token]) -> list[Inlines]:
    return [_inlines(cell["children"]) for cell in cells]


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
            return words(tex, kind="formula") if _is_formula(tex) else words(f"${tex}$")
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
