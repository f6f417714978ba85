"""Which notebooks are named on the command line, by number or name."""

import pytest

from ragassay.errors import ParameterError
from ragassay.run.execution.notebook_sequence import Selection, from_words

NAMES = ["00_scope", "04_calibration", "07_conclusion"]


def test_without_words_none_is_named_and_none_left_out():
    assert Selection().anew(NAMES) == set() == Selection().left_out(NAMES)


@pytest.mark.parametrize("words", [("4", "0"), ("04,00",), ("04_calibration , 00_scope",), ("4,0,",)])
def test_only_names_by_number_or_name(words):
    chosen = from_words(words, "", False)
    assert chosen.anew(NAMES) == {"00_scope", "04_calibration"} and chosen.left_out(NAMES) == {
        "07_conclusion"
    }


def test_from_takes_it_and_those_after_it():
    chosen = from_words((), "4", False)
    assert chosen.anew(NAMES) == {"04_calibration", "07_conclusion"} and chosen.left_out(NAMES) == {
        "00_scope"
    }


def test_force_takes_all():
    assert from_words((), "", True).anew(NAMES) == set(NAMES) and not from_words((), "", True).left_out(NAMES)


@pytest.mark.parametrize("word", ["3", "calibration", "-1", "4.0", "\x1b[31m"])
def test_a_notebook_that_is_none_is_refused(word):
    with pytest.raises(ParameterError, match="no such notebook"):
        from_words((word,), "", False).anew(NAMES)


def test_two_ways_at_once_are_refused():
    with pytest.raises(ParameterError, match="only one of"):
        from_words(("4",), "4", False)
