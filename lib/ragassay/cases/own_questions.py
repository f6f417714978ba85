"""The user's own questions: JSONL or CSV into rows of the cases table, evidence quotes into passages, and
the topic of a question."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, Json, ValidationError, model_validator

from ragassay import models
from ragassay.cases import case_table
from ragassay.cases.question_filter import in_force
from ragassay.documents.collection import document_of
from ragassay.documents.record_files import whole_records
from ragassay.errors import InputError, did_you_mean
from ragassay.tables import ANSWER_TYPES, QUERY_TYPES, WHY_NO_ANSWER

ASIDE = ("segment", "history", "passages", "conversation_id", "turn", "language")  # what makes it another one
Quotes = list[dict[str, str | None]]  # where the answer stands: quote, doc_id, or both
REFERENCES = ["case_id", "where", "doc_id", "quote", "passages", "reason"]
ENOUGH = 0.6  # share of a quote's words that a passage must hold to be taken for its source
MARKUP = re.compile(r"\[([^\]]{0,300})\]\([^)]{0,600}\)|[*_`#|]+|^[^\S\n]*(?:[-+]|\d+\.)\s+", re.MULTILINE)
SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def read_cases(
    path: str | Path, chunks: pd.DataFrame, *, encode: Callable = models.encode
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The questions of a .jsonl or .csv file, or of all such files in a folder, and what they name as holding
    the answer.

    Only `question` is needed. Defaults: case_id "u-" and 8 hex digits of the question's SHA-256; answerable
    unless answer_type is no_answer; answer_type short_fact; query_type factual; language and topic
    those of the first passage referred to, else "en" and the nearest topic. The references become
    reference_chunk_ids, see `find_references`.

    Returns
    -------
    cases : rows of the cases table, further columns of the input kept
    references : a row for each that was named: case_id, where, doc_id, quote, passages, reason ("" if found)

    Raises
    ------
    InputError
        No file, no question, broken JSON, an unknown type, a question asked twice; with file and line.
    """
    cases, references = [], []
    seen: dict[object, str] = {}
    known, always = OwnQuestion.model_fields, {"kind", "query_type", "evidence", "reference_chunk_ids"}
    for where, record in read_records(path):
        record = {"reference_chunk_ids": record.get("evidence_document")} | record  # its other name
        filled = {name: each for name, each in record.items() if name not in known or each not in (None, "")}
        try:
            read = OwnQuestion.model_validate(filled)
        except ValidationError as problem:
            first = problem.errors()[0]
            raise InputError(
                f"the column {first['loc'][0]} cannot be read" if first["loc"] else "the columns disagree",
                where=where,
                found=str(first["input"])[:200],
                expected=first["msg"],
                do="correct it, or rename the column if it means something else (docs/own-data.md)",
            ) from None
        case = {"language": None} | read.model_dump(exclude_unset=True) | read.model_dump(include=always)
        letters = "".join(letter for letter in case["question"].casefold() if letter.isalnum())
        asked = (letters or case["question"], *(repr(case.get(name)) for name in ASIDE))
        for mark in (case["case_id"], asked):  # the same question whatever its capitals, marks and spaces
            if mark in seen:
                raise InputError(
                    "a case is there twice",
                    where=f"{seen[mark]}; {where}",
                    found=case["question"],
                    do="remove one of them; repeats are asked by the kit itself",
                )
            seen[mark] = where
        rows = find_references(case, chunks, encode)
        del case["evidence"]
        case["reference_chunk_ids"] = list(dict.fromkeys(name for row in rows for name in row["passages"]))
        cases.append(case)
        references += [{"case_id": case["case_id"], "where": where} | row for row in rows]
    table = fill_topics(case_table.cases_frame(cases, extra=None), chunks, encode)
    return table, pd.DataFrame(references, columns=REFERENCES)


def read_records(path: str | Path) -> list[tuple[str, dict]]:
    """Where each question of a file or folder stands, and its row as it stands there, of a CSV without empty
    cells; InputError for no file, no question, a row without one, a line that cannot be read."""
    place = Path(path)
    inside = sorted(file for file in place.glob("[!.]*") if file.suffix in (".jsonl", ".csv"))
    files = [place] if place.is_file() else inside
    records = [
        (row.where, {name: value for name, value in row.values.items() if file.suffix != ".csv" or value})
        for file in files
        for row in whole_records(file)
    ]
    if not records:
        raise InputError(
            "there are no questions",
            where=path,
            found="0 rows" if files else "nothing there",
            do="name a .jsonl or .csv file, or a folder of them",
        )
    for where, record in records:
        if not isinstance(record.get("question"), str) or not record["question"].strip():
            raise InputError(
                "a row has no question",
                where=where,
                found=f"columns {sorted(map(str, record))}",
                do="add the column `question`, or rename yours",
            )
    return records


def _split_ids(value: Any) -> Any:
    """A list of ids, which a CSV holds with commas or semicolons between them."""
    if not isinstance(value, str):
        return value
    parts = re.split("[,;]", value.strip("[] ").replace('"', ""))
    return [part.strip() for part in parts if part.strip()]


