"""Rows of a log that could not be read: counted and named wherever a reader looks."""

import json

import pytest

from ragassay.answers import log_import
from ragassay.errors import InputError

ROW = {"question": "What is the fee?", "answer": "Six dollars.", "contexts": "The fee is $6."}


def record_of(folder, *rows) -> dict:
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"answers_log": str(log)} | log_import.count_rows({"answers_log": str(log)})


def test_an_engagement_without_a_log_has_no_rows():
    assert log_import.count_rows({"answers_log": ""}) == {}
    for said in (log_import.row_checks, log_import.share_read, log_import.in_words):
        assert not said({})
    assert list(log_import.rows_left_out({})) == log_import.UNREAD_COLUMNS


def test_a_sound_log_passes_its_check(tmp_path):
    record = record_of(tmp_path, ROW, ROW)
    assert log_import.row_checks(record)[0][1:] == (True, "rows of the log left out: 0 of 2")
    assert list(log_import.share_read(record).values()) == [1.0] and log_import.rows_left_out(record).empty


def test_bad_rows_are_counted_and_the_first_are_named(tmp_path):
    bad = [ROW | {"contexts": f"['It's {i} euros']"} for i in range(30)]
    record = record_of(tmp_path, ROW | {"cost": "cheap"}, *bad, *[ROW] * 9)
    _, fine, found = log_import.row_checks(record)[0]
    assert not fine and found.startswith(
        "rows of the log left out: 30 of 40 (log.jsonl, line 2, column 'contexts'"
    )
    assert found.endswith("; and 28 more)") and list(log_import.share_read(record).values()) == [0.25]
    table = log_import.rows_left_out(record)
    assert len(table) == log_import.FIRST and table.expected.str.contains("a list of texts").all()


def test_a_cost_that_is_no_number_is_named_and_leaves_no_row_out(tmp_path):
    record = record_of(tmp_path, ROW | {"cost": "cheap"}, ROW)
    _, fine, found = log_import.row_checks(record)[0]
    assert not fine and found.startswith("rows of the log left out: 0 of 2 (log.jsonl, line 1, column 'cost'")


def test_a_log_without_a_sound_row_is_refused(tmp_path):
    with pytest.raises(InputError, match="no row of the answers can be read"):
        record_of(tmp_path, *[ROW | {"contexts": "[(((("}] * 3)
