"""Marks of documents: read from documents.csv, never guessed; what is wrong is refused."""

import pytest

from ragassay import documents, tables
from ragassay.errors import InputError


def test_the_sidecar_says_what_a_document_is_and_is_none(folder):
    (folder / "a.md").write_text("---\nstatus: superseded\n---\n\n# Fees\n\nThe fee is $5.\n")
    (folder / "b.txt").write_text("The fee is $5.")
    (folder / "documents.csv").write_text("path,status,audience\na.md,current,\nb.txt,,Staff only\n")
    read, left_out = documents.load(folder)
    assert read["status"].fillna("").tolist() == ["current", ""]
    assert read["audience"].fillna("").tolist() == ["", "staff"]
    assert left_out.empty and read["doc_id"].tolist() == ["a", "b"]
    tables.check("documents", read)


@pytest.mark.parametrize(
    "row, complaint", [("a.md,supersded,", "status that is not known"), ("z.md,current,", "not there")]
)
def test_a_wrong_sidecar_is_refused(folder, row, complaint):
    (folder / "a.md").write_text("The fee is $5.")
    (folder / "documents.csv").write_text(f"path,status,audience\n{row}\n")
    with pytest.raises(InputError, match=complaint):
        documents.load(folder)
