"""The bundled bank: its documents state the facts of its database, its questions quote its documents, and it can be copied out."""

import json
import re
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from ragassay import documents, example, provenance
from ragassay.scores import score

HERE = Path(example.__file__).parent
IN_OTHER_WORDS = {("Mainsail Green Loan", "origination"): "no origination fee"}  # a fee of nothing
AS_WORDED = {
    "Bereavement Team Lead": "leads the Bereavement Team",
    "Branch Manager": "Manager",
}  # as the directory words them


@pytest.fixture(scope="module")
def texts():
    loaded, left_out = documents.load(HERE / "documents")
    assert left_out.empty
    return {name: " ".join(text.split()) for name, text in zip(loaded["doc_id"], loaded["text"], strict=True)}


@pytest.fixture(scope="module")
def questions():
    files = sorted((HERE / "questions").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def rows(query):
    connection = sqlite3.connect(":memory:")
    connection.executescript((HERE / "bank.sql").read_text(encoding="utf-8"))
    return connection.execute(query).fetchall()


def stated(texts, pattern, *names):
    """Whether some document holds the pattern and all the names."""
    return any(re.search(pattern, text) and all(name in text for name in names) for text in texts.values())


def amount(value, unit):
    """How a document may write a fee."""
    if unit == "USD":
        return rf"\${value:,.2f}(?!\d)" + (rf"|\${value:,.0f}(?![.,]?\d)" if value == int(value) else "")
    return (
        rf"(?<![\d.])(?:{value:.2f}|{value:g}) ?(?:%|percent)"
        if unit == "percent"
        else rf"\b{value:.0f} days of interest"
    )


@pytest.mark.parametrize(("name", "rate"), rows("SELECT name, rate FROM products WHERE rate IS NOT NULL"))
def test_every_rate_is_stated_beside_its_product(texts, name, rate):
    assert stated(texts, rf"(?<![\d.]){rate:.2f} ?(?:%|percent)", name)


FEES = rows("SELECT p.name, f.name, amount, unit FROM fees f LEFT JOIN products p USING (product_id)")


@pytest.mark.parametrize(("product", "fee", "value", "unit"), FEES)
def test_every_fee_is_stated_beside_its_product(texts, product, fee, value, unit):
    pattern = IN_OTHER_WORDS.get((product, fee)) or amount(value, unit)
    assert stated(texts, pattern, *([product] if product else []))


@pytest.mark.parametrize("branch", rows("SELECT name, street, city, phone FROM branches"))
def test_every_branch_is_stated(texts, branch):
    assert stated(texts, re.escape(branch[0]), *branch)


@pytest.mark.parametrize(
    ("name", "role", "extension"), rows("SELECT name, role, phone_extension FROM employees")
)
def test_every_employee_is_stated_with_role_and_extension(texts, name, role, extension):
    assert name in texts["people-and-contacts"]
    assert stated(texts, extension, name, AS_WORDED.get(role, role))


def test_every_quotation_is_in_its_document(texts, questions):
    quotes = [
        (evidence["doc_id"], evidence["quote"]) for question in questions for evidence in question["evidence"]
    ]
    assert [q for q in quotes if plain(q[1]) not in plain(texts[q[0]])] == []


def test_exactly_the_answerable_questions_have_evidence(questions):
    assert all(bool(question["evidence"]) == question["answerable"] for question in questions)
    assert all((question["answer_type"] == "no_answer") != question["answerable"] for question in questions)


def plain(text):
    """Without the marks of Markdown, which reading takes away."""
    return " ".join(re.sub(r"[*`#|_]|(?m:^- )", " ", text).split())


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
