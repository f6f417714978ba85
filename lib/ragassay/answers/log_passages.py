"""The passages of a log as documents, where the documents themselves are not at hand."""

import hashlib
import itertools
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ragassay import provenance
from ragassay.answers.log_import import load_log
from ragassay.documents.folder import language
from ragassay.errors import InputError
from ragassay.tables import is_missing

COLUMNS = ["doc_id", "title", "path", "sha256", "language", "text", "topic"]
LONGEST_TITLE = 80


def passages(
    log: str | Path, *, mapping: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every passage of a log once, each as a document of its own, and the (empty) table of files left out, as
    `documents.load` gives them.

    doc_id is the passage's id in the log, the first of them where one text has several, with #2, #3 where one
    id stands for several texts; a passage without an id is named by its hash. topic is the case's, where all
    cases that it was given to have one and the same.

    Raises
    ------
    InputError
        If the log holds no passage.
    """
    cases, answers = load_log(log, mapping=mapping)
    topics = cases.set_index("case_id")["topic"] if "topic" in cases else pd.Series(dtype=object)
    given = _passages_of_answers(answers)
    if given.empty:
        raise InputError(
            "the log holds no passage", where=log, do="name the folder of documents in 00_scope.documents"
        )
    given["topic"] = given.case_id.map(topics)
    found = (
        given.groupby("doc_id", sort=False)
        .agg(text=("text", "first"), topic=("topic", _common_topic))
        .reset_index()
    )
    rows = [_document(row, provenance.source(log).name) for row in found.itertuples()]
    return pd.DataFrame(rows, columns=COLUMNS), pd.DataFrame(columns=["path", "reason", "do"])


def _passages_of_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """doc_id, text, case_id: one row per passage of each answer; the same text has the same id."""
    rows, names, taken = [], dict[str, str](), set[str]()
    for answer in answers[answers["contexts"].notna()].itertuples():
        ids = () if is_missing(answer.context_ids) else answer.context_ids
        named = ids if len(ids) == len(answer.contexts) else [_name_by_hash(text) for text in answer.contexts]
        for name, text in zip(named, answer.contexts, strict=True):
            if text.strip() and text not in names:
                names[text] = _free(name, taken)
                taken.add(names[text])
            rows += [(names[text], text, answer.case_id)] if text.strip() else []
    return pd.DataFrame(rows, columns=["doc_id", "text", "case_id"])


def _free(name: str, taken: set[str]) -> str:
    """The name, or the first of it with #2, #3 that no other text has."""
    numbered = (f"{name}#{n}" for n in itertools.count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def _name_by_hash(text: str) -> str:
    return "passage-" + hashlib.sha256(text.encode()).hexdigest()[:8]


def _common_topic(topics: pd.Series) -> str | None:
    """The one topic of all, else None."""
    return topics.iloc[0] if topics.nunique(dropna=False) == 1 and isinstance(topics.iloc[0], str) else None


def _document(row, name: str) -> dict:
    title = " ".join(row.text.strip().split("\n")[0].split())[:LONGEST_TITLE]
    digest = hashlib.sha256(row.text.encode()).hexdigest()
    return {
        "doc_id": row.doc_id,
        "title": title,
        "path": name,
        "sha256": digest,
        "language": language(row.text),
        "text": row.text,
        "topic": row.topic,
    }
