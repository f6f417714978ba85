"""Single values, however they are written."""

import json

import pytest

from answers.tool_records import P1, P2, A, Q, row_of
from ragassay.answers.log_formats import SCHEMAS
from ragassay.answers.log_formats.value_conversion import Unfit, as_texts


@pytest.mark.parametrize(
    "value, found",
    [
        ([P1, P2], [P1, P2]),
        (json.dumps([P1, P2]), [P1, P2]),
        (repr([P1, P2]), [P1, P2]),
        (P1, [P1]),
        ("[1] A footnote.", ["[1] A footnote."]),
        ("", []),
        ([], []),
        ([P1, None], [P1, ""]),
        ([[P1, P2]], [f"{P1}\n{P2}"]),
        ({"fees#p1": P1}, [P1]),
        ([{"text": P1, "rank": 1}], [P1]),
        (("a", 7), ["a", "7"]),
    ],
)
def test_passages_in_every_form(value, found):
    assert as_texts(value, SCHEMAS["ours"])[0] == found


def test_a_delimiter_parts_a_text_where_the_tool_has_one():
    assert as_texts(f"{P1}|{P2}", SCHEMAS["deepeval"])[0] == [P1, P2]
    assert as_texts(f"{P1}|{P2}", SCHEMAS["ours"])[0] == [f"{P1}|{P2}"]


@pytest.mark.parametrize(
    "value",
    ["['a' 'b']", "[Document(page_content='a')]", [{"score": 1}], [[1]], 3.5, "[" * 100_000, "['" + "x" * 10],
)
def test_what_is_no_list_of_passages_is_refused(value):
    with pytest.raises(Unfit, match="a list of texts"):
        as_texts(value, SCHEMAS["ours"])


def test_ids_are_parted_by_commas():
    row = row_of({"question": Q, "answer": A, "contexts": [P1, P2], "context_ids": "fees#p1, fees#p2"})
    assert row["context_ids"] == ["fees#p1", "fees#p2"]
