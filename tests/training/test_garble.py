import random

from hypothesis import given
from hypothesis import strategies as st

import garble

SENTENCE = "The fee is charged once a day and never more than three times a week."


def test_each_rule_by_hand():
    words = ["the", "fees", "are", "paid", "by", "us", "today"]
    draw = random.Random(0)
    assert sorted(garble.exchange(words, draw)) == sorted(words)
    assert len(garble.leave_out(words, draw)) == len(words) - 1
    assert len(garble.double(words, draw)) == len(words) + 1
    assert sorted(garble.move(words, draw)) == sorted(words)
    assert garble.form(["we", "have", "it"], random.Random(1)) in (["us", "have", "it"], ["we", "has", "it"])
    assert garble.ending(["the", "fees", "rose"], draw) != ["the", "fees", "rose"]


@given(seed=st.integers(0, 10**6))
def test_what_comes_back_differs_from_the_sentence(seed):
    assert garble.garbled(SENTENCE, random.Random(seed)) not in (SENTENCE, "")
