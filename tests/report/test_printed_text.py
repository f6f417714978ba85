"""Text in print: places to break, only characters that the fonts hold."""

import pytest

from ragassay.report.printed_text import breakable, printable


def test_long_words_get_places_to_break():
    assert breakable("W" * 60, 26) == "\u200b".join(["W" * 26, "W" * 26, "W" * 8])
    assert breakable("a_b" + "c" * 30, 26).startswith("a_\u200bb")
    assert breakable("number_of_cases", 26) == "number_of_cases"
    assert breakable("number_of_cases", 8) == "number_\u200bof_\u200bcases"


@pytest.mark.parametrize(
    "text, shown", [("中", "⟨U+4E2D⟩"), ("␀", "⟨U+0000⟩"), ("\ue000", "⟨U+E000⟩"), ("é≥—", "é≥—")]
)
def test_what_the_fonts_lack_is_spelled_out(text, shown):
    assert printable(text) == shown
