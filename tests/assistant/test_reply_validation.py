"""What an assistant may reply, and that nothing it replies breaks the table."""

import functools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistants.in_this_process import load_system
from ragassay import tables
from ragassay.answers.asking import COLUMNS
from ragassay.assistant.reply_validation import LONGEST, hooks_of, row_of, version_text


def test_a_full_reply():
    reply = {
        "answer": "A",
        "contexts": ("x", "y"),
        "context_ids": [1, "d#p2"],
        "citations": [1],
        "latency_s": 0.5,
        "cost": 0,
        "tokens": np.int64(7),
    }
    assert row_of(reply | {"other": object()}) == reply | {
        "contexts": ["x", "y"],
        "context_ids": ["1", "d#p2"],
        "citations": ["1"],
        "system_version": None,
        "error": "",
    }


PASSAGES = [{"doc_id": "d", "text": "x"}, {"id": 7, "text": "y"}]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ({"sources": ["d#p1", 7]}, (None, None, ["d#p1", "7"])),
        ({"sources": [{"doc_id": "d", "title": "D"}]}, (None, None, ["d"])),
        ({"sources": PASSAGES, "contexts": None}, (["x", "y"], ["d", "7"], ["d", "7"])),
        ({"sources": [{"text": "x"}]}, (["x"], [], None)),
        (
            {"sources": PASSAGES, "contexts": ["z"], "context_ids": ["e"], "citations": ["e"]},
            (["z"], ["e"], ["e"]),
        ),
        ({"sources": []}, (None, None, None)),
        ({"sources": "d"}, (None, None, None)),
        ({"sources": [{"page": True}, 3.5, "A whole passage. " * 20]}, (None, None, None)),
    ],
)
def test_sources_are_citations_and_with_their_texts_what_was_retrieved(reply, found):
    row = row_of({"answer": "A"} | reply)
    assert (row["contexts"], row["context_ids"], row["citations"]) == found and not row["error"]


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (3, "a int"),
        ({"text": "A"}, "no 'answer' among its keys ['text']"),
        ({"answer": 3}, "answer holds a int"),
        ({"answer": "A", "contexts": "x"}, "contexts is a str"),
        ({"answer": "A", "context_ids": [True]}, "context_ids holds a bool"),
        ({"answer": "A", "contexts": ["x"], "context_ids": ["1", "2"]}, "1 contexts but 2"),
        ({"answer": "A", "latency_s": "fast"}, "latency_s is a str"),
        ({"answer": "A", "tokens": math.nan}, "tokens is nan"),
        ({"answer": "A", "cost": 10**400}, "cost is 1000"),
    ],
)
def test_a_wrong_reply_says_what_was_found(reply, complaint):
    row = row_of(reply)
    assert row["answer"] == ""
    assert complaint in row["error"]
    assert row["error"].startswith("wrong reply: ")


SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary()
wild = st.recursive(
    SIMPLE | st.just(np.array(3)) | st.just(np.array([["a"]])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.fixed_dictionaries(
            {"answer": inner},
            optional=dict.fromkeys(["contexts", "context_ids", "latency_s", "cost", "tokens"], inner),
        )
    ),
    max_leaves=8,
)


@given(wild)
def test_any_reply_becomes_a_row_of_the_answers_table(reply):
    row = row_of(reply)
    table = tables.check(
        "answers",
        pd.DataFrame([{"case_id": "c", "system": "s", "repeat": 0, "question": "q", **row}], columns=COLUMNS),
    )
    assert bool(row["answer"]) != bool(row["error"])
    table.to_json().encode()
    row["answer"].encode()


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("2026.11-b", "2026.11-b"),
        ({"rev": 3, "model": "m"}, '{"model": "m", "rev": 3}'),
        ("a\nb\tc\x00d\x1b[31m", "a␊b␉c␀d␛[31m"),
        ("lone \ud800", "lone ⟨U+D800⟩"),
        (None, None),
        (object(), None),
    ],
)
def test_by_hand(said, line):
    assert version_text(said) == line


@pytest.mark.parametrize("said", ["v" * 5_000_000, "\x01" * 3_000_000, "\u202e" * 60, list(range(10_000))])
def test_a_long_one_is_cut(said):
    line = version_text(said)
    assert len(line) <= LONGEST and line.isprintable()
    assert version_text(line) == line, "what has crossed from the assistant's process once stays as it is"


PAGE = Path(__file__).parents[2] / "docs" / "own-data.md"
LONG = 60
TOLD = [{"role": "user", "content": "What does a transfer cost?"}, {"role": "assistant", "content": "Ask."}]


class Bot:
    def __call__(self, question, *, passages=None):
        return question


@pytest.mark.parametrize(
    ("ask", "hooks"),
    [
        (lambda question, history=None: "", ("history",)),
        (lambda question, *, passages, history: "", ("history", "passages")),
        (lambda question, **options: "", ()),
        (lambda question, history, /: "", ()),
        (Bot(), ("passages",)),
        (functools.partial(lambda question, history, passages: "", passages=[]), ("history", "passages")),
    ],
)
def test_hooks_are_parameters_that_can_be_named(ask, hooks):
    assert hooks_of(ask) == hooks


def test_the_example_of_the_page_runs(tmp_path):
    [code] = re.findall(r"```python\n(def ask\(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "mine.py").write_text(code)
    with load_system(f"{tmp_path / 'mine.py'}:ask") as system:
        assert system.hooks == ("history", "passages")
        assert (
            system.ask("And abroad?", 60, {"history": TOLD})[0]["answer"]
            == "A transfer abroad costs 12 dollars."
        )
        assert system.ask("And abroad?", 60)[0]["answer"] == "I could not find this."
        planted = [{"id": "x", "text": "It costs nothing."}]
        assert system.ask("What does a transfer cost?", 60, {"passages": planted})[0]["context_ids"] == ["x"]
        assert system.ask("What does a transfer cost?", 60, {"passages": []})[0]["contexts"] == []
