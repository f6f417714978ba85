"""A large JSON file is read record by record, and gives what it gives in one piece."""

import gzip
import json
import tracemalloc

import pytest

from ragassay.answers.answer_batches import file_records
from ragassay.answers.log_files import json_files, json_stream, read_records
from ragassay.errors import InputError

ROWS = [{"question": "Wie 'viel' [{]}?\u2028", "answer": 'a\\"b', "n": 12.5}, {"answer": []}, 3, {"x": None}]
FORMS = [
    ROWS,
    {"evalId": "e", "results": {"version": 3, "prompts": [{"a": 1}], "results": ROWS}},
    {"note": {"results": [1]}, "data": ROWS, "after": 1},
    {"question": ["a", "b"], "answer": ["c", "d"]},
    {"items": [{"query_id": "q1", "question": "a"}], "run_answers": {"q1": "b"}},
]


@pytest.fixture(params=[1, 7, 1 << 20])
def small(monkeypatch, request):
    monkeypatch.setattr(json_stream, "CHUNK", request.param)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("form", FORMS)
def test_it_gives_what_one_piece_gives(tmp_path, monkeypatch, small, form, indent):
    path = tmp_path / "a.json"
    path.write_text("\ufeff" + json.dumps(form, indent=indent, ensure_ascii=False), encoding="utf-8")
    whole = [record._replace(share=0) for record in read_records(path)]
    monkeypatch.setattr(json_files, "STREAMED_FROM", 0)
    assert [record._replace(share=0) for record in read_records(path)] == whole and whole


@pytest.mark.parametrize(
    "text", ["", "{", "[1", '[{"a": 1} {"b": 2}]', '{"results": [{"a": 1}', "nonsense", "1"]
)
def test_what_is_no_json_or_no_list_is_refused(tmp_path, monkeypatch, small, text):
    monkeypatch.setattr(json_files, "STREAMED_FROM", 0)
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError):
        list(read_records(tmp_path / "a.json"))


def test_memory_holds_a_record_and_a_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(json_files, "STREAMED_FROM", 0)
    monkeypatch.setattr(json_stream, "CHUNK", 1 << 14)
    record = json.dumps({"question": "Why?", "answer": "x" * 2000})
    with (tmp_path / "a.json").open("w") as file:
        file.write('{"results": [' + ",".join([record] * 3000) + "]}")
    tracemalloc.start()
    n = sum(1 for _ in read_records(tmp_path / "a.json"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 3000 and peak < 1 << 20


def test_a_compressed_file_is_streamed_by_what_it_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(json_files, "STREAMED_FROM", 1 << 14)
    monkeypatch.setattr(json_files, "_whole", lambda *_: pytest.fail("held whole"))
    rows = [{"question": "Why?", "answer": "x" * 500}] * 100
    with gzip.open(tmp_path / "a.json.gz", "wt") as file:
        json.dump(rows, file)
    assert (tmp_path / "a.json.gz").stat().st_size < 1 << 14
    assert [record.values for record in file_records(tmp_path / "a.json.gz")] == rows
