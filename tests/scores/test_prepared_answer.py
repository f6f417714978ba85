"""What an id means, where a sentence comes from, what is left out."""

import pandas as pd
import pytest

from ragassay.scores.prepared_answer import Sample, samples

GIVEN = Sample(
    "c1",
    "s",
    answer="Fees are 5 [b#p1]. Yes! [2]",
    question="What is the fee?",
    contexts=("One. Two.", "Three.", "One."),
    context_ids=("a#p1", "b#p1", "a#p1"),
)


def test_ids_by_name_before_number():
    assert (
        GIVEN.places("a#p1") == [0, 2]
        and GIVEN.places("2") == [1]
        and GIVEN.places("4") == GIVEN.places("0") == GIVEN.places("x#p1") == []
    )
    named = Sample("c1", "s", contexts=("One.", "Two."), context_ids=("2", "1"))
    assert named.places("2") == [0] and named.passages(["1", "2", "2"]) == ["One.", "Two."]
    own = Sample(
        "c1", "s", "A. [x-2]", contexts=("One.", "Two."), context_ids=("a#p1",) * 2, given_ids=("x-1", "x-2")
    )
    assert own.cited == [("A.", ("x-2",))] and own.places("x-2") == [1] and own.places("a#p1") == [0, 1]


def test_entities_of_a_passage_are_the_signs_that_they_stand_for():
    row = {
        "case_id": "c",
        "system": "s",
        "question": "q",
        "answer": "a",
        "contexts": ["M&uuml;ller &amp; Co&nbsp;"],
    }
    (one,) = samples(pd.DataFrame([row]), {})
    assert one.contexts == ("Müller & Co\xa0",)


@pytest.mark.parametrize("passage, read", [
    ("Stu-\ndents and pensi-\n  oners pay no fee.", "Students and pensioners pay no fee."),
    ("A non-\nresident pays; a non-resident customer is told.", "A non-resident pays; a non-resident customer is told."),
    ("From 2019-\n2021, see:\n- fees\n- limits", "From 2019-\n2021, see:\n- fees\n- limits"),
])  # fmt: skip
def test_words_of_a_passage_that_the_end_of_a_line_breaks_are_whole(passage, read):
    row = {"case_id": "c", "system": "s", "question": "q", "answer": "a", "contexts": [passage]}
    assert next(iter(samples(pd.DataFrame([row]), {}))).contexts == (read,)


def test_a_table_without_a_line_below_its_headings_gets_one():
    table = "| Plan | Cover |\n| Gold | theft |"
    assert Sample("c1", "s", answer=f"Here:\n{table} [1]").table == table.replace("|\n", "|\n|---|\n")
    ruled = table.replace("|\n", "|\n| --- | --- |\n")
    assert (
        Sample("c1", "s", answer=ruled).table == ruled and Sample("c1", "s", answer="No table.").table == ""
    )


def test_ids_must_fit_the_contexts():
    with pytest.raises(ValueError, match="2 entries for 1 contexts"):
        _ = Sample("c1", "s", contexts=("One.",), context_ids=("a", "b")).ids


def test_sentences_carry_their_passage():
    assert [(sentence.text, sentence.source) for sentence in GIVEN.context_sentences] == [
        ("One.", "a#p1"),
        ("Two.", "a#p1"),
        ("Three.", "b#p1"),
        ("One.", "a#p1"),
    ]
    assert [sentence.text for sentence in GIVEN.answer_sentences] == ["Fees are 5.", "Yes!"]
    assert GIVEN.cited == [("Fees are 5.", ("b#p1",)), ("Yes!", ("2",))]
    assert GIVEN.passage_sentences(["b#p1"]) == ["Three."]
