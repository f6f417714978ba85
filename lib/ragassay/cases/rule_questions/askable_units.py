"""What a question can be asked about: sentences, lists and table rows, each with its passage, title and
heading; and Candidate, a question made of one."""

import re
from itertools import groupby
from typing import NamedTuple

import pandas as pd

from ragassay.documents import sentences

ITEM = re.compile(r"^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|[-*•–−▪◦])\s+(?=\S)")

FOOTNOTE = re.compile(r"^\d{1,3} (?=[A-Z][\w-]* )")  # its number


class Unit(NamedTuple):
    """A sentence in its place."""

    chunk_id: str
    doc_id: str
    topic: str | None
    language: str
    title: str
    heading: str
    text: str


class Block(NamedTuple):
    """Lines that belong together under one heading, with the passage of each, and the first of these: rows of
    a table, or items of a list without their marks."""

    source: Unit
    is_table: bool
    lines: list[str]
    chunk_ids: list[str]


class Candidate(NamedTuple):
    """A question, its answer and its passages.

    answer   : the sentence, or the steps, that answer it
    key_fact : the part of the answer that matters ("$6.00"); for yes/no questions "yes" or "no"
    family   : which pattern made it
    choices  : of a multiple-choice question, what may be chosen
    """

    question: str
    answer: str
    key_fact: str
    answer_type: str
    query_type: str
    family: str
    chunk_ids: tuple[str, ...]
    source: Unit
    choices: tuple[str, ...] = ()


def passages(chunks: pd.DataFrame) -> list[Unit]:
    """The passages, each in its place. The title is that of the column, else the first heading of the
    document, else its name in words."""
    titles: dict[str, str] = {}
    found = []
    for row in chunks.to_dict("records"):
        doc_id, heading = row["doc_id"], row["heading"] if isinstance(row.get("heading"), str) else ""
        if doc_id not in titles:
            given = row["title"].strip() if isinstance(row.get("title"), str) else ""
            title = given or heading.split(" > ")[0].strip()
            spoken = title.title() if title.isupper() else title
            titles[doc_id] = spoken or re.sub(r"[-_]+", " ", doc_id).strip()
        title, last = titles[doc_id], heading.split(" > ")[-1].strip()
        named = {"title": title, "heading": "" if last == title else last, "text": str(row["text"])}
        place = {"topic": row.get("topic"), "language": row.get("language") or "en"}
        found.append(Unit(str(row["chunk_id"]), doc_id, **place, **named))
    return found


def read(chunks: pd.DataFrame) -> tuple[list[Unit], list[Block]]:
    """Sentences of running text and of list items, and blocks of rows and items, in the order of the
    passages; a block that the chunker cut in two is one."""
    units: list[Unit] = []
    lines: list[tuple[str, Unit]] = []
    for passage in passages(chunks):
        said = [text for text in sentences(passage.text, passage.language) if " | " not in text]
        units += [passage._replace(text=FOOTNOTE.sub("", ITEM.sub("", text))) for text in said]
        lines += [(line.strip(), passage) for line in passage.text.split("\n") if line.strip()]

    def kind_of(one: tuple[str, Unit]) -> tuple[str, str, str]:
        line, passage = one
        return passage.doc_id, passage.heading, "row" if " | " in line else "item" if ITEM.match(line) else ""

    blocks: list[Block] = []
    for (_, _, kind), run in groupby(lines, key=kind_of):
        own = list(run)
        if kind:
            texts, ids = [ITEM.sub("", line) for line, _ in own], [passage.chunk_id for _, passage in own]
            blocks.append(Block(own[0][1], kind == "row", texts, ids))
    return units, blocks
