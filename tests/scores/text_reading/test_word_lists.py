"""Signs: the list is read, whole words count, openings count at the beginning only. The words of a text: forms of one
word agree, kinds are told apart, lists are sound."""

import pytest

from ragassay.scores.text_reading import word_lists
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


@pytest.mark.parametrize(
    "forms", ["dump dumped dumping dumps", "provide provides provided providing", "stop stopped stopping"]
)
def test_forms_of_one_word_share_a_stem(forms):
    assert len({word_lists.stem(word) for word in forms.split()}) == 1


def test_a_synonym_is_never_an_opposite_and_both_are_mutual():
    synonyms, opposites = word_lists.synonyms(), word_lists.opposites()
    assert "purchas" in synonyms["buy"] and "sell" in opposites["buy"]
    for one, others in opposites.items():
        assert not others & synonyms.get(one, frozenset()) and one not in others
        assert all(one in opposites[other] for other in others)
    assert all(one in synonyms[other] for one, others in synonyms.items() for other in others)
