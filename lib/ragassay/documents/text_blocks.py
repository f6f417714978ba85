"""What a document is made of: blocks of text, cleaned, with hard-wrapped lines re-joined and headings found;
and its sentences: lines first (list items, table rows, headings), then sentencex within a line, then a few
repairs.

F1 of the boundaries in 42 held-out texts: sentencex 0.82 alone, 0.96 with our rules; pysbd 0.92; syntok 0.93.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from textwrap import wrap
from typing import Literal, NamedTuple

import sentencex

CONTROLS = re.compile(r"[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
MARKS = "-−*+•‣▪●○◦■□–—·►➢✓\uf0b7\uf0a7"
MARK = re.compile(rf"^(?:[{re.escape(MARKS)}]\s+)+(?=\S)")
POINT = r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,4}\.?"
BULLET = re.compile(rf"(?:[{re.escape(MARKS)}]|{POINT})\s+(?=\S)")
ROW = re.compile(r"(?:^|\s)\|(?:\s|$)")
AFTER_POINT = re.compile(rf"(?m)^([^\S\n]*(?:[{re.escape(MARKS)}]|{POINT}))[^\S\n]*\t\s*")
COLUMN = re.compile(r"(?<=[^\s|])[ ]*\t+[ ]*(?=[^\s|])")
RUNS_ON = re.compile(
    r"(?:,|\b(?:of|the|and|or|to|a|an|in|for|by|with|from|on"
    r"|de|la|el|los|las|que|y|e|o|os|as|do|da|del|un|una|um|uma|para|por|com|con))$"
)
TERMINAL = re.compile(r"[.!?…:;][\"'”’»)\]]*$")

NARROWEST, WIDEST = 40, 120
LONGEST_TITLE = 300  # characters of a title, and of a heading: each passage below it carries it

LONGEST_RUN = 4000

# What the library misses in bank prose: boundaries to remove (labels, titles, citations), to add (brackets,
# acronyms).
TITLE = re.compile(
    r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|av|avda|sr|sra|srta|dra|messrs|hon|rev|gov|sen|rep|capt|lt)\.$",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"(?:^|[\s(])(?:nos?|secs?|figs?|arts?|paras?|vols?|ch|chap|pp?|pg|págs?|pag|núm|num|nº|n|v|ver|reg|ref|eq"
    r"|app|cl|sch|tab|cf|approx|aprox|ca|min|max)\.$",
    re.IGNORECASE,
)
NUMBER = re.compile(r"^[(#]?[\dIVX]")
SHORT = re.compile(r"(?:^|[\s(\d])(?:[^\W\d_]{1,4}|(?:[^\W\d_]\.)+[^\W\d_])\.$")
NUMBERED = re.compile(  # a lone point, or a heading's word and its number
    r"^(?:[-*•–]\s)?\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVX]{1,5})[.)]$"
    r"|^(?:step|paso|passo|question|note|section|article|chapter|part|rule|clause|appendix|annex|schedule"
    r"|sección|artículo|capítulo|seção|artigo|cláusula)\s[\dA-Z.]{1,8}\.$",
    re.IGNORECASE,
)
CITATIONS = re.compile(r"^(?:\[[^\[\]]{1,60}\]\s?)+")
CLOSING = re.compile(r"^(?:[\"”’»)\]]+(?:\s|$)|[ºª])")
MISSED = re.compile(
    r"^\([^()]*[.!?]\)(?=\s[A-Z¿¡“\"(])"  # (A sentence in parentheses.) Another
    r"|…(?=\s[A-Z¿¡“\"])"
    r"|\w\.[^\W\d_]{2,5}\.(?=\s[A-Z])"  # see fees.md. Another
    r"|\b(?!INC|LTD|CORP|CO|NO|ST|MR|DR|MRS|MS|VS)[A-Z]{2,}s?\.(?=\s[A-Z][a-z]+\s)"  # show an ID. Keep it
)


class Content(NamedTuple):
    """What a file holds: its title if it states one, its blocks, and what of it could not be read."""

    title: str
    blocks: list["Block"]
    gaps: tuple[str, ...] = ()


class Block(NamedTuple):
    """A run of text that is one thing: a heading, a paragraph, a list item, or a table row (cells joined by `
    | `)."""

    kind: Literal["heading", "text", "item", "row"]
    text: str


def clean(text: str) -> str:
    """NFC, newlines as \\n, tabs between columns as ` | `, control characters as spaces; zero-width
    characters and soft hyphens gone."""
    text = re.sub("\r\n?|\u2028", "\n", re.sub("[\f\u2029]", "\n\n", text))
    text = text.encode("utf-8", "replace").decode("utf-8")
    if "\t" in text:  # parts columns, but after a point, as in `(a)` and its text
        text = COLUMN.sub(" | ", AFTER_POINT.sub(r"\1 ", text))
    return unicodedata.normalize("NFC", CONTROLS.sub(" ", INVISIBLE.sub("", text)))


def squeeze(text: str) -> str:
    """One line: every run of white space is one space."""
    return " ".join(text.split())


def assemble(blocks: Iterable[Block]) -> tuple[str, list[int]]:
    """The document's text (a blank line between blocks, none inside a list or table) and the line numbers of
    its headings; one above LONGEST_TITLE is text."""
    lines: list[str] = []
    headings: list[int] = []
    previous = None
    for block in blocks:
        text = "\n".join(filter(None, map(str.strip, clean(block.text).split("\n"))))
        if not text:
            continue
        if lines and not (block.kind == previous and block.kind in ("item", "row")):
            lines.append("")
        if block.kind == "heading":
            text = squeeze(text)
            headings += [len(lines)] if len(text) <= LONGEST_TITLE else []
        lines.extend(text.split("\n"))
        previous = block.kind
    return "\n".join(lines), headings


def unwrap(lines: Sequence[str], width: float) -> list[str]:
    """Undo hard wrapping in one paragraph: a line runs on where the next word had no room on it, unless an
    item or a row follows."""
    joined: list[str] = []
    for before, line in zip(["", *lines], lines, strict=False):
        full = len(before) + 1 + len(line.split()[0]) > width
        goes_on = line[0].islower() and len(before) > NARROWEST and not TERMINAL.search(before)
        is_own = BULLET.match(line) or ROW.search(f"{before}\n{line}")
        if joined and (full or goes_on) and not is_own:
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return joined


def plain_blocks(text: str) -> list[Block]:
    """Blocks of plain text: paragraphs between blank lines, hard wrapping undone, title-like lines as
    headings."""
    paragraphs = [
        [line.strip() for line in part.split("\n") if line.strip()]
        for part in re.split(r"\n[ \t]*\n", clean(text))
    ]
    lengths = [len(line) for lines in paragraphs for line in lines]
    short = [n for n in lengths if n <= WIDEST]
    # of lines that are wrapped: at most one in ten is longer than any wrapping
    is_wrapped = len(short) > 0.9 * len(lengths) and max(short) >= NARROWEST
    width = max(short) if is_wrapped else math.inf
    blocks = [block for lines in paragraphs for block in _paragraph(lines, width)]
    return promote_headings(blocks, [True] * len(blocks))


def _paragraph(lines: list[str], width: float) -> list[Block]:
    """A paragraph; lines in capitals that open it, and a line underlined with = or -, are headings."""
    capitals = [line.isupper() and len(line) > 3 and looks_like_heading(line.rstrip("?:")) for line in lines]
    n = capitals.index(False) if False in capitals else 0
    headings, lines = [Block("heading", line) for line in lines[:n]], lines[n:]
    if len(lines) > 1 and re.fullmatch(r"={3,}|-{3,}|~{3,}", lines[1]):
        headings.append(Block("heading", lines[0]))
        lines = lines[2:]
    return [*headings, Block("text", "\n".join(unwrap(lines, width)))] if lines else headings


def looks_like_heading(text: str) -> bool:
    """One short line that starts like a title and does not end like a sentence."""
    words = text.split()
    first = next((c for c in text if c.isalpha()), "")
    return (
        "\n" not in text
        and 0 < len(words) <= 12
        and len(text) <= 90
        and first.isupper()
        and (text[0].isalpha() or text[0].isdigit())
        and not re.search(r"[.,;:!?…\"”’)\]]$", text)
        and not ROW.search(text)
    )


def promote_headings(blocks: Sequence[Block], single: Sequence[bool]) -> list[Block]:
    """Blocks with title-like single lines as headings, where text follows; of a run of more than three only
    the last two styled ones stay."""
    titled = [
        b.kind == "heading" or (one and b.kind == "text" and looks_like_heading(b.text))
        for b, one in zip(blocks, single, strict=True)
    ]
    runs = [(is_title, list(run)) for is_title, run in groupby(range(len(blocks)), key=titled.__getitem__)]
    stays: set[int] = set()
    for run in (run for is_title, run in runs if is_title):
        styled = [i for i in run if blocks[i].kind == "heading"]
        if len(run) > 3:
            stays |= {i for i in run[-2:] if i in styled}
        else:
            stays |= set(run if run[-1] + 1 < len(blocks) else styled)
    return [
        b if not t else Block("heading" if i in stays else "text", b.text)
        for i, (b, t) in enumerate(zip(blocks, titled, strict=True))
    ]


def sentences(text: str, language: str = "en") -> list[str]:
    """Sentences of a text in order, without list marks; a list item, a table row, a heading line is never
    joined to its neighbour. Splitting a sentence again gives the sentence itself. Linear in the length of
    the text."""
    return [MARK.sub("", piece) for _, piece in pieces(text, language)]


@lru_cache(maxsize=20_000)
def pieces(text: str, language: str = "en") -> tuple[tuple[int, str], ...]:
    """Sentences with their list marks, each with the number of the (re-joined) line it stands on."""
    found = []
    for number, line in enumerate(_lines(text)):
        waiting = [line]
        while waiting:  # until every piece is left whole by another split
            piece = waiting.pop()
            parts = _split(piece, language)
            if len(parts) == 1:
                found.append((number, piece))
            else:
                waiting.extend(reversed(parts))
    return tuple(found)


def _lines(text: str) -> list[str]:
    """Lines with obvious hard wrapping undone: one stops in mid-sentence, the next goes on in lower case."""
    joined: list[str] = []
    after_blank = True
    for raw in clean(text).split("\n"):
        line = squeeze(raw)
        before = "" if after_blank else joined[-1]
        is_whole = TERMINAL.search(before) or ROW.search(before) or not 40 <= len(before) <= LONGEST_RUN
        is_own = not line or BULLET.match(line) or ROW.search(line)
        if not (is_whole or is_own) and (line[0].islower() or RUNS_ON.search(before)):
            joined[-1] += " " + line
        elif line:
            joined.append(line)
        after_blank = not line
    return joined


def _split(line: str, language: str) -> list[str]:
    """One pass over one line; a table row of ordinary length is left whole."""
    if ROW.search(line) and len(line) <= 400:
        return [line]
    parts = []
    # in runs of at most so many characters, which keeps the library linear
    for run in wrap(line, LONGEST_RUN, break_on_hyphens=False) if len(line) > LONGEST_RUN else [line]:
        found = []
        for part in sentencex.segment(language, run):  # and the boundaries that it misses
            ends = [0, *(match.end() for match in MISSED.finditer(part)), len(part)]
            found += [part[start:end] for start, end in pairwise(ends) if end > start]
        parts += remove_boundaries(found)
    return [part.strip() for part in parts if part.strip()] or [line]


def remove_boundaries(parts: list[str]) -> list[str]:
    """Remove the boundaries that are none, and give a citation to the sentence before it; the parts still
    make up the text."""
    kept: list[str] = []
    for part in parts:
        after, keep = part.lstrip(), 0  # how many characters go on with the sentence before
        if kept and (not after or _belongs(kept[-1].rstrip(), after)):
            keep = len(part)
        elif kept and (cited := CITATIONS.match(after)):
            keep = len(part) - len(after) + cited.end()
        if keep:
            kept[-1] += part[:keep]
        if part[keep:]:
            kept.append(part[keep:])
    return kept


def _belongs(before: str, after: str) -> bool:
    end, start = before[-12:], before.lstrip()
    if TITLE.search(end) or (LABEL.search(end) and NUMBER.match(after)):
        return True
    if SHORT.search(end) and not start[:1].islower() and after[:1].isalpha() and after[:2].islower():
        return True
    return bool(NUMBERED.match(start) or CLOSING.match(after))
