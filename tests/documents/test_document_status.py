"""Marks of documents: read from front matter and documents.csv, never guessed; what is wrong is refused."""

import pandas as pd
import pytest

from ragassay import documents, tables
from ragassay.documents import document_status
from ragassay.errors import InputError

FRONT = '---\ntitle: Fees\nstatus: Superseded\naudience: "internal"\n---\n\n# Fees\n\nThe fee is $5.\n'


def test_front_matter_says_what_a_document_is(folder):
    (folder / "a.md").write_text(FRONT)
    (folder / "b.md").write_text("# Fees\n\nstatus: superseded\n")
    read, left_out = documents.load(folder)
    assert read[["status", "audience"]].values.tolist()[0] == ["superseded", "staff"]
    assert read.loc[1, ["status", "audience"]].isna().all() and left_out.empty
    tables.check("documents", read)


def test_the_sidecar_overrides_front_matter_and_is_no_document(folder):
    (folder / "a.md").write_text(FRONT)
    (folder / "b.txt").write_text("The fee is $5.")
    (folder / "documents.csv").write_text("path,status,audience\na.md,current,\nb.txt,,Staff only\n")
    read, left_out = documents.load(folder)
    assert read["status"].tolist()[0] == "current" and read["audience"].tolist() == ["staff", "staff"]
    assert left_out.empty and read["doc_id"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "row, complaint", [("a.md,supersded,", "status that is not known"), ("z.md,current,", "not there")]
)
def test_a_wrong_sidecar_is_refused(folder, row, complaint):
    (folder / "a.md").write_text("The fee is $5.")
    (folder / "documents.csv").write_text(f"path,status,audience\n{row}\n")
    with pytest.raises(InputError, match=complaint):
        documents.load(folder)


def test_passages_take_the_marks_of_their_documents():
    chunks = pd.DataFrame({"chunk_id": ["a#p1", "b#p1"], "doc_id": ["a", "b"]})
    read = pd.DataFrame({"doc_id": ["a"], "status": ["superseded"], "audience": [None]})
    marked = document_status.with_marks(chunks, read)
    assert marked.loc[0, "status"] == "superseded" and marked[["status", "audience"]].isna().sum().sum() == 3
    unmarked = document_status.with_marks(chunks, read[["doc_id"]])
    assert unmarked[["status", "audience"]].isna().all().all()
