"""Declining and answering: by hand, the rate whatever else is in the table, premises set right."""

import pytest
from fake_tools import INSTRUMENTS
from word_tools import WordTools

from ragassay.scores.families.refusals import (
    abstains,
    abstention_correct,
    hedged_rate,
    premise_corrected,
    refusal_quality,
    should_have_abstained,
)
from ragassay.scores.metric import NotApplicable, Tools
from ragassay.scores.prepared_answer import Sample

TOOLS, FAKES = WordTools(), Tools(**INSTRUMENTS)
REFUSAL, ANSWER = "I could not find this.", "The fee is 5."


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_declining_is_seen_and_named():
    assert abstains(sample_of(REFUSAL), TOOLS) == (1.0, [{"state": "declined"}])
    assert abstains(sample_of(ANSWER), TOOLS) == (0.0, [{"state": "answered"}])


def test_a_hedged_answer_is_no_abstention_and_right_only_where_it_is_grounded():
    """Decision 20: an invention after a refusal is a false answer, related information that is held is none."""
    held, invented = (f"{REFUSAL} The fee is {fee} dollars a month." for fee in (5, 70))
    rows = [
        sample_of(text, answerable=False, contexts=("The fee is 5 dollars a month.",))
        for text in (held, invented)
    ]
    assert [abstains(row, FAKES)[0] for row in rows] == [0.0, 0.0]
    assert [hedged_rate(row, FAKES)[0] for row in rows] == [1.0, 1.0]
    assert [abstention_correct(row, FAKES)[0] for row in rows] == [1.0, 0.0]
    assert [should_have_abstained(row, FAKES)[0] for row in rows] == [0.0, 1.0]
    assert abstention_correct(sample_of(invented, answerable=True), FAKES)[0] == 1.0


@pytest.mark.parametrize(
    "answer, answerable, right",
    [(REFUSAL, True, 0.0), (REFUSAL, False, 1.0), (ANSWER, True, 1.0), (ANSWER, False, 0.0)],
)
def test_the_decision(answer, answerable, right):
    assert abstention_correct(sample_of(answer, answerable=answerable), TOOLS)[0] == right


ASKED = "What does the Heron Card cost?"
GOOD = "I am sorry, the documents do not mention the Heron Card. Please contact a branch."
CURT = "I do not know."
ADDING = "I could not find this in the documents. The fee is $70.00."
FEE = {"question": "Why is the monthly fee $18.00?", "reference_answer": "The monthly fee is $6.00."}
RULE = {
    "question": "How can a branch change the credit limit?",
    "reference_answer": "A branch cannot change the credit limit.",
}


def sample_of_refusals(answer, **more):
    return Sample("c1", "s", answer=answer, **({"question": ASKED, "answerable": False} | more))


@pytest.mark.parametrize(
    ("answer", "parts"), [(GOOD, (1, 1, 1, 1)), (CURT, (0, 0, 0, 1)), (ADDING, (0, 1, 0, 0))]
)
def test_a_refusal_by_hand(answer, parts):
    """The mean of four: polite, says what it lacks, offers a way on, asserts nothing."""
    value, detail = refusal_quality(sample_of_refusals(answer), FAKES)
    assert tuple(map(int, detail[0].values())) == parts
    assert value == pytest.approx(sum(parts) / 4)


def test_an_answer_is_no_refusal():
    with pytest.raises(NotApplicable, match="does not decline"):
        refusal_quality(sample_of_refusals("The card costs $5.00 a year."), FAKES)


@pytest.mark.parametrize(
    ("answer", "case", "right"),
    [
        ("The monthly fee is $6.00.", FEE, 1),
        ("It is not $18.00. The monthly fee is $6.00.", FEE, 1),
        ("The monthly fee is $18.00 because of our costs.", FEE, 0),
        ("The monthly fee is $18.00. Others pay $6.00.", FEE, 0),
        ("A branch cannot change the credit limit [a#p1].", RULE, 1),
        ("A branch can change the credit limit on request.", RULE, 0),
    ],
)
def test_a_premise_is_set_right_by_what_is_true(answer, case, right):
    assert premise_corrected(sample_of_refusals(answer, **case), FAKES)[0] == right
