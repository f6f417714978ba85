"""Waivers: read, refused, expired; they change nothing that was decided."""

import pytest

from ragassay.decision import waivers
from ragassay.errors import ParameterError

GIVEN = {
    "judged_grounded": "A. Meyer, CRO: corrected in release 1.1; until 2027-01-31",
    "toxicity_rate": "B: none seen; until 2026-08-31",
}


def test_by_hand():
    parsed = waivers.parse(GIVEN)
    assert (parsed[0].signed_by, parsed[0].reason) == ("A. Meyer, CRO", "corrected in release 1.1")
    table = waivers.table(parsed, "2026-09-01")
    assert table["state"].tolist() == ["in force", "expired"]
    assert waivers.in_force(parsed, "2026-09-01") == {"judged_grounded": GIVEN["judged_grounded"]}
    assert len(waivers.in_force(parsed, "2026-08-31")) == 2, "the last day counts"
    assert waivers.table([], "2026-09-01").empty


@pytest.mark.parametrize(
    "text",
    ["", " ", "signed", "A: why", "A; until 2027-01-31", "A:; until 2027-01-31", ": why; until 2027-01-31",
     "A: why; until 2027-02-31", "A: why; until soon", None, 3,
     "A: .; until 2027-01-31", "A: r; until 2027-01-31", "\u200b: corrected; until 2027-01-31",
     "A: \u200b\u3164\u3164\u3164; until 2027-01-31", "-: corrected; until 2027-01-31"],
)  # fmt: skip
def test_who_why_and_until_when_must_all_be_said(text):
    with pytest.raises(ParameterError, match="who signed it, why, and until when"):
        waivers.parse({"judged_grounded": text})


def test_a_long_line_is_refused_at_once():
    with pytest.raises(ParameterError):
        waivers.parse({"g": "a" * 1_000_000})
    with pytest.raises(ParameterError):
        waivers.parse({"g": "a: " + "; until " * 20_000})


@pytest.mark.parametrize(
    "until, review, late",
    [
        ("2027-11-21", "not stated", False),
        ("2027-12-01", "not stated", True),
        ("9999-12-31", "", True),
        ("2027-11-21", "2027-11-20", True),
        ("2027-11-20", "2027-11-20", False),
        ("2027-12-01", "2028-11-20", True),
    ],
)
def test_a_waiver_ends_by_the_next_review_and_within_a_year_of_the_report(until, review, late):
    given = {"g": f"A. Meyer: corrected; until {until}"}
    if late:
        with pytest.raises(ParameterError, match="ends too late"):
            waivers.parse(given, date="2026-11-21", next_review=review)
    else:
        assert waivers.parse(given, date="2026-11-21", next_review=review)
    assert waivers.parse(given), "where no date is known, none limits it"
