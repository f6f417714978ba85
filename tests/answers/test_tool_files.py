"""A file of each tool is read as its tool, item by item, and the page on logs says what of it was read and what was not."""

import json
from pathlib import Path

import pytest

from answers import tool_files
from answers.tool_records import RECORDS
from ragassay.answers import load_log

FOUND = json.loads((Path(__file__).parents[2] / "bench" / "tool_files.json").read_text(encoding="utf-8"))
OF_ANSWERS = ("question", "answer", "contexts", "context_ids", "latency_s", "tokens")


def test_every_tool_that_writes_answers_has_a_file():
    assert set(tool_files.FILES) == set(RECORDS) - tool_files.WITHOUT_ANSWERS - {"judged"}
    assert set(FOUND) == set(tool_files.FILES)


@pytest.mark.parametrize("tool", tool_files.FILES)
def test_its_items_are_read_as_they_are_and_its_columns_as_the_page_says(tool, tmp_path):
    """If not: python bench/tool_files.py --mapped; without it, the files are taken to their reports again."""
    cases, answers = load_log(tool_files.write(tool, tmp_path))
    assert cases.attrs["schema"].endswith(f"(schema {tool})") and cases.attrs["n_bad"] == 0
    rows = answers.merge(cases.drop(columns="question"), on="case_id", how="left").to_dict("records")
    for item, row in zip(tool_files.items(), rows, strict=True):
        wanted = tool_files.wanted(tool, item)
        found = {name: row[name] for name in wanted if name in row}
        assert {name: wanted[name] for name in found} == found and {"question", "answer"} <= set(found)
    assert [list(row) for row in cases.attrs["mapped"]] == FOUND[tool]["mapped"]
