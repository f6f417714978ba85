"""Documents into passages: whole sentences, packed by the encoder's own tokens, never across a heading."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay import models, parameter_ranges
from ragassay.defaults import MAX_TOKENS
from ragassay.documents.text_blocks import pieces

COLUMNS = ["chunk_id", "doc_id", "text", "n_sentences", "n_tokens", "language", "heading"]


class Piece(NamedTuple):
    """A sentence (or part of one too long), the line it stands on, and its tokens."""

    line: int
    text: str
    tokens: int


def chunk(documents: pd.DataFrame, *, max_tokens: int = MAX_TOKENS) -> pd.DataFrame:
    """Passages of at most `max_tokens` tokens: one row each, in document order, numbered from 1 (`doc#p1`).

    documents : doc_id and text; language and headings (line numbers of headings within text) where known
    max_tokens : 8 or more, else ParameterError; special tokens not counted

    Returns chunk_id, doc_id, text (`sentences(text)` gives its sentences), n_sentences, n_tokens, language,
    heading (nearest headings, outermost first, joined by ` > `; empty where there is none).
    """
    parameter_ranges.check("max_tokens", max_tokens, "in [8, inf)")
    rows = [row for document in documents.to_dict("records") for row in _passages(document, max_tokens)]
    return pd.DataFrame(rows, columns=COLUMNS)


def as_passages(documents: pd.DataFrame) -> pd.DataFrame:
    """Each document as the one passage that it is, as in `chunk`, for texts that somebody has cut already;
    chunk_id is the doc_id where the table has none, a topic is kept."""
    rows = [
        _row(row.get("chunk_id", row["doc_id"]), row["doc_id"], row["language"], "", row["text"], n)
        for row, n in zip(documents.to_dict("records"), _count(documents["text"].tolist()), strict=True)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.assign(topic=documents["topic"].to_numpy()) if "topic" in documents else table


def _count(texts: list[str]) -> list[int]:
    """Tokens of each text; at least one for every 16 characters, so that an endless unknown word (one
    token) counts as long."""
    return [
        max(len(encoding.ids), len(text) // 16)
        for encoding, text in zip(
            models.tokenizer().encode_batch_fast(texts, add_special_tokens=False), texts, strict=True
        )
    ]


def _passages(document: dict, max_tokens: int) -> list[dict]:
    language, headings = document.get("language"), document.get("headings")
    language = language if isinstance(language, str) and language else "en"
    known = [int(i) for i in headings] if isinstance(headings, list | tuple | np.ndarray) else []
    sections = list(_sections(document["text"], known))
    passages = list(_pack_sections(sections, language, max_tokens))
    counts = _count([text for _, text in passages])
    return [
        _row(f"{document['doc_id']}#p{i}", document["doc_id"], language, *passage, n)
        for i, (passage, n) in enumerate(zip(passages, counts, strict=True), start=1)
    ]


def _row(chunk_id: str, doc_id: str, language: str, heading: str, text: str, tokens: int) -> dict:
    return dict(
        zip(
            COLUMNS,
            (chunk_id, doc_id, text, len(pieces(text, language)), tokens, language, heading),
            strict=True,
        )
    )


def _sections(text: str, headings: list[int]) -> Iterator[tuple[str, str]]:
    """(heading, text) pairs; a heading with nothing under it joins the next, or ends the document as text."""
    lines = text.split("\n")
    open_ones: list[str] = []
    for start, end in zip([-1, *headings], [*headings, len(lines)], strict=True):
        open_ones += [lines[start]] if start >= 0 else []
        body = "\n".join(lines[start + 1 : end]).strip()
        if body:  # at most four headings stand above a text, the others in it; a tiny text carries its own
            named, loose = open_ones[-4:], open_ones[:-4]
            loose += named[-1:] if len(body.split()) < 12 else []
            yield " > ".join(named), "\n\n".join([*loose, body])
            open_ones = []
    if open_ones:
        yield "", "\n\n".join(open_ones)


def _pack_sections(sections: list[tuple[str, str]], language: str, limit: int) -> Iterator[tuple[str, str]]:
    """(heading, text) of every passage, in order; within a section of about equal length."""
    split = [pieces(text, language) for _, text in sections]
    counts = iter(_count([piece for whole in split for _, piece in whole]))
    for (heading, _), whole in zip(sections, split, strict=True):
        fitting = [part for line, piece in whole for part in _fit(line, piece, next(counts), language, limit)]
        start, left = 0, sum(piece.tokens for piece in fitting)
        while start < len(fitting):
            # filled up to an equal share of what is left of the section
            end = _end(fitting, start, left / max(1, -(-left // limit)), limit)
            text = fitting[start].text
            for before, piece in pairwise(fitting[start:end]):  # lines as they were
                text += (" " if before.line == piece.line else "\n") + piece.text
            yield heading, text
            left -= sum(piece.tokens for piece in fitting[start:end])
            start = end


def _end(fitting: list[Piece], start: int, share: float, limit: int) -> int:
    """Where the run from `start` ends: with its share filled, or at a line's end with half of it filled."""
    filled, line_end = fitting[start].tokens, 0
    for i in range(start + 1, len(fitting)):
        new_line = fitting[i].line != fitting[i - 1].line
        if filled >= share or filled + fitting[i].tokens > limit:
            return i if new_line else line_end or i
        line_end = i if new_line and filled >= share / 2 else line_end
        filled += fitting[i].tokens
    return len(fitting)


def _fit(line: int, piece: str, tokens: int, language: str, max_tokens: int) -> list[Piece]:
    """The piece itself, or its parts, cut at a clause or word (or character) boundary so that each fits."""
    if tokens <= max_tokens or len(piece) < 2:
        return [Piece(line, piece, tokens)]
    n = len(piece)
    clauses = [m.end() for m in re.finditer(r"(?<=[;:,|])\s", piece) if n // 4 < m.end() < 3 * n // 4]
    ends = clauses or [m.end() for m in re.finditer(r"\s", piece)] or [n // 2]
    cut = min(ends, key=lambda place: abs(place - n // 2))  # nearest the middle
    parts = [part for half in (piece[:cut], piece[cut:]) for _, part in pieces(half.strip(), language)]
    fitting = zip(parts, _count(parts), strict=True)
    return [fit for part, many in fitting for fit in _fit(line, part, many, language, max_tokens)]
