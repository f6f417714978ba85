"""One question, one case: copies of an easy one cannot outweigh the rest."""

import pytest

from ragassay.cases.own_questions import refuse_repeats
from ragassay.errors import InputError

FEE = {"case_id": "a", "question": "What is the fee?"}


@pytest.mark.parametrize("again", ["What is the fee?", "what is the FEE", "What  is the fee ??!"])
def test_a_question_in_other_marks_is_the_same(again):
    with pytest.raises(InputError, match=r"(?s)there twice.*line 1; line 2"):
        refuse_repeats([FEE, {"case_id": "b", "question": again}], ["line 1", "line 2"])


def test_an_id_stands_once():
    with pytest.raises(InputError, match="there twice"):
        refuse_repeats([FEE, FEE | {"question": "Who pays?"}], ["line 1", "line 2"])


@pytest.mark.parametrize(
    "apart", [{"segment": "staff"}, {"history": ["Hello.", "Hello."]}, {"question": "What is the fee now?"}]
)
def test_another_asker_or_another_history_makes_another_question(apart):
    refuse_repeats([FEE, FEE | {"case_id": "b"} | apart], ["line 1", "line 2"])


def test_questions_of_marks_alone_are_told_apart():
    refuse_repeats([FEE | {"question": "?"}, {"case_id": "b", "question": "!"}], ["line 1", "line 2"])
