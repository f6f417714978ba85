"""The user's questions: defaults, both formats, folders, topics, and every kind of broken input."""

import hashlib
import json

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases.own_questions import read_cases, refuse_repeats
from ragassay.errors import InputError

CHUNKS = pd.DataFrame(
    [
        ("fees#p1", "fees", "The monthly fee is six dollars.", "en", "T01"),
        ("cards#p1", "cards", "A lost card must be reported at once.", "pt", "T02"),
    ],
    columns=["chunk_id", "doc_id", "text", "language", "topic"],
)


def written(folder, *lines, name="mine.jsonl"):
    path = folder / name
    path.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8"
    )
    return path


def test_a_question_is_enough(tmp_path, encode):
    cases, lost = read_cases(
        written(tmp_path, {"question": "What is the  monthly fee?"}), CHUNKS, encode=encode
    )
    row = tables.check("cases", cases).iloc[0]
    assert (
        row["case_id"]
        == "u-" + hashlib.sha256(b"What is the monthly fee?").hexdigest()[:8]
        == row["group_id"]
    )
    assert (row["answer_type"], row["query_type"], row["kind"], row["answerable"], row["topic"]) == (
        "short_fact",
        "factual",
        "own",
        True,
        "T01",
    )
    assert not len(lost)


def test_evidence_gives_passages_topic_and_language(tmp_path, encode):
    line = {
        "question": "Lost card?",
        "evidence": [{"doc_id": "cards", "quote": "A lost card must be reported"}],
        "persona": "teller",
    }
    row = read_cases(written(tmp_path, line), CHUNKS, encode=encode)[0].iloc[0]
    assert (row["reference_chunk_ids"], row["topic"], row["language"], row["persona"]) == (
        ["cards#p1"],
        "T02",
        "pt",
        "teller",
    )


def test_evidence_that_is_not_there_is_listed_with_its_line(tmp_path, encode):
    line = {
        "question": "Lost card?",
        "evidence": [{"doc_id": "cards", "quote": "never written anywhere at all"}],
    }
    _, lost = read_cases(written(tmp_path, {"question": "A?"}, line), CHUNKS, encode=encode)
    assert lost["where"].tolist() == ["mine.jsonl, line 2"] and "no passage holds it" in lost["reason"].item()


def test_csv_and_a_folder(tmp_path, encode):
    written(
        tmp_path,
        "question,answerable,answer_type,reference_chunk_ids",
        '"Fee?",yes,,fees#p1;cards#p1',
        "Moon?,no,no_answer,",
        name="b.csv",
    )
    written(tmp_path, {"question": "First?"}, name="a.jsonl")
    cases, _ = read_cases(tmp_path, CHUNKS, encode=encode)
    assert cases["question"].tolist() == ["First?", "Fee?", "Moon?"] and cases["answerable"].tolist() == [
        True,
        True,
        False,
    ]
    assert cases["reference_chunk_ids"].tolist() == [[], ["fees#p1", "cards#p1"], []]


@pytest.mark.parametrize(
    "lines, complaint",
    [
        ([], "no questions"),
        (["{broken"], "line 1"),
        (["[1, 2]"], "not a JSON object"),
        ([{"query": "What?"}], "no question"),
        ([{"question": "A?", "answer_type": "shortfact"}], "(?s)answer_type.*short_fact"),
        ([{"question": "A?"}, {"question": "A?"}], "line 1; mine.jsonl, line 2"),
        ([{"question": "A?", "answerable": "perhaps"}], "answerable"),
        ([{"question": "A?", "answerable": False, "answer_type": "short_fact"}], "contradict"),
        (
            [{"question": "A?", "answerable": True, "why_no_answer": "own account"}],
            "contradicts answer_type or why",
        ),
        ([{"question": "A?", "answerable": False, "why_no_answer": "own"}], "(?s)why_no_answer.*own account"),
        ([{"question": "A?", "evidence": "fees"}], "column evidence"),
    ],
)
def test_refuses(tmp_path, encode, lines, complaint):
    with pytest.raises(InputError, match=complaint):
        read_cases(written(tmp_path, *lines), CHUNKS, encode=encode)


ASKED_WITH = {
    "conversation_id": "x",
    "turn": 2,
    "history": ["a", "b"],
    "passages": ["p"],
    "passage_ids": ["i"],
}


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.csv"])
def test_what_a_question_is_asked_with(tmp_path, encode, name):
    row = {"question": "What is the monthly fee?", **ASKED_WITH}
    cells = {key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()}
    file = written(tmp_path, row, name=name)
    if name.endswith("csv"):
        pd.DataFrame([cells]).to_csv(file, index=False)
    found = tables.check("cases", read_cases(file, CHUNKS, encode=encode)[0]).iloc[0]
    assert {key: found[key] for key in ASKED_WITH} == ASKED_WITH


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"turn": "second"}, "column turn"),
        ({"history": "user: hello"}, "column history"),
        ({"history": [{"role": "user", "content": "hello"}]}, "column history"),
        ({"passages": "[" * 100_000}, "column passages"),
        ({"passage_ids": {"a": "b"}}, "column passage_ids"),
    ],
)
def test_what_it_cannot_be_asked_with_names_its_line(tmp_path, encode, given, complaint):
    with pytest.raises(InputError, match=rf"(?s){complaint}.*mine.jsonl, line 1.*rename the column"):
        read_cases(written(tmp_path, {"question": "What is it?", **given}), CHUNKS, encode=encode)


def test_refuses_a_missing_file_and_other_encodings(tmp_path, encode):
    with pytest.raises(InputError, match="nothing there"):
        read_cases(tmp_path / "none.jsonl", CHUNKS, encode=encode)
    (tmp_path / "latin.jsonl").write_bytes('{"question": "¿Cuánto?"}'.encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_cases(tmp_path / "latin.jsonl", CHUNKS, encode=encode)


FEE = {"case_id": "a", "question": "What is the fee?"}


@pytest.mark.parametrize("again", ["What is the fee?", "what is the FEE", "What  is the fee ??!"])
def test_a_question_in_other_marks_is_the_same(again):
    with pytest.raises(InputError, match=r"(?s)there twice.*line 1; line 2"):
        refuse_repeats([FEE, {"case_id": "b", "question": again}], ["line 1", "line 2"])


@pytest.mark.parametrize(
    "apart", [{"segment": "staff"}, {"history": ["Hello.", "Hello."]}, {"question": "What is the fee now?"}]
)
def test_another_asker_or_another_history_makes_another_question(apart):
    refuse_repeats([FEE, FEE | {"case_id": "b"} | apart], ["line 1", "line 2"])
