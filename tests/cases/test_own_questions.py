"""The user's questions: defaults, both formats, folders, topics, and every kind of broken input."""

import hashlib
import json

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases.own_questions import find_quote, read_cases
from ragassay.errors import InputError

CHUNKS = pd.DataFrame(
    [
        ("fees#p1", "fees", "The monthly fee is six dollars.", "en", "T01"),
        ("cards#p1", "cards", "A lost card must be reported at once.", "pt", "T02"),
    ],
    columns=["chunk_id", "doc_id", "text", "language", "topic"],
)


@pytest.fixture
def read(tmp_path, encode):
    """Cases and lost evidence of a file with these lines; a dict stands for its JSON."""

    def of(*lines, name="mine.jsonl", path=None):
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read_cases(path or tmp_path / name, CHUNKS, encode=encode)

    return of


def test_a_question_is_enough(read):
    cases, named = read({"question": "What is the  monthly fee?"})
    row = tables.check("cases", cases).iloc[0]
    name = "u-" + hashlib.sha256(b"What is the monthly fee?").hexdigest()[:8]
    expected = {"case_id": name, "group_id": name, "answer_type": "short_fact", "query_type": "factual"}
    expected |= {"kind": "own", "answerable": True, "topic": "T01"}
    assert {name: row[name] for name in expected} == expected and not len(named)


def test_evidence_gives_passages_topic_and_language(read):
    quote = {"doc_id": "cards", "quote": "A lost card must be reported"}
    row = read({"question": "Lost card?", "evidence": [quote], "persona": "teller"})[0].iloc[0]
    expected = {"reference_chunk_ids": ["cards#p1"], "topic": "T02", "language": "pt", "persona": "teller"}
    assert {name: row[name] for name in expected} == expected


def test_csv_and_a_folder(read, tmp_path):
    read({"question": "First?"}, name="a.jsonl")
    lines = (
        "question,answerable,answer_type,reference_chunk_ids",
        '"Fee?",yes,,fees#p1;cards#p1',
        "Moon?,no,no_answer,",
    )
    cases, _ = read(*lines, name="b.csv", path=tmp_path)
    assert cases["question"].tolist() == ["First?", "Fee?", "Moon?"]
    assert cases["answerable"].tolist() == [True, True, False]
    assert cases["reference_chunk_ids"].tolist() == [[], ["fees#p1", "cards#p1"], []]


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.csv"])
def test_what_a_question_is_asked_with(read, tmp_path, encode, name):
    asked_with = {"conversation_id": "x", "turn": 2, "history": ["a", "b"]}
    asked_with |= {"passages": ["p"], "passage_ids": ["i"]}
    row = {"question": "What is the monthly fee?"} | asked_with
    if name.endswith("csv"):
        cells = {key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()}
        pd.DataFrame([cells]).to_csv(tmp_path / name, index=False)
        found, _ = read_cases(tmp_path / name, CHUNKS, encode=encode)
    else:
        found, _ = read(row)
    assert {key: tables.check("cases", found).iloc[0][key] for key in asked_with} == asked_with


@pytest.mark.parametrize(("lines", "culprit"), [
    ([], "no questions"),
    (["{broken"], "line 1"),
    (["[1, 2]"], "one JSON object"),
    ([{"question": "A?", "answer_type": "shortfact"}], "(?s)answer_type.*short_fact"),
    ([{"question": "A?", "answerable": False, "answer_type": "short_fact"}], "contradict"),
    ([{"question": "A?", "answerable": True, "why_no_answer": "own account"}], "contradicts"),
    ([{"question": "A?", "answerable": False, "why_no_answer": "own"}], "(?s)why_no_answer.*own account"),
    ([{"question": "A?", "turn": "second"}], "column turn"),
    ([{"question": "A?", "history": [{"role": "user", "content": "hello"}]}], "column history"),
    ([{"question": "What is A?"}, {"question": "what  is A ??!"}], "line 1; mine.jsonl, line 2"),
    ([{"question": "A?", "case_id": 7}, {"question": "B?", "case_id": "7"}], "line 1; mine.jsonl, line 2"),
])  # fmt: skip
def test_refuses_and_names_the_culprit(read, lines, culprit):
    with pytest.raises(InputError, match=culprit):
        read(*lines)


