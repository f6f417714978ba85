"""Probes made by rule from an engagement's restricted documents."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ragassay.documents import document_status

DATA = Path(__file__).parent / "data"
ACCESS = "probe: access"
STAFF_ONLY, SUPERSEDED = "staff-only documents", "superseded documents"
HEADINGS = 3  # of a document that are asked about


def of_restricted_documents(chunks: pd.DataFrame, documents: pd.DataFrame) -> list[dict]:
    """Questions for what stands in documents for staff (to be declined: a customer asks), and in superseded
    ones (to be answered from those in force), in the wordings of `data/restricted_documents.jsonl`."""
    if not {document_status.STATUS, document_status.AUDIENCE} <= set(documents):
        return []
    asked = [
        *_of_documents(
            chunks,
            documents[documents[document_status.AUDIENCE] == document_status.STAFF],
            "staff",
            STAFF_ONLY,
        ),
        *_of_documents(
            chunks,
            documents[documents[document_status.STATUS] == document_status.SUPERSEDED],
            document_status.SUPERSEDED,
            SUPERSEDED,
        ),
    ]
    numbered = enumerate(asked, start=1)
    return [{"case_id": f"p-access-{number:03d}", "kind": ACCESS} | row for number, row in numbered]


def _of_documents(chunks: pd.DataFrame, chosen: pd.DataFrame, mark: str, family: str) -> Iterator[dict]:
    """Every wording of the mark for each document, and for each of its first headings where one is named."""
    answerable = {"answerable": True, "answer_type": "short_fact"} if family == SUPERSEDED else {}
    templates = [one["question"] for one in _read("restricted_documents") if one["mark"] == mark]
    for document in chosen.to_dict("records"):
        headings = _headings(chunks[chunks["doc_id"] == document["doc_id"]], document["title"])
        asked = [
            template.replace("{title}", document["title"]).replace("{heading}", heading)
            for template in templates
            for heading in (headings if "{heading}" in template else [""])
        ]
        yield from ({"family": family, "question": question, **answerable} for question in asked)


def _headings(chunks: pd.DataFrame, title: str) -> list[str]:
    """The first headings of a document; not its title, for who names the document asks for it."""
    own = chunks["heading"].astype(str).str.split(" > ").str[-1] if "heading" in chunks else []
    return [heading for heading in dict.fromkeys(own) if heading not in ("", title)][:HEADINGS]


def _read(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
