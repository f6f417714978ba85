"""sentences: against the golden texts, its laws on any text, and speed that does not depend on the text's shape."""

import time

import pytest
from compare_splitters import gold, libraries, score, with_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from wild_text import ANY

from ragassay.documents import sentences
from ragassay.documents.sentence_splitting import LONGEST_RUN, pieces
from ragassay.documents.text_blocks import clean

LANGUAGE = st.sampled_from(["en", "es", "pt", "xx"])


@pytest.mark.parametrize("held_out, least", [(False, 0.99), (True, 0.95)])
def test_golden_sentences(held_out, least):
    cases = [case for case in gold() if bool(case.get("held_out")) == held_out]
    assert score(lambda text, language: [piece for _, piece in pieces(text, language)], cases)[2] >= least


def test_the_rules_help_every_library():
    cases = gold()
    for split in libraries().values():
        assert score(with_rules(split), cases)[2] > score(split, cases)[2]


def test_by_hand():
    text = "See No. 5, e.g. the fee of $2.75. [fees#p3] It closes at 5 p.m. on Fridays.\n- First item\n- Second. With two.\nA | B"
    assert sentences(text) == [
        "See No. 5, e.g. the fee of $2.75. [fees#p3]", "It closes at 5 p.m. on Fridays.", "First item", "Second.", "With two.", "A | B",
    ]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(text=ANY, language=LANGUAGE)
def test_splitting_a_sentence_again_leaves_it_whole(text, language):
    for _, piece in pieces(text, language):
        assert [again for _, again in pieces(piece, language)] == [piece]


@settings(max_examples=400, deadline=None)
@given(text=ANY, language=LANGUAGE)
def test_every_visible_character_is_kept_in_order(text, language):
    assert "".join("".join(piece.split()) for _, piece in pieces(text, language)) == "".join(
        clean(text).split()
    )


@pytest.mark.parametrize(
    "unit",
    ["word ", "a", "(a. ", "...", "A. ", "ID. ", "going on and on and on and on and on,\n", '"', "[[", "1. "],
)
def test_a_long_line_takes_no_longer_than_its_length(unit):
    text = unit * (200_000 // len(unit))
    start = time.process_time()
    found = sentences(text)
    assert time.process_time() - start < 5
    assert max(map(len, found)) <= 2 * LONGEST_RUN
