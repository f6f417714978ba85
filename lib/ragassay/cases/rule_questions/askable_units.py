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
    titles = {row["doc_id"]: _title(row) for row in chunks.drop_duplicates("doc_id").to_dict("records")}
    found = []
    for row in chunks.to_dict("records"):
        title, heading = titles[row["doc_id"]], row.get("heading")
        last = heading.split(" > ")[-1].strip() if isinstance(heading, str) else ""
        named = {"title": title, "heading": "" if last == title else last, "text": str(row["text"])}
        place = {"topic": row.get("topic"), "language": row.get("language") or "en"}
        found.append(Unit(str(row["chunk_id"]), row["doc_id"], **place, **named))
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
    blocks: list[Block] = []
    for (_, _, kind), run in groupby(lines, key=lambda one: (one[1].doc_id, one[1].heading, _kind(one[0]))):
        own = list(run)
        if kind != "text":
            texts, ids = [ITEM.sub("", line) for line, _ in own], [passage.chunk_id for _, passage in own]
            blocks.append(Block(own[0][1], kind == "row", texts, ids))
    return units, blocks


def _kind(line: str) -> str:
    return "row" if " | " in line else "item" if ITEM.match(line) else "text"


def _title(row: dict) -> str:
    heading = row.get("heading")
    for text in (row.get("title"), heading.split(" > ")[0] if isinstance(heading, str) else ""):
        if isinstance(text, str) and text.strip():
            return text.strip().title() if text.isupper() else text.strip()
    return re.sub(r"[-_]+", " ", row["doc_id"]).strip()
