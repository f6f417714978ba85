"""A log is the same whether `ragassay score` or a run reads it: any tool's columns, any kind of file, the user's mapping."""

import csv
import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from answers.tool_records import P1, RECORDS, A, Q
from ragassay.answers import (
    collect_answers,
    count_rows,
    input_remarks,
    load_log,
    logged_cases,
    open_answers,
    read_collection,
)
from ragassay.answers.log_import import passages

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
