"""Signs: the list is read, whole words count, openings count at the beginning only."""

import pytest

from ragassay.scores.signs import alternatives, count, shown, signs


def test_the_list_is_read():
    assert {"exception", "courtesy", "speculation", "finite", "next_step"} <= set(signs())
    assert "unless" in alternatives("exception") and "salvo" in alternatives("exception")


def test_whole_words_in_three_languages():
    assert (
        shown("exception", "Free UNLESS abroad.")
        and shown("exception", "Gratis salvo fuera.")
        and shown("exception", "Grátis, exceto fora.")
    )
    assert not shown("next_step", "It was recalled and oversees.") and not shown("exception", "Nonetheless.")
    assert count("sequence", "First ask, then pay, finally go.") == 3


def test_an_opening_counts_at_the_beginning_only():
    assert shown("courtesy", "“Sure, here it is") and not shown("courtesy", "It is a sure thing")


def test_an_unknown_sign_is_a_mistake():
    with pytest.raises(KeyError):
        shown("no such sign", "x")


@pytest.mark.parametrize(
    "text", ["what do " * 12_000, "a" * 100_000, " - " * 33_000, "can't " * 16_000, "\x00\u202e" * 50_000]
)
def test_hostile_text_is_read(text):
    assert all(count(sign, text) >= 0 for sign in signs())
