"""Signs: the list is read, whole words count, openings count at the beginning only."""

from ragassay.scores.text_reading.word_lists import has_sign


def test_whole_words_in_three_languages():
    assert (
        has_sign("exception", "Free UNLESS abroad.")
        and has_sign("exception", "Gratis salvo fuera.")
        and has_sign("exception", "Grátis, exceto fora.")
    )
    assert not has_sign("next_step", "It was recalled and oversees.") and not has_sign(
        "exception", "Nonetheless."
    )
