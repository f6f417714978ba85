"""A log of questions: read in three forms, counted as often as asked, given to the nearest topic."""

import pytest

from ragassay.cases import question_log
from ragassay.cases.topics import build_topics
from ragassay.errors import InputError

ASKED = ["credit card stolen", "credit card stolen", "card limit", "branch opening Saturday"]


@pytest.mark.parametrize(("name", "content"), [
    ("log.txt", "credit card stolen\n\ncredit card stolen\ncard limit\nbranch opening  Saturday\n"),
    ("log.csv", "at,query\n1,credit card stolen\n2,credit card stolen\n3,card limit\n4,branch opening Saturday\n"),
    ("log.jsonl", '{"question": "credit card stolen"}\n{"question": "credit card stolen"}\n{"input": "card limit"}\n{"question": "branch opening Saturday"}\n{"question": 7}\n'),
])  # fmt: skip
def test_three_forms(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert question_log.read_questions(tmp_path / name) == ASKED


def test_an_allocation_by_log(passages, encode, tmp_path):
    """Each topic weighs as much as the log asks about it, and half a question."""
    chunks = build_topics(passages, encode=encode).chunks
    (tmp_path / "log.txt").write_text("\n".join(ASKED))
    weights = question_log.allocation("log", str(tmp_path / "log.txt"), chunks, encode=encode)
    topic = chunks.drop_duplicates("doc_id").set_index("doc_id")["topic"]
    assert weights[topic["cards"]] == 3.5 and weights[topic["loans"]] == 0.5
    assert sum(weights.values()) == len(ASKED) + len(weights) / 2
    assert question_log.allocation("equal", "", chunks) == "equal"
    with pytest.raises(InputError, match="none is given"):
        question_log.allocation("log", "", chunks)
