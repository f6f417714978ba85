"""The same questions once more, and as second turns."""

import pandas as pd
import pytest

from ragassay.cases import case_table, repeated_questions
from ragassay.errors import ParameterError


def cases_of(*questions: str, language: str = "en") -> pd.DataFrame:
    return case_table.cases_frame(
        {"case_id": f"c{i}", "question": text, "answer_type": "short_fact", "query_type": "factual",
         "language": language, "kind": "user"}
        for i, text in enumerate(questions)
    )  # fmt: skip


def test_questions_are_asked_again_in_another_order():
    asked = cases_of(*(f"What is fee {i}?" for i in range(20)))
    again = repeated_questions.ask_again(asked, 12, seed=1)
    assert again["case_id"].is_unique and again["parent_id"].nunique() == 12
    assert again["parent_id"].tolist() != sorted(again["parent_id"])
    assert (again["question"] == again["parent_id"].map(asked.set_index("case_id")["question"])).all()
    with pytest.raises(ParameterError, match="n_repeated"):
        repeated_questions.ask_again(asked, 0, seed=1)


@pytest.mark.parametrize(("question", "subject", "rest"), [
    ("For the Mainsail Loan, what is the late fee?", "the Mainsail Loan", "What is the late fee?"),
    ("What does a wire cost from an Everyday account?", "an Everyday account", "What does a wire cost?"),
    ("According to “Lost Cards”, how long does it take?", "“Lost Cards”", "How long does it take?"),
])  # fmt: skip
def test_a_follow_up_leaves_out_what_the_opening_names(question, subject, rest):
    assert repeated_questions.without_subject(question) == (subject, rest)
    opening, asked = repeated_questions.follow_ups(cases_of(question), 5).to_dict("records")
    assert (opening["kind"], asked["kind"]) == (repeated_questions.OPENING, repeated_questions.FOLLOW_UP)
    assert subject in opening["question"]
    assert (opening["turn"], asked["turn"], asked["question"]) == (1, 2, rest)
    assert opening["conversation_id"] == asked["conversation_id"]
    assert asked["parent_id"] == "c0"


@pytest.mark.parametrize("question", [
    "Which is higher: the fee for the Plus Account, or the fee for the Basic Account?",
    "Can I see somebody on a Tuesday?",
    "Why the Harbour Saver?",
    "How do I pay?",
    "",
])  # fmt: skip
def test_a_question_that_would_lose_its_sense_makes_none(question):
    assert repeated_questions.follow_ups(cases_of(question), 5).empty