class OwnQuestion(BaseModel):
    """A row of the user's, its columns read; further columns are kept."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)
    question: str
    case_id: str = ""
    answerable: bool | None = None
    answer_type: Literal[ANSWER_TYPES] | None = None  # type: ignore[valid-type]
    query_type: Literal[QUERY_TYPES] = "factual"  # type: ignore[valid-type]
    why_no_answer: Literal[WHY_NO_ANSWER] | None = None  # type: ignore[valid-type]
    evidence: Quotes | Json[Quotes] = []  # which a CSV holds as JSON
    reference_chunk_ids: Annotated[list[str], BeforeValidator(_split_ids)] = []
    turn: float | None = None
    history: list[str] | Json[list[str]] | None = None
    passages: list[str] | Json[list[str]] | None = None
    passage_ids: list[str] | Json[list[str]] | None = None
    kind: str = "own"

    @model_validator(mode="after")
    def _fill(self) -> "OwnQuestion":
        self.question = " ".join(self.question.split())
        self.case_id = self.case_id or "u-" + hashlib.sha256(self.question.encode()).hexdigest()[:8]
        if self.answerable is None:
            self.answerable = self.answer_type != "no_answer"
        self.answer_type = self.answer_type or ("short_fact" if self.answerable else "no_answer")
        if self.answerable == (self.answer_type == "no_answer") or (self.answerable and self.why_no_answer):
            raise ValueError("answerable contradicts answer_type or why_no_answer")
        return self


def find_references(case: dict[str, Any], chunks: pd.DataFrame, encode: Callable) -> list[dict]:
    """Where the answer to a question stands, a row for each reference of its reference_chunk_ids (ids of
    passages, ids or file names of documents) and its evidence: doc_id, quote, passages (none where it was not
    found) and reason (why not).

    A quote is looked for in its document, or in all that are in force where none of that name is there. A
    document without a quote stands for its passage nearest to question and reference answer.
    """
    known, documents = set(chunks["chunk_id"]), set(chunks["doc_id"])
    pairs = [(name, "") for name in case["reference_chunk_ids"]]
    pairs += [(one.get("doc_id") or "", one.get("quote") or "") for one in case["evidence"]]
    rows = []
    for name, quote in pairs:
        is_lost = name.rpartition("#")[0] in documents  # a passage that its document does not have
        inside = chunks[chunks["doc_id"] == (name if is_lost else document_of(name, documents))]
        reason = ""
        if quote:
            passages, reason = find_quote(quote, in_force(chunks) if inside.empty else inside)
        elif name in known:
            passages = [name]
        elif inside.empty:
            do = did_you_mean(name, sorted({*known, *chunks["doc_id"]}), "name one that is there")
            passages, reason = [], f"there is no passage or document {name!r}; {do}"
        else:
            asked = f"{case['question']} {case.get('reference_answer') or ''}".strip()
            nearest = (encode(inside["text"].tolist()) @ encode([asked])[0]).argmax()
            passages = [inside["chunk_id"].iloc[int(nearest)]]
        rows.append({"doc_id": name, "quote": quote, "passages": passages, "reason": reason})
    return rows


def find_quote(quote: str, inside: pd.DataFrame) -> tuple[list[str], str]:
    """The passages that hold one quote, and "" ; or none, and the reason.

    It is looked for with white space collapsed and markup stripped: in one passage, then across two
    neighbours (both are returned), then by words: the passage that holds most of them, if 60 % or more.
    """
    names, wanted = inside["chunk_id"].tolist(), _normalize(quote)
    texts = [_normalize(text) for text in inside["text"]]
    if not wanted or not names:
        return [], "the quote is empty, or there are no passages"
    for size in (1, 2):
        for i in range(len(texts) - size + 1):
            if wanted in " ".join(texts[i : i + size]):
                return names[i : i + size], ""
    words = Counter(re.findall(r"\w+", wanted))
    held = [(words & Counter(re.findall(r"\w+", text))).total() / max(1, words.total()) for text in texts]
    best = int(np.argmax(held))
    if held[best] >= ENOUGH:
        return [names[best]], ""
    return [], f"no passage holds it; the nearest has {held[best]:.0%} of its words"


def _normalize(text: str) -> str:
    """Lower case, markup stripped, quotes and dashes made alike, white space collapsed."""
    plain = MARKUP.sub(lambda match: f" {match.group(1) or ''} ", text.translate(SAME))
    return " ".join(plain.casefold().split())


def fill_topics(cases: pd.DataFrame, chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """Topic and language, where absent, from the first passage referred to;
    the topic else from the nearest topic."""
    known = chunks.set_index("chunk_id")
    first = cases["reference_chunk_ids"].map(
        lambda ids: next((name for name in ids if name in known.index), None)
    )
    spoken = first.map(known["language"]) if "language" in chunks else first.map({})
    cases["language"] = cases["language"].replace("", None).combine_first(spoken).fillna("en")
    if "topic" in chunks:
        topics = cases["topic"].replace("", None).astype(object).combine_first(first.map(known["topic"]))
        lone = topics.isna()
        if lone.any():  # the topic whose mean vector is nearest
            vectors = pd.DataFrame(encode(chunks["text"].tolist()))
            means = vectors.groupby(chunks["topic"].to_numpy()).mean()
            near = encode(cases.loc[lone, "question"].tolist()) @ means.to_numpy().T
            topics[lone] = means.index[near.argmax(axis=1)]
        cases["topic"] = topics
    return cases
