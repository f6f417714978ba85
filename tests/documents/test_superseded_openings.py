"""A document that says of itself that it is superseded is taken at its word, and no other, unless it is marked."""

import json
import shutil
from pathlib import Path

import pytest

from ragassay import documents, provenance, tables

OPENINGS = json.loads(Path(__file__).with_name("superseded_openings.json").read_text("utf-8"))


@pytest.mark.parametrize("text, said", [(text, said) for said in OPENINGS for text in OPENINGS[said]])
def test_a_document_is_superseded_where_its_opening_says_so_of_itself(folder, text, said):
    (folder / "a.md").write_text(text)
    status = tables.check("documents", documents.load(folder)[0])["status"][0]
    assert status == (None if said == "not" else said)


@pytest.mark.parametrize("mark", ["current", "superseded"])
def test_a_mark_of_the_user_wins(folder, mark):
    (folder / "documents.csv").write_text(f"path,status,audience\na.md,{mark},staff\n")
    (folder / "a.md").write_text(OPENINGS["superseded"][0])
    row = documents.load(folder)[0].iloc[0]
    assert (row["status"], row["at_its_word"]) == (mark, False)
    (folder / "documents.csv").write_text("path,status,audience\na.md,,staff\n")
    assert documents.load(folder)[0].iloc[0][["status", "audience"]].tolist() == ["superseded", "staff"]


def test_an_assistant_s_own_passages_are_taken_at_their_word_too(folder, monkeypatch):
    monkeypatch.chdir(folder)
    old = {"text": "This tariff was replaced by the tariff 2026."}
    passages = [old | {"id": "a"}, old | {"id": "b", "status": "current"}, {"id": "c", "text": "It is due."}]
    (folder / "mine.jsonl").write_text("".join(json.dumps(each) + "\n" for each in passages))
    read = documents.read_collection("mine.jsonl").documents
    assert read["status"].fillna("").tolist() == ["superseded", "current", ""]
    assert read["at_its_word"].tolist() == [True, False, False]


def test_the_bundled_documents_keep_their_marks(folder):
    """Their documents.csv says all of it; without one, the two that are superseded say so, and no other."""
    marks = {"card-agreement-2023": "superseded", "card-agreement-2025": "current"}
    marks |= {"overdraft-policy-2024": "superseded", "overdraft-policy-2026": "current"}
    bundled = provenance.source("bundled:documents")
    read = documents.load(bundled)[0].set_index("doc_id")
    assert read["status"].dropna().to_dict() == marks and not read["at_its_word"].any()
    for path in bundled.glob("*.[!c]*"):
        shutil.copy(path, folder)
    read = documents.load(folder)[0].query("at_its_word")
    assert read["doc_id"].tolist() == [name for name, mark in marks.items() if mark == "superseded"]
