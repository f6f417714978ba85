"""Text of strangers: what would act or hide shows, the rest stays as it is."""

import pytest

from ragassay.sanitized_text import clean, plain_signs


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b[31m", "␛[31m"),
        ("\x07\x00\x7f", "␇␀␡"),
        ("\x9b2J", "⟨U+009B⟩2J"),
        ("a\u202eb\u2066\u200b\u2064", "a⟨U+202E⟩b⟨U+2066⟩⟨U+200B⟩⟨U+2064⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("line\r\nline\tש é 👍🏽", "line\nline\tש é 👍🏽"),
    ],
)
def test_what_acts_shows(text, shown):
    assert clean(text, 0) == shown


def test_what_is_long_is_cut_and_counted():
    assert clean("x" * 1000, 10) == "x" * 10 + "… (cut here: 1,000 characters in all)"
    assert clean("x" * 1000, 0) == "x" * 1000


def test_a_cut_ends_between_two_words():
    assert clean("The owner ends the pilot.", 12) == "The owner… (cut here: 25 characters in all)"
    for limit in (3, 5):
        assert clean("one two", limit).startswith("one…")
    assert clean("one", 9) == "one"


def test_plain_signs_and_their_places():
    plain, places = plain_signs("a\u200b\u2011\uff11\u202f \n2")
    assert (plain, places) == ("a-1 2", [0, 2, 3, 4, 7])
