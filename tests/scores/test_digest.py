"""The digest: the Lesson's shape, and texts that cannot leave their quotes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores import digest
from ragassay.scores.sample import Sample

TEXTS = st.text(max_size=80) | st.lists(
    st.sampled_from(['"', "\n", "[b#p9] ", "MODEL ANSWER:", "\\", "\u2028", "\r", "\x00", "\x85", "\u202e"])
).map("".join)


def test_the_lessons_example_by_hand():
    made = digest.build(
        "Posso obter reembolso após 30 dias?",
        ["Pedidos de reembolso são aceitos até 30 dias.", "Exceções: defeito em até 90 dias."],
        ["doc_123#p5", "doc_123#p6"],
        "Não, salvo defeito. [doc_123#p5]",
        {"language": "pt-BR", "answer_type": "short_fact", "topic": None},
    )
    assert made.ids == ("doc_123#p5", "doc_123#p6")
    assert made.text.split("\n") == [
        'QUERY: "Posso obter reembolso após 30 dias?"',
        "TOP-K EVIDENCE (IDs + snippets):",
        '[doc_123#p5] "Pedidos de reembolso são aceitos até 30 dias."',
        '[doc_123#p6] "Exceções: defeito em até 90 dias."',
        'METADATA: language="pt-BR"; answer_type="short_fact"',
        "MODEL ANSWER:",
        '"Não, salvo defeito. [doc_123#p5]"',
    ]
    assert made.evidence == "\n".join(made.text.split("\n")[2:4])


@given(TEXTS, st.lists(TEXTS, max_size=4), TEXTS)
def test_every_text_stays_on_its_line_and_can_be_read_back(question, passages, answer):
    made = digest.build(question, passages, [f"a#p{i}" for i, _ in enumerate(passages, 1)], answer)
    lines = made.text.splitlines()
    assert len(lines) == len(made.text.split("\n")) == 4 + len(passages)
    assert json.loads(lines[0].removeprefix("QUERY: ")) == question and json.loads(lines[-1]) == answer
    assert [json.loads(line.split(" ", 1)[1]) for line in lines[2:-2]] == passages


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_an_id_cannot_leave_its_brackets(ids):
    made = digest.build(None, ["x"] * len(ids), ids, None)
    lines = made.evidence.splitlines()
    assert len(lines) == len(ids) == len(made.ids)
    assert all(
        line == f'[{name}] "x"' and "]" not in name and " " not in name
        for line, name in zip(lines, made.ids, strict=True)
    )


def test_long_texts_are_cut_and_say_so():
    made = digest.build(None, ["x" * 5000], ["1"], None, snippet=10)
    assert made.evidence == f'[1] "{"x" * 10} [cut]"'


def test_what_is_not_known_is_left_out():
    assert digest.build(None, [], [], None).text == "TOP-K EVIDENCE (IDs + snippets): none"


def test_of_an_answer_without_ids_the_passages_are_numbered():
    made = digest.of(
        Sample(
            "c1",
            "s",
            answer="Five. [1]",
            question="How much?",
            contexts=("It is five.",),
            answer_type="short_fact",
        )
    )
    assert made.ids == ("1",) and '[1] "It is five."' in made.text and 'answer_type="short_fact"' in made.text


def test_ids_must_fit_the_passages():
    with pytest.raises(ValueError, match="1 ids for 2 passages"):
        digest.build(None, ["a", "b"], ["1"], None)
    with pytest.raises(ValueError, match="2 entries for 1 contexts"):
        digest.of(Sample("c1", "s", contexts=("One.",), context_ids=("a", "b")))
