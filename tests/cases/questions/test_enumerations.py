"""Lists after a colon: asked for as a whole, or not at all."""

import pandas as pd
import pytest

from ragassay.cases.questions.enumerations import listed, questions

WHOLE = "A recovery plan must include:\n(a) the person in charge;\n(b) the first steps; and\n(c) a date for review."


def asked(text):
    chunks = pd.DataFrame(
        [{"chunk_id": "d#p1", "doc_id": "d", "text": text, "language": "en", "heading": "Recovery Plans"}]
    )
    return list(questions(chunks, frozenset()))


def test_a_list_is_asked_for_as_a_whole():
    found = asked(WHOLE)[0]
    assert (
        found.question == "What must a recovery plan include?"
        and found.answer_type == "multi_step"
        and found.query_type == "open"
    )
    assert (
        found.answer
        == "A recovery plan must include: (1) the person in charge; (2) the first steps; (3) a date for review."
    )


def test_a_plain_verb_is_asked_with_do():
    assert (
        asked("A recovery plan contains the following:\n- a name;\n- a date.")[0].question
        == "What does a recovery plan contain?"
    )


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.rstrip("."),
        WHOLE.replace("(b)", "b"),
        "A plan must include:\n(a) one thing.",
        "It must include:\n(a) one;\n(b) two.",
        "A plan must be:\n(a) one;\n(b) two.",
        "A plan must include:\n(a) one of:\n(i) this;\n(ii) that.",
        "",
        ":\n:\n—\n",
    ],
)
def test_what_is_cut_short_or_nested_is_left(text):
    assert not asked(text)


def test_the_sentence_before_a_list_is_found_behind_others():
    assert list(listed("Be careful. You need:\n- a pen;\n- ink.")) == [("You need", ["a pen", "ink"])]
