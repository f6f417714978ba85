"""Refusals and corrections: by hand, their laws, their refusals."""

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.scores import score
from ragassay.scores.families.refusals import premise_corrected, refusal_quality
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

TOOLS = Tools(**INSTRUMENTS)
ASKED = "What does the Heron Card cost?"
GOOD = "I am sorry, the documents do not mention the Heron Card. Please contact a branch."
CURT = "I do not know."
HEDGED = "I could not find this in the documents. The fee is $70.00."
FEE = {"question": "Why is the monthly fee $18.00?", "reference_answer": "The monthly fee is $6.00."}
RULE = {
    "question": "How can a branch change the credit limit?",
    "reference_answer": "A branch cannot change the credit limit.",
}


def sample_of(answer, **more):
    return Sample("c1", "s", answer=answer, **({"question": ASKED, "answerable": False} | more))


@pytest.mark.parametrize(
    ("answer", "parts"), [(GOOD, (1, 1, 1, 1)), (CURT, (0, 0, 0, 1)), (HEDGED, (0, 1, 0, 0))]
)
def test_a_refusal_by_hand(answer, parts):
    """The mean of four: polite, says what it lacks, offers a way on, asserts nothing."""
    value, detail = refusal_quality(sample_of(answer), TOOLS)
    assert tuple(map(int, detail[0].values())) == parts
    assert value == pytest.approx(sum(parts) / 4)


def test_an_answer_is_no_refusal():
    with pytest.raises(NotApplicable, match="does not decline"):
        refusal_quality(sample_of("The card costs $5.00 a year."), TOOLS)


@pytest.mark.parametrize(
    ("answer", "case", "right"),
    [
        ("The monthly fee is $6.00.", FEE, 1),
        ("It is $6.00, not $18.00.", FEE, 1),
        ("It is not $18.00. The monthly fee is $6.00.", FEE, 1),
        ("The monthly fee is $18.00 because of our costs.", FEE, 0),
        ("The monthly fee is $18.00. Others pay $6.00.", FEE, 0),
        ("Because of our costs.", FEE, 0),
        ("A branch cannot change the credit limit [a#p1].", RULE, 1),
        ("A branch can change the credit limit on request.", RULE, 0),
        ("Ask at the counter.", RULE, 0),
    ],
)
def test_a_premise_is_set_right_by_what_is_true(answer, case, right):
    assert premise_corrected(sample_of(answer, **case), TOOLS)[0] == right


def test_an_answerable_question_has_no_premise_to_correct():
    with pytest.raises(NotApplicable, match="answerable case"):
        premise_corrected(sample_of("It is $6.00.", **FEE | {"answerable": True}), TOOLS)


def test_in_a_table_no_answer_cases_with_the_truth_alone_have_a_value():
    asked = {"case_id": "c1", "system": "s", "answerable": False}
    rows = [
        asked | FEE | {"answer": "It is $6.00."},
        asked | {"case_id": "c2", "question": ASKED, "answer": CURT},
    ]
    found = score(pd.DataFrame(rows), metrics=["premise_corrected"])
    assert found["value"].tolist()[0] == 1 and found["state"].tolist() == ["scored", "not_applicable"]
