"""What a run says of itself before it begins: how its log is read."""

import json

import pytest

from ragassay.run.runner import code_to_run

ROW = {"user_question": "What does it cost?", "bot_answer": "$18.", "kept_text": ["It costs $18."]}
ABSENT = "no column is read as contexts"


@pytest.mark.parametrize("mapping, absent", [({}, True), ({"contexts": "kept_text"}, False)])
def test_how_a_log_is_read_and_that_it_has_no_contexts(tmp_path, monkeypatch, mapping, absent):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text(json.dumps(ROW))
    line = code_to_run({}, {"00_scope": {"answers_log": "log.jsonl", "map": mapping}})[-1]
    assert line.startswith("log: schema by_name") and "question=user_question" in line
    assert (ABSENT in line) is absent
