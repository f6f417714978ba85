"""A file of each tool is read as its tool, item by item, with every column that it has of ours."""

import pytest

from answers import tool_files
from answers.tool_records import RECORDS
from ragassay.answers import load_log

OF_ANSWERS = ("question", "answer", "contexts", "context_ids", "latency_s", "tokens")


def test_every_tool_that_writes_answers_has_a_file():
    assert set(tool_files.FILES) == set(RECORDS) - tool_files.WITHOUT_ANSWERS - {"judged"}


@pytest.mark.parametrize("tool", tool_files.FILES)
def test_its_items_are_read_as_they_are(tool, tmp_path):
    cases, answers = load_log(tool_files.write(tool, tmp_path))
    assert cases.attrs["schema"].endswith(f"(schema {tool})") and cases.attrs["n_bad"] == 0
    rows = answers.merge(cases.drop(columns="question"), on="case_id", how="left").to_dict("records")
    for item, row in zip(tool_files.items(), rows, strict=True):
        wanted = tool_files.wanted(tool, item)
        found = {name: row[name] for name in wanted if name in row}
        assert {name: wanted[name] for name in found} == found and {"question", "answer"} <= set(found)
