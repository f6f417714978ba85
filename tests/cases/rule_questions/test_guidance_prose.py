"""Guidance prose: openers and footnotes, one answer in the collection, words that are everywhere."""

import pytest

from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.cases.rule_questions.guidance_prose import everyday_words, questions

SMALL = frozenset(["tower", "rope", "night", "records"])


def units(*texts):
    return [Unit(f"d#p{i}", "d", "T01", "en", "Lamp Guide", "", text) for i, text in enumerate(texts)]


def asked(*texts):
    return [one.question for one in questions(units(*texts), SMALL)]


@pytest.mark.parametrize("opener", ["In addition, ", "At a minimum, ", "12 "])
def test_openers_and_numbers_of_footnotes_are_left_out(opener):
    sentence = "tower reports should describe the state of each lamp."
    text = opener + (sentence if opener.endswith(", ") else sentence.capitalize())
    (found,) = questions(units(text), SMALL)
    assert found.question == "What should tower reports describe?"
    assert found.answer == "Tower reports should describe the state of each lamp."
    assert found.source.text == text


def test_what_two_sentences_answer_is_not_asked():
    one = "Tower reports should describe the state of each lamp."
    other = "Tower reports should describe the height of the tide."
    assert asked(one) and asked(one, one) and not asked(one, other)


def test_words_of_a_fifth_of_the_passages_single_nothing_out():
    everywhere = [f"Tower reports number {i} tell of fog {'and rain' * (i > 15)}." for i in range(20)]
    common = everyday_words(units(*everywhere))
    assert {"tower", "report", "fog"} <= common and "rain" not in common
    sentence = "Tower reports should describe the state of each lamp."
    assert asked(sentence) and not asked(*everywhere, sentence)
    assert not everyday_words(units(*everywhere[:19]))
