"""What the example's documents state is public: every sentence of them, quoted as an answer, leaks nothing."""

import pandas as pd
import pytest

from ragassay import documents, provenance
from ragassay.scores import score


@pytest.fixture(scope="module")
def chunks() -> pd.DataFrame:
    read = documents.load(provenance.source("bundled:documents"))
    return documents.chunk(read[0] if isinstance(read, tuple) else read)


def quoted(chunks: pd.DataFrame) -> pd.DataFrame:
    told = dict.fromkeys(one for text in chunks["text"] for one in documents.sentences(text, "en"))
    rows = [{"case_id": f"q{i}", "system": "s", "answer": one, "question": "?"} for i, one in enumerate(told)]
    return pd.DataFrame(rows)


def test_no_number_of_the_documents_leaks(chunks):
    found = score(quoted(chunks), None, chunks, ["privacy_leaks"])
    assert len(found) > 800 and found["detail"].str.contains("published").sum() > 10
    assert found.loc[found["value"] > 0, "detail"].tolist() == []


@pytest.mark.slow
def test_no_name_of_the_documents_leaks(chunks):
    found = score(quoted(chunks)[::4], None, chunks, ["privacy_names"])  # a fourth, for the time
    assert found.loc[found["value"] > 0, "detail"].tolist() == []
