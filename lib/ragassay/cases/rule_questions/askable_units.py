"""What a question can be asked about: sentences, table rows and steps, each with its passage,
title and heading."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from ragassay.documents import sentences

STEP = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*•–])\s+(?=\S)")


class Unit(NamedTuple):
    """A sentence in its place. `before` is the sentence in front of it in the same paragraph,
    "" if there is none."""

    chunk_id: str
    doc_id: str
    topic: str | None
    language: str
    title: str
    heading: str
    text: str
    before: str = ""


class Block(NamedTuple):
    """Lines that belong together (table rows, or numbered steps) under one heading,
    with the passage of each."""

    kind: str
    doc_id: str
    topic: str | None
    language: str
    title: str
    heading: str
    lines: list[str]
    chunk_ids: list[str]


def titles(chunks: pd.DataFrame) -> dict[str, str]:
    """A title per document: the column `title`, else the first heading of its first passage,
    else its name in words."""
    first = chunks.drop_duplicates("doc_id")
    return {row["doc_id"]: _title(row) for row in first.to_dict("records")}


def read(chunks: pd.DataFrame) -> tuple[list[Unit], list[Block]]:
    """Sentences of running text, and blocks of table rows and steps, in the order of the passages."""
    unfinished = ""
    units: list[Unit] = []
    blocks: list[Block] = []
    for row, where in zip(chunks.to_dict("records"), place(chunks), strict=True):
        runs = list(_runs(row["text"]))
        for i, (kind, lines) in enumerate(runs):
            if kind in ("text", "step"):
                parts = [lines] if kind == "text" else [[line] for line in lines]
                units += [unit for part in parts for unit in _units(row["chunk_id"], where, part)]
            if kind != "text":
                block = Block(
                    kind,
                    **where,
                    lines=[STEP.sub("", line).strip() for line in lines],
                    chunk_ids=[row["chunk_id"]] * len(lines),
                )
                goes_on = i == 0 and bool(blocks) and blocks[-1].chunk_ids[-1] == unfinished
                _add(blocks, block, goes_on)
        unfinished = row["chunk_id"] if runs and runs[-1][0] != "text" else ""
    return units, blocks


def place(chunks: pd.DataFrame) -> list[dict]:
    """Where each passage stands: doc_id, topic, language, title and heading, as a unit wants them."""
    title = titles(chunks)
    return [
        {
            "doc_id": row["doc_id"],
            "topic": row.get("topic"),
            "language": row.get("language") or "en",
            "title": title[row["doc_id"]],
            "heading": _heading(row, title[row["doc_id"]]),
        }
        for row in chunks.to_dict("records")
    ]


def _title(row: dict) -> str:
    given, heading = row.get("title"), row.get("heading")
    for text in (given, heading.split(" > ")[0] if isinstance(heading, str) else ""):
        if isinstance(text, str) and text.strip():
            return _titled(text.strip()) if text.isupper() else text.strip()
    return re.sub(r"[-_]+", " ", row["doc_id"]).strip()


def _titled(text: str) -> str:
    return re.sub(
        r"(?<=[\w,] )(?:And|Or|Of|For|The|To|In|On|At|A|An|By|With|From)\b",
        lambda word: word.group().lower(),
        text.title(),
    )


def _heading(row: dict, title: str) -> str:
    heading = row.get("heading")
    last = heading.split(" > ")[-1].strip() if isinstance(heading, str) else ""
    return "" if last == title else last


def _runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Neighbouring lines of one kind: text (paragraph by paragraph), row (of a table),
    step (or item of a list)."""
    kind = ""
    run: list[str] = []
    for line in [*text.split("\n"), ""]:
        now = "row" if " | " in line else "step" if STEP.match(line) else "text" if line.strip() else ""
        if run and now != kind:
            yield kind, run
            run = []
        kind = now
        run += [line] if now else []


def _units(chunk_id: str, where: dict, lines: list[str]) -> list[Unit]:
    found = sentences("\n".join(lines), where["language"])
    return [
        Unit(chunk_id, **where, text=STEP.sub("", text), before=before)
        for before, text in zip(["", *found], found, strict=False)
    ]


def _add(blocks: list[Block], block: Block, goes_on: bool) -> None:
    """The block on its own, or as the end of the last one, which the chunker cut in two."""
    last = blocks[-1] if blocks else None
    if (
        last
        and goes_on
        and (last.kind, last.doc_id, last.heading) == (block.kind, block.doc_id, block.heading)
    ):
        last.lines.extend(block.lines)
        last.chunk_ids.extend(block.chunk_ids)
    else:
        blocks.append(block)


class Candidate(NamedTuple):
    """A question as it stands before the document is named in it, its answer and its passages.

    answer   : the sentence, or the steps, that answer it
    key_fact : the part of the answer that matters ("$6.00"); for yes/no questions "yes" or "no"
    family   : which pattern made it
    placed   : whether the document is named where it must be; else `context.place` sees to it
    choices  : of a multiple-choice question, what may be chosen
    """

    question: str
    answer: str
    key_fact: str
    answer_type: str
    query_type: str
    family: str
    chunk_ids: tuple[str, ...]
    source: Unit | Block
    placed: bool = False
    choices: tuple[str, ...] = ()

    def told(self) -> str:
        """What a reader must find to have found the answer:
        the sentence itself where the answer is a yes, a no, worked out from it, or listed below it."""
        worked_out = self.query_type in ("yes_no", "inference", "multi_hop") or self.family == "listing"
        return getattr(self.source, "text", self.answer) if worked_out else self.key_fact


def fact_candidate(
    unit: Unit,
    family: str,
    question: str,
    key_fact: str,
    *,
    answer: str = "",
    answer_type: str = "short_fact",
    query_type: str = "factual",
) -> Candidate:
    """A candidate made from one sentence."""
    return Candidate(
        question, answer or unit.text, key_fact, answer_type, query_type, family, (unit.chunk_id,), unit
    )
