"""A log of questions: read in three forms, counted as often as asked, given to the nearest topic."""

import pytest

from ragassay.cases import question_log
from ragassay.cases.topics import build_topics
from ragassay.errors import InputError

ASKED = ["credit card stolen", "credit card stolen", "card limit", "branch opening Saturday"]


@pytest.mark.parametrize(("name", "content"), [
    ("log.txt", "credit card stolen\n\ncredit card stolen\ncard limit\nbranch opening  Saturday\n"),
    ("log.csv", "at,query\n1,credit card stolen\n2,credit card stolen\n3,card limit\n4,branch opening Saturday\n"),
    ("log.jsonl", '{"question": "credit card stolen"}\n{"question": "credit card stolen"}\n{"input": "card limit"}\n"branch opening Saturday"\n{"question": 7}\n'),
])  # fmt: skip
def test_three_forms(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert question_log.read_questions(tmp_path / name) == ASKED


@pytest.mark.parametrize(
    ("name", "content"),
    [("log.jsonl", "{"), ("log.csv", "a,b\n1,2\n"), ("log.txt", " \n"), ("log.bin", b"\xff\xfe\x00")],
)
def test_flawed_logs(tmp_path, name, content):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError):
        question_log.read_questions(tmp_path / name)


def test_a_log_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        question_log.read_questions(tmp_path / "none.txt")


def test_counts_by_topic(passages, encode):
    found = build_topics(passages, encode=encode)
    table = question_log.count_by_topic(ASKED, found.chunks, encode=encode).set_index("topic")
    cards = found.chunks.loc[found.chunks["doc_id"] == "cards", "topic"].iloc[0]
    loans = found.chunks.loc[found.chunks["doc_id"] == "loans", "topic"].iloc[0]
    assert table.loc[cards, "asked"] == 3 and table.loc[loans, "asked"] == 0 and table["asked"].sum() == 4
    assert table.loc[loans, "weight"] == 0.5 and table["share"].sum() == pytest.approx(1)


def test_an_allocation_by_log_needs_one(passages, encode, tmp_path):
    chunks = build_topics(passages, encode=encode).chunks
    (tmp_path / "log.txt").write_text("\n".join(ASKED))
    weights = question_log.allocation("log", str(tmp_path / "log.txt"), chunks, encode=encode)
    assert sum(weights.values()) == len(ASKED) + len(weights) / 2
    assert question_log.allocation("equal", "", chunks) == "equal"
    with pytest.raises(InputError, match="none is given"):
        question_log.allocation("log", "", chunks)
