"""Numbers of prose traced: growth as in tables, made-up operands, other subjects, periods and bounds."""

import pytest

from ragassay.scores.numbers.number_tracing import (
    DERIVED,
    NOT_FOUND,
    OTHER_BOUND,
    OTHER_PERIOD,
    OTHER_SIGN,
    OTHER_SUBJECT,
    STATED,
    trace,
)
from ragassay.scores.text_reading.claim_text import missing, read_evidence

DUES = "Harbour dues were $70 million in 2022 and $77 million in 2023."
WAGES = "Crew wages were $30 million."
RENT = "The monthly mooring rent is $40.00. The late fee is $55.00."
LOCKS = "A boat may pass the lock at most 3 times a day."


def verdicts(sentence: str, *passages: str) -> list[str]:
    return [one.verdict for one in trace(sentence, passages)]


@pytest.mark.parametrize(
    "passage",
    [
        DUES,
        "Harbour dues were $77 million in 2023, compared with $70 million in 2022.",
        "In 2022 harbour dues were $70 million. In 2023 harbour dues were $77 million.",
        "Harbour dues were $70 million in 2022. They reached $77 million in 2023.",
    ],
)
@pytest.mark.parametrize(
    "sentence, expected",
    [
        ("Harbour dues grew by 10% in 2023.", DERIVED),
        ("Harbour dues grew by 12% in 2023.", NOT_FOUND),
        ("Harbour dues fell by 10% in 2023.", OTHER_SIGN),
        ("Harbour dues rose by $7 million.", DERIVED),
    ],
)
def test_growth_and_difference_of_one_subject_over_two_years(passage, sentence, expected):
    assert verdicts(sentence, passage) == [expected]


def test_numbers_borne_out_are_computed_with_also_those_that_follow():
    said = "Dues rose from $70 million to $77 million, by $7 million or 10%."
    assert verdicts(said, DUES) == [STATED, STATED, DERIVED, DERIVED]


@pytest.mark.parametrize(
    "passages",
    [
        (f"{DUES} {WAGES}",),
        (f"{DUES} The mole was mended, and a pilot came. {WAGES}",),
        (DUES, WAGES),
        ("Harbour dues were $77 million and crew wages were $30 million.",),
    ],
)
def test_an_amount_of_another_subject_than_the_one_named(passages):
    said = "Crew wages were $77 million."
    (found,) = trace(said, passages)
    assert (found.verdict, missing(said, [], read_evidence(passages))) == (OTHER_SUBJECT, ["77"])
    assert found.score < 0.25
    assert verdicts("Crew wages were $30 million.", *passages) == [STATED]


@pytest.mark.parametrize(
    "sentence, passage, expected",
    [
        ("The late fee is $40.00.", RENT, OTHER_SUBJECT),
        ("The annual mooring rent is $40.00.", RENT, OTHER_PERIOD),
        ("Mooring costs $40.00 a year.", RENT, OTHER_PERIOD),
        ("Harbour dues were $77 million in 2022.", DUES, OTHER_PERIOD),
        ("A boat may pass the lock at least 3 times a day.", LOCKS, OTHER_BOUND),
        ("A boat may pass at least three times a day.", LOCKS.replace("3", "three"), OTHER_BOUND),
    ],
)
def test_a_number_told_otherwise_is_a_missing_fact(sentence, passage, expected):
    (found,) = trace(sentence, (passage,))
    assert (found.verdict, found.score <= 0.25) == (expected, True)
    assert missing(sentence, [], read_evidence((passage,)))


def test_small_counts_in_words_count_only_as_bounds_that_the_passages_state():
    assert verdicts("Three boats came, at least two of them late.", LOCKS) == []
