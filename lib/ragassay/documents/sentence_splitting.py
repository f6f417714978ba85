"""Sentences: lines first (list items, table rows, headings), then sentencex within a line, then a few
repairs.

F1 of the boundaries in 42 held-out texts: sentencex 0.82 alone, 0.96 with our rules; pysbd 0.92; syntok 0.93.
"""

import re
from functools import lru_cache
from itertools import pairwise

import sentencex

from ragassay.documents.text_blocks import BULLET, MARK, ROW, RUNS_ON, TERMINAL, clean, squeeze

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
GOES_ON = re.compile(r"^[^\W\d_]")
POINT = re.compile(r"^(?:[-*•–]\s)?\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})[.)]$")
NUMBERED = re.compile(
    r"^(?:step|paso|passo|question|note|section|article|chapter|part|rule|clause|appendix|annex|schedule"
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
        if line and not after_blank and _runs_on(joined[-1], line):
            joined[-1] += " " + line
        elif line:
            joined.append(line)
        after_blank = not line
    return joined


def _runs_on(line: str, following: str) -> bool:
    is_whole = TERMINAL.search(line) or ROW.search(line) or not 40 <= len(line) <= LONGEST_RUN
    if is_whole or BULLET.match(following) or ROW.search(following):
        return False
    return following[0].islower() or bool(RUNS_ON.search(line))


def _split(line: str, language: str) -> list[str]:
    """One pass over one line; a table row of ordinary length is left whole."""
    if ROW.search(line) and len(line) <= 400:
        return [line]
    parts = []
    for run in _cut(line):
        found = []
        for part in sentencex.segment(language, run):  # and the boundaries that it misses
            ends = [0, *(match.end() for match in MISSED.finditer(part)), len(part)]
            found += [part[start:end] for start, end in pairwise(ends) if end > start]
        parts += remove_boundaries(found)
    return [part.strip() for part in parts if part.strip()] or [line]


def _cut(line: str) -> list[str]:
    """Runs of at most LONGEST_RUN characters, cut at a space where there is one: keeps the library
    linear."""
    runs, start = [], 0
    while len(line) - start > LONGEST_RUN:
        at = line.rfind(" ", start + LONGEST_RUN // 2, start + LONGEST_RUN)
        at = start + LONGEST_RUN if at < 0 else at
        runs.append(line[start:at].strip())
        start = at
    return [run for run in [*runs, line[start:].strip()] if run]


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
    """Whether `after` goes on with the sentence that `before` seemed to end."""
    end, start = before[-12:], before.lstrip()
    if TITLE.search(end) or (LABEL.search(end) and NUMBER.match(after)):
        return True
    if SHORT.search(end) and not start[:1].islower() and GOES_ON.match(after) and after[:2].islower():
        return True
    return bool(POINT.match(start) or NUMBERED.match(start) or CLOSING.match(after))
