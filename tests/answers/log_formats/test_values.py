"""A list written as a text is read, flagged where it is cut short or broken, and told from prose in brackets."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.tool_records import P1, P2
from ragassay.answers.log_schemas import MISSING, OURS, Unfit, as_texts, dig, read_value
from ragassay.assistant.reply_validation import is_placeholder

LITERALS = json.loads(Path(__file__).with_name("list_literals.json").read_text(encoding="utf-8"))
WORDS = st.text(st.characters(categories=("Lu", "Ll", "Zs", "Po", "Nd")), min_size=1, max_size=30)
PASSAGES = st.lists(
    WORDS.filter(lambda text: text.strip() and not is_placeholder(text)), min_size=1, max_size=4
)
PLAIN = ("", "")


def read(value: object, delimiter: str = "") -> list[str]:
    return as_texts(value, PLAIN, delimiter)[0]


@pytest.mark.parametrize(
    "value, found",
    [
        ([P1, P2], [P1, P2]),
        (json.dumps([P1, P2]), [P1, P2]),
        (repr([P1, P2]), [P1, P2]),
        (P1, [P1]),
        ([P1, None, "nan"], [P1, "", ""]),
        ([[P1, P2]], [f"{P1}\n{P2}"]),
        ({"fees#p1": P1}, [P1]),
        ([{"text": P1, "rank": 1}], [P1]),
    ],
)
def test_passages_in_every_form(value, found):
    assert read(value) == found


@pytest.mark.parametrize(
    "value", [*LITERALS["BROKEN"], "[" * 100_000, [{"score": 1}], [[1]], 3.5], ids=lambda v: str(v)[:30]
)
def test_a_broken_list_is_no_passage(value):
    with pytest.raises(Unfit, match="a list of texts"):
        read(value)


@pytest.mark.parametrize("text", LITERALS["PROSE"])
def test_prose_in_brackets_is_one_passage(text):
    assert read(text) == [text]


def test_ids_are_parted_and_in_one_form():
    rule = OURS["context_ids"]
    assert read_value("context_ids", rule, "doc1; doc2", PLAIN, "")[0] == ["doc1", "doc2"]
    decomposed = read_value("context_ids", rule, ["re\u0301sume\u0301"], PLAIN, "")[0]
    assert decomposed == ["r\u00e9sum\u00e9"]


@pytest.mark.parametrize("text", ["nan", "None", "[object Object]", "#VALUE!", " NULL "])
def test_a_placeholder_is_no_answer_and_elsewhere_says_nothing(text):
    with pytest.raises(Unfit, match="placeholder"):
        read_value("answer", OURS["answer"], text, PLAIN, "")
    assert read_value("reference_answer", OURS["reference_answer"], text, PLAIN, "")[0] is None
    assert read_value("contexts", OURS["contexts"], text, PLAIN, "")[0] is None


@given(PASSAGES, st.data())
def test_a_list_cut_anywhere_is_never_read(passages, data):
    for text in (json.dumps(passages), repr(passages)):
        with pytest.raises(Unfit):
            read(text[: data.draw(st.integers(1, len(text) - 1))])


def test_messages_give_the_last_question_that_was_answered():
    messages = [
        {"role": "user", "content": "First?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Last."}]},
        {"role": "user", "content": "Unanswered?"},
    ]
    assert dig({"inputs": {"messages": messages}}, "inputs.messages.@human") == "First?"
    assert dig({"inputs": json.dumps({"messages": messages})}, "inputs.messages.@ai") == "Last."
    assert dig({"a.b": 1, "a": {"b": 2}}, "a.b") == 1 and dig({"a": {"b.c": 3}}, "a.b.c") == 3
    assert dig({"a": []}, "a.b") is MISSING