def test_refuses_a_missing_file_and_other_encodings(read, tmp_path, encode):
    with pytest.raises(InputError, match="nothing there"):
        read_cases(tmp_path / "none.jsonl", CHUNKS, encode=encode)
    (tmp_path / "latin.jsonl").write_bytes('{"question": "¿Cuánto?"}'.encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_cases(tmp_path / "latin.jsonl", CHUNKS, encode=encode)


PASSAGES = pd.DataFrame(
    [
        ("fees#p1", "fees", "The monthly fee is $6.00. It is taken on the\nfirst business day."),
        ("fees#p2", "fees", "Wire, outgoing | $22.00 | $12.00"),
        ("fees#p3", "fees", "The fee is waived when the balance"),
        ("fees#p4", "fees", "is $750 or more in the month."),
        ("cards#p1", "cards", "Report a lost card within two days of noticing the loss."),
    ],
    columns=["chunk_id", "doc_id", "text"],
)


@pytest.mark.parametrize("quote, expected", [
    ("The monthly fee is $6.00.", ["fees#p1"]),
    ("the **first   business** day", ["fees#p1"]),
    ("| Wire, outgoing | $22.00 | $12.00 |", ["fees#p2"]),
    ("waived when the balance is $750 or more", ["fees#p3", "fees#p4"]),
    ("It’s taken monthly: the monthly fee is $6.00, on the first business day", ["fees#p1"]),
])  # fmt: skip
def test_found(quote, expected):
    assert find_quote(quote, PASSAGES[:4]) == (expected, "")


ASKED = {"question": "How soon is a lost card reported?", "reference_answer": "Within two days."}
FEE = {"question": "What is the monthly fee?"}


@pytest.mark.parametrize(("row", "passages", "lost"), [
    (ASKED | {"reference_chunk_ids": ["cards#p1", "fees#p9"]}, ["cards#p1"], ["fees#p9"]),
    (ASKED | {"reference_chunk_ids": ["cards"]}, ["cards#p1"], []),
    (ASKED | {"evidence_document": "cards.md"}, ["cards#p1"], []),
    (FEE | {"reference_chunk_ids": ["fees.md"]}, ["fees#p1"], []),
    (FEE | {"reference_chunk_ids": ["fees"], "reference_answer": "Nothing where it is $750 or more in the month: $750."}, ["fees#p4"], []),
    (FEE | {"evidence": [{"doc_id": "fees", "quote": "The monthly fee is $6.00"}]}, ["fees#p1"], []),
    (FEE | {"evidence": [{"doc_id": "Tariff 2026", "quote": "The monthly fee is $6.00"}]}, ["fees#p1"], []),
    (FEE | {"evidence": [{"doc_id": "fees", "quote": "entirely different words here"}]}, [], ["fees"]),
])  # fmt: skip
def test_references_are_passages_documents_or_quotes(tmp_path, encode, row, passages, lost):
    (tmp_path / "mine.jsonl").write_text(json.dumps(row), encoding="utf-8")
    cases, named = read_cases(tmp_path / "mine.jsonl", PASSAGES, encode=encode)
    assert cases["reference_chunk_ids"].tolist() == [passages]
    assert named.loc[named["reason"] != "", "doc_id"].tolist() == lost
    assert named["passages"].sum() == passages


def test_a_quote_without_a_document_is_one_of_a_document_in_force(tmp_path, encode):
    twice = pd.concat([PASSAGES[:1].assign(chunk_id="old#p1", doc_id="old"), PASSAGES], ignore_index=True)
    marked = twice.assign(status=["superseded", *[None] * len(PASSAGES)])
    row = FEE | {"evidence": [{"quote": "The monthly fee is $6.00"}]}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row))
    cases, _ = read_cases(tmp_path / "mine.jsonl", marked, encode=encode)
    assert cases["reference_chunk_ids"].item() == ["fees#p1"]
