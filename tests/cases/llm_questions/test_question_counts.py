"""What a language model wrote and what was lost of it, in words."""

import pandas as pd

from ragassay.cases.llm_questions.question_counts import MOST, failures, in_words, reasons
from ragassay.models.judge.messages import UNANSWERED, UNPARSED

LOST = pd.DataFrame({"reason": [UNANSWERED, f"{UNPARSED}: line 1", UNPARSED, "has no answer"]})


def test_replies_that_failed_are_counted_apart():
    assert failures(LOST) == {"unanswered": 1, "unparsed": 2}
    lost = "replies that did not come: 1, that could not be parsed: 2"
    assert in_words(pd.DataFrame({"question": ["Why?"]}), LOST) == f"1 questions kept, 4 rejected ({lost})"


def test_the_commonest_reasons_come_first_and_the_rest_is_counted():
    many = [f"reason {i}" for i in range(MOST + 2) for _ in range(MOST + 3 - i)]
    found = reasons(pd.DataFrame({"reason": many}))
    assert found[0] == "13  reason 0" and found[-1] == "5  for 2 other reasons" and len(found) == MOST + 1
    assert reasons(pd.DataFrame({"reason": []})) == []
