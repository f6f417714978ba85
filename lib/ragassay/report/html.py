"""Blocks to HTML: every letter escaped, no script, no style attribute, nothing fetched."""

import base64
from html import escape as _escape
from urllib.parse import quote

from ragassay.report import mathematics
from ragassay.report.blocks import (
    Block,
    Break,
    Callout,
    Chapter,
    Code,
    Display,
    Emphasis,
    Figure,
    File,
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
from ragassay.report.typst_text import breakable
from ragassay.show import clean

MIME = {"svg": "image/svg+xml", "png": "image/png"}
SIDES = {"l": "left", "r": "right", "c": "centre"}
LONG_CELL = 60  # letters, from which a cell is not squeezed on a narrow screen
_MANY = 8  # columns, beyond which letters are smaller in print


def escape(text: str) -> str:
    """Hidden characters shown, letters escaped: the one place where text leaves for HTML."""
    return _escape(clean(text, 0))


def chapter(part: Chapter) -> str:
    """One chapter as a section with its heading."""
    number = f'<span class="number">{escape(_name(part))}</span> ' if part.number else ""
    return (
        f'<section class="chapter {part.part}" id="{escape(part.anchor)}" '
        f'aria-labelledby="{escape(part.anchor)}-title">'
        f'<h2 id="{escape(part.anchor)}-title">{number}{escape(part.title)}</h2>\n'
        f"{blocks(part.blocks)}\n</section>"
    )


def blocks(items: list[Block]) -> str:
    """Blocks one after the other."""
    return "\n".join(block(item) for item in items)


def contents(part: Chapter) -> list[tuple[str, str]]:
    """Anchor and words of the chapter's first-level headings, for the table of contents."""
    return [
        (item.anchor, plain(item.words))
        for item in part.blocks
        if isinstance(item, Heading) and item.level == 2 and item.anchor
    ]


def block(item: Block) -> str:
    """One block."""
    match item:
        case Heading(level, words, anchor):
            identity = f' id="{escape(anchor)}"' if anchor else ""
            return f"<h{level + 1}{identity}>{inlines(words)}</h{level + 1}>"
        case Paragraph(words):
            return f"<p>{inlines(words)}</p>"
        case Listing(entries, ordered):
            tag = "ol" if ordered else "ul"
            return f"<{tag}>{''.join(f'<li>{_entry(entry)}</li>' for entry in entries)}</{tag}>"
        case Quote(inner):
            return f"<blockquote>{blocks(inner)}</blockquote>"
        case Verbatim(text, _, title):
            return _verbatim(text, title)
        case Display(tex):
            return f'<div class="formula">{mathematics.mathml(tex, True)}</div>'
        case Callout(kind, title, inner):
            head = f'<p class="kind">{escape(title)}</p>' if title else ""
            return f'<aside class="callout {escape(kind)} {item.tone}">{head}{blocks(inner)}</aside>'
        case Table():
            return table(item)
        case Figure():
            return figure(item)
    raise TypeError(f"the HTML writer does not know {type(item).__name__}")


def inlines(words: Inlines) -> str:
    """Words in a line."""
    return "".join(inline(word) for word in words)


def inline(word: Inline) -> str:
    """One run of words."""
    match word:
        case Text(text):
            return _letters(text).replace("\n", "<br>")
        case State(text):
            return f'<span class="state {word.tone}">{_letters(text)}</span>'
        case Strong(children):
            return f"<strong>{inlines(children)}</strong>"
        case Emphasis(children):
            return f"<em>{inlines(children)}</em>"
        case Code(text):
            return f"<code>{_letters(text)}</code>"
        case Formula(tex):
            return mathematics.mathml(tex)
        case Link(children, anchor):
            return f'<a href="#{escape(anchor)}">{inlines(children)}</a>'
        case File(path):
            return f'<a href="{escape(quote(path))}">{_letters(word.name)}</a>'
        case Break():
            return "<br>"
    raise TypeError(f"the HTML writer does not know {type(word).__name__}")


def table(item: Table) -> str:
    """A table with caption and scoped headers; it scrolls by itself when too wide."""
    caption = (
        f"<caption><span>{_label(item.label)}{escape(item.caption)}</span></caption>" if item.caption else ""
    )
    head = "".join(
        f'<th scope="col" class="{SIDES[side]}">{_head(name)}</th>'
        for name, side in zip(item.columns, item.align, strict=False)
    )
    body = "".join(f"<tr>{_row(row, item)}</tr>" for row in item.rows)
    identity = f' id="{escape(item.anchor)}"' if item.anchor else ""
    kinds = ["data" if item.columns else "facts", "wide" * (len(item.columns) > _MANY)]
    kind = " ".join(filter(None, kinds))
    note = f'<p class="note">{escape(item.note)}</p>' if item.note else ""
    header = f"<thead><tr>{head}</tr></thead>" if head else ""
    name = escape(item.caption or "Details")
    inner = f'<table class="{kind}">{caption}{header}<tbody>{body}</tbody></table>'
    return f'<div class="table"{identity} role="group" aria-label="{name}" tabindex="0">{inner}</div>{note}'


def figure(item: Figure) -> str:
    """A figure as an image, which cannot act whatever its SVG holds."""
    data = base64.b64encode(item.data).decode()
    note = f'<span class="note">{escape(item.note)}</span>' if item.note else ""
    identity = f' id="{escape(item.anchor)}"' if item.anchor else ""
    name = escape(item.label or item.caption or "Figure")
    return (
        f'<figure{identity}><div class="picture" role="group" aria-label="{name}" tabindex="0">'
        f'<img src="data:{MIME[item.kind]};base64,{data}" alt="{escape(item.alt)}"></div>'
        f"<figcaption>{_label(item.label)}{escape(item.caption)} {note}</figcaption></figure>"
    )


def _letters(text: str) -> str:
    """Escaped, with places to break inside words too long for a column."""
    return _escape(breakable(text)).replace("\u200b", "<wbr>")


def _name(part: Chapter) -> str:
    return f"Annex {part.number}" if part.part == "annex" else part.number


def _label(label: str) -> str:
    return f'<span class="label">{escape(label)}</span> ' if label else ""


def _row(row: list[Inlines], item: Table) -> str:
    """The cells; in a table without header the first names its row."""
    cells = [
        f'<td class="{SIDES[side]}{" text" * (len(plain(words)) > LONG_CELL)}">{inlines(words)}</td>'
        for words, side in zip(row, [*item.align, *"l" * len(row)], strict=False)
    ]
    if row and not item.columns:
        cells[0] = f'<th scope="row">{inlines(row[0])}</th>'
    return "".join(cells)


def _head(name: Inlines) -> str:
    """A column's name, which may break at its underscores."""
    return _escape(breakable(plain(name), is_split=True)).replace("\u200b", "<wbr>")


def _entry(entry: list[Block]) -> str:
    if len(entry) == 1 and isinstance(entry[0], Paragraph):
        return inlines(entry[0].words)
    return blocks(entry)


def _verbatim(text: str, title: str) -> str:
    name = f'<p class="kind">{escape(title)}</p>' if title else ""
    return f'<div class="verbatim">{name}<pre tabindex="0"><code>{escape(text)}</code></pre></div>'
