"""Numbers traced: each verdict by hand, in tables of each layout and in prose; the steps spelled out."""

import pytest
from number_tables import LAYOUTS

from ragassay.scores.numbers.number_tracing import (
    DERIVED,
    NOT_FOUND,
    OTHER_ITEM,
    OTHER_PERIOD,
    OTHER_SCALE,
    OTHER_SIGN,
    OTHER_UNIT,
    STATED,
    trace,
)
from ragassay.scores.text_reading.claim_text import missing, read_evidence

ASKED = "What did tea sales come to in 2023?"


def verdicts(sentence: str, *passages: str, question: str = "") -> list[str]:
    return [one.verdict for one in trace(sentence, passages, question)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "sentence, expected",
    [
        ("Tea sales were £4,310 thousand in 2023.", [STATED]),
        ("Tea sales were £4.31 million in 2023.", [STATED]),
        ("Tea sales were £4,310 in 2023.", [STATED]),
        ("Tea sales were £4.31 billion in 2023.", [OTHER_SCALE]),
        ("Tea sales were £3.92 million in 2023.", [OTHER_PERIOD]),
        ("The result was £1.25 million in 2023.", [OTHER_ITEM]),
        ("Fern lost £215,000 in 2023.", [STATED]),
        ("Fern made a profit of £215,000 in 2023.", [OTHER_SIGN]),
        ("The gross margin was 41.5 basis points in 2023.", [OTHER_UNIT]),
        ("The gross margin rose by 2.5 percentage points.", [DERIVED]),
        ("Tea sales rose from £3.92 million to £4.31 million.", [STATED, STATED]),
        ("The lease runs for 12 years.", [STATED]),
    ],
)
def test_each_verdict_by_hand(layout, sentence, expected):
    assert verdicts(sentence, LAYOUTS[layout]) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "sentence, step",
    [
        ("Tea sales rose by £390 thousand.", "4,310 - 3,920 = 390,000"),
        ("Tea sales grew by 9.9% in 2023.", "(4,310 - 3,920) / 3,920 = 9.949"),
        ("Coffee sales were 29.0% of tea sales in 2023.", "1,250 / 4,310 = 29.0023"),
        ("The gross margin rose by 250 basis points.", "41.5% - 39.0% = 250"),
    ],
)
def test_one_step_is_derivable_and_shown(layout, sentence, step):
    (found,) = trace(sentence, (LAYOUTS[layout],), "")
    assert (found.verdict, found.step) == (DERIVED, step)


DUES = "Harbour dues were $70 million in 2022 and $77 million in 2023."
RENT = "The monthly mooring rent is $40.00. The late fee is $55.00."


@pytest.mark.parametrize(
    "passage", [DUES, "In 2022 harbour dues were $70 million. In 2023 harbour dues were $77 million."]
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


@pytest.mark.parametrize(
    "sentence, passage, expected",
    [
        ("The annual mooring rent is $40.00.", RENT, OTHER_PERIOD),
        ("Mooring costs $40.00 a year.", RENT, OTHER_PERIOD),
        ("Harbour dues were $77 million in 2022.", DUES, OTHER_PERIOD),
    ],
)
def test_a_number_told_otherwise_is_a_missing_fact(sentence, passage, expected):
    (found,) = trace(sentence, (passage,))
    assert (found.verdict, found.score <= 0.25) == (expected, True)
    assert missing(sentence, [], read_evidence((passage,)))


@pytest.mark.parametrize(
    "passage, sentence, held",
    [
        ("Revenue was $412 million.", "Revenue was $0.412 billion.", True),
        ("The dose is 5 g.", "The dose is 5 mg.", False),
        (
            "The ratio fell from 58.2% in 2024 to 55.9% in 2025.",
            "The ratio fell by 2.3 percentage points.",
            True,
        ),
        ("The rate is 0.50% a year.", "The rate is 0.50% a month.", False),
        ("You may take up to 5 bags.", "You may take 1 bag.", False),
        ("The fee is €1,234.56.", "The fee is €1\u202f234,56.", True),
        ("The fee is 2.5 percent.", "The fee is 250 basis points.", True),
        ("Revenue was $890 million.", "Revenue was USD 890,000,000.", True),
        ("Revenue was $890 million.", "Revenue was 890 dollars.", False),
        ("The result was a loss of 3.5 million.", "The result was -3.5 million.", True),
        ("The change was \u22123.5%.", "The change was 3.5%.", False),
    ],
)
def test_a_number_is_one_however_it_is_written_and_no_other(passage, sentence, held):
    assert all(one.held for one in trace(sentence, (passage,))) == held


@pytest.mark.parametrize(
    "sentence, least, most",
    [
        ("The plan pays up to €500.", 0.9, 1.0),
        ("The plan pays €500.", 0.9, 1.0),
        ("The plan pays at least €500.", 0.0, 0.25),
    ],
)
def test_a_limit_is_no_value(sentence, least, most):
    (found,) = trace(sentence, ("The plan pays up to €500 a trip.",))
    assert least <= found.score <= most


@pytest.mark.parametrize(
    "sentence, verdict",
    [
        ("Replace the ring every 900 hours.", STATED),
        ("Replace the ring every 400 hours.", OTHER_ITEM),
        ("The dose is 80 mg, four times 20 mg.", NOT_FOUND),
        ("Grease it with 80 g, four times 20 g.", DERIVED),
        ("Grease it with 20 g a month.", OTHER_PERIOD),
        ("The oil lost 4 g.", OTHER_SIGN),
    ],
)
def test_a_number_in_prose_is_that_of_its_clause(sentence, verdict):
    passage = "Replace the seal every 400 hours and the ring every 900 hours. Grease it with 20 g. The oil gained 4 g."
    assert trace(sentence, (passage,))[0].verdict == verdict
