"""Markdown to blocks. What has no place in the report (raw HTML, pictures, what is no TeX) stands there as
letters, so that nothing an author wrote can vanish."""

import re
from functools import cache
from itertools import groupby
from typing import Any

from ragassay.errors import InputError
from ragassay.report import blocks as model
from ragassay.report import mathematics
from ragassay.report.blocks import BOLD, plain, words
from ragassay.report.chapters import ANCHORS
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
            return model.Verbatim(token["raw"].rstrip("\n"), token.get("attrs", {}).get("info") or "")
        case "block_math":
            tex = token["raw"].strip()
            return model.Display(tex) if _is_formula(tex) else model.Paragraph(words(f"$${tex}$$"))
        case "table":
            return _table(token)
    text = token.get("raw", "").strip()
    return model.Paragraph(words(text)) if text else None


def _quote(inner: list[model.Block]) -> model.Quote | model.Callout:
    """A quotation; one that begins with a judgement in bold, such as a rating, is a box in its colour."""
    match inner:
        case [model.Paragraph((model.State() | model.Strong() as first, *rest)), *others]:
            word = plain((first,)).rstrip(".")
            if word in BOLD:
                said = model.Paragraph((model.Strong(words(f"{word}.")), *rest))
                return model.Callout("result", "", [said, *others], word)
    return model.Quote(inner)


def _is_formula(tex: str) -> bool:
    """Whether both writers can write it; `$5 or $6` is none."""
    try:
        return bool(mathematics.mathml(tex) and mathematics.typst(tex))
    except InputError:
        return False


def _table(token: Token) -> model.Table:
    head, *body = token["children"]
    rows = [row["children"] for part in body for row in part["children"]]
    align = [(cell["attrs"]["align"] or "left")[0] for cell in head["children"]]
    return model.Table("", _cells(head["children"]), [_cells(row) for row in rows], align)


def _cells(cells: list[Token]) -> list[model.Inlines]:
    return [_inlines(cell["children"]) for cell in cells]


def _inlines(tokens: list[Token]) -> model.Inlines:
    """Texts side by side are one."""
    found = (item for token in tokens for item in _inline(token))
    items: list[model.Inline] = []
    for is_text, group in groupby(found, lambda item: isinstance(item, model.Text)):
        run = tuple(group)
        items += words(plain(run)) if is_text else run
    return tuple(items)


def _inline(token: Token) -> model.Inlines:
    children = token.get("children", [])
    match token["type"]:
        case "strong":
            inner = _inlines(children)
            return (model.State(plain(inner)) if plain(inner) in BOLD else model.Strong(inner),)
        case "emphasis":
            return (model.Emphasis(_inlines(children)),)
        case "codespan":
            return (model.Code(token["raw"]),)
        case "inline_math":
            tex = token["raw"].strip()
            return (model.Formula(tex) if _is_formula(tex) else model.Text(f"${tex}$"),)
        case "link":
            return _link(_inlines(children), token["attrs"]["url"])
        case "image":
            return words(f"![{plain(_inlines(children))}]({token['attrs']['url']})")
        case "softbreak":
            return words(" ")
        case "linebreak":
            return (model.Break(),)
    return words(token.get("raw", ""))


def _link(children: model.Inlines, address: str) -> model.Inlines:
    """To a notebook, or a chapter by its id (`#quality`): that chapter. To anywhere else: the address in
    print, for nothing outside is ever fetched."""
    notebook = re.fullmatch(r"(?:.*/)?(\d\d_\w+)\.ipynb", address)
    if notebook:
        return (model.Link(children, f"chapter-{notebook.group(1)}"),)
    if address.startswith("#"):
        return (model.Link(children, ANCHORS[address[1:]]),) if address[1:] in ANCHORS else children
    shown = any(isinstance(item, model.Text) and item.text == address for item in children)
    return children if shown else (*children, model.Text(f" ({clean(address)})"))
