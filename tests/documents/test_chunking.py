"""chunk: whole sentences in order, under the limit, under their heading, whatever the text."""

import pandas as pd
import pytest
from document_files import SENTENCE
from hypothesis import given, settings
from hypothesis import strategies as st
from wild_text import ANY

from ragassay import tables
from ragassay.documents import chunk, sentences
from ragassay.documents.text_blocks import Block, assemble, clean
from ragassay.errors import ParameterError


def document(*blocks, doc_id="fees", language="en"):
    """A one-row documents table."""
    text, headings = assemble([Block(kind, text) for kind, text in blocks])
    return pd.DataFrame([{"doc_id": doc_id, "text": text, "language": language, "headings": headings}])


def visible(text):
    return "".join(clean(text).split())


def test_by_hand():
    chunks = chunk(
        document(("heading", "Fees"), ("text", SENTENCE * 20), ("heading", "Limits"), ("text", SENTENCE * 2)),
        max_tokens=100,
    )
    assert chunks["chunk_id"].tolist() == [f"fees#p{i}" for i in range(1, len(chunks) + 1)]
    assert chunks["heading"].tolist() == ["Fees"] * (len(chunks) - 1) + ["Limits"]
    assert chunks["n_sentences"].sum() == 22
    assert chunks["n_tokens"].between(1, 100).all()
    assert set(sentences(chunks.loc[0, "text"])) == {SENTENCE.strip()}
    tables.check("chunks", chunks)


def test_a_tiny_section_carries_its_heading_and_an_empty_one_passes_it_on():
    chunks = chunk(
        document(
            ("heading", "Rules"),
            ("heading", "Fees"),
            ("text", "None."),
            ("heading", "Limits"),
            ("text", SENTENCE),
            ("heading", "End"),
        )
    )
    assert chunks["heading"].tolist() == ["Rules > Fees", "Limits", ""]
    assert chunks["text"].tolist() == ["Fees\nNone.", SENTENCE.strip(), "End"]


def test_a_sentence_too_long_is_cut_at_a_clause_or_a_word():
    clauses = "; ".join(f"the holder of account {n} must keep its records for seven years" for n in range(40))
    chunks = chunk(document(("text", f"All of this applies: {clauses}.")), max_tokens=60)
    assert chunks["n_tokens"].max() <= 60
    assert chunks["text"].str.contains(r"[;.:]$").all()
    words = chunk(document(("text", "word " * 500)), max_tokens=60)
    assert words["n_tokens"].max() <= 60
    assert visible("".join(words["text"])) == "word" * 500


@pytest.mark.parametrize("size", [0, -5, 7])
def test_refuses_a_limit_that_holds_nothing(size):
    with pytest.raises(ParameterError, match=r"in \[8, inf\)"):
        chunk(document(("text", "a")), max_tokens=size)


BLOCKS = st.lists(st.tuples(st.sampled_from(["heading", "text", "item", "row"]), ANY), max_size=6)


@settings(max_examples=200, deadline=None)
@given(blocks=BLOCKS, limit=st.integers(8, 60))
def test_laws(blocks, limit):
    """Never raises; ids unique; under the limit; sentences counted as sentences() counts; all text there, in order."""
    documents = document(*blocks)
    chunks = chunk(documents, max_tokens=limit)
    assert chunks["chunk_id"].is_unique
    assert (chunks["n_tokens"] <= limit).all()
    assert [len(sentences(text)) for text in chunks["text"]] == chunks["n_sentences"].tolist()
    lines = documents.loc[0, "text"].split("\n")
    body = "\n".join(line for i, line in enumerate(lines) if i not in documents.loc[0, "headings"])
    held = iter(visible("".join(chunks["text"])))
    assert all(c in held for c in visible(body))
    told = visible("".join(chunks["heading"]) + "".join(chunks["text"]))
    assert all(visible(lines[i]) in told for i in documents.loc[0, "headings"])
