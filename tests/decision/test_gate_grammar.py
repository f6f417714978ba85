"""Gates and waivers as they are written: read, and refused; a waiver in force, and expired."""

import pytest

from ragassay.decision import gate_grammar
from ragassay.decision.gate_grammar import GateRule, waiver_table
from ragassay.errors import ParameterError

GIVEN = {
    "judged_grounded": "A. Meyer, CRO: corrected in release 1.1; until 2027-01-31",
    "toxicity_rate": "B: none seen; until 2026-08-31",
}


def test_parse_by_hand():
    found = gate_grammar.parse(
        {
            "groundedness": "low >= 0.70",
            "privacy_leak_rate": "high <= 2 %, critical",
            "groundedness in language=es": "low>=.65",
        }
    )
    assert found == [
        GateRule("groundedness", "groundedness", "low", 0.7),
        GateRule("privacy_leak_rate", "privacy_leak_rate", "high", 0.02, "all", True),
        GateRule("groundedness in language=es", "groundedness", "low", 0.65, "language=es"),
    ]
    asked = gate_grammar.parse({"m": "low >= 80%, critical, if asked", "n": "low >= .8 ,if asked"})
    assert [(rule.if_asked, rule.critical) for rule in asked] == [(True, True), (True, False)]
    assert str(asked[0]) == "low >= 0.8, critical"
    assert str(found[1]) == "high <= 0.02, critical"


@pytest.mark.parametrize(
    "text",
    ["0.7", "low > 0.7", "value >= 0.7", "low >= 1e999", "low >= nan", "", None, "low >= 0.7 or exit()"],
)
def test_what_cannot_be_read_is_refused_with_an_example(text):
    with pytest.raises(ParameterError, match="gate 'groundedness'"):
        gate_grammar.parse({"groundedness": text})


@pytest.mark.parametrize("text", ["low <= 0.1", "high >= 0.7"])
def test_the_favourable_bound_is_refused(text):
    with pytest.raises(ParameterError, match="favourable bound"):
        gate_grammar.parse({"groundedness": text})


def test_waivers_by_hand():
    found = waiver_table(GIVEN, date="2026-09-01")
    assert found.values.tolist() == [
        ["judged_grounded", "A. Meyer, CRO", "corrected in release 1.1", "2027-01-31", "in force"],
        ["toxicity_rate", "B", "none seen", "2026-08-31", "expired"],
    ]
    assert set(waiver_table(GIVEN, date="2026-08-31")["state"]) == {"in force"}, "the last day counts"
    assert waiver_table({}).empty


@pytest.mark.parametrize(
    "text",
    ["", " ", "signed", "A: why", "A; until 2027-01-31", "A:; until 2027-01-31", ": why; until 2027-01-31",
     "A: why; until 2027-02-31", "A: why; until soon", None, 3,
     "A: .; until 2027-01-31", "A: r; until 2027-01-31", "\u200b: corrected; until 2027-01-31",
     "A: \u200b\u3164\u3164\u3164; until 2027-01-31", "-: corrected; until 2027-01-31"],
)  # fmt: skip
def test_who_why_and_until_when_must_all_be_said(text):
    with pytest.raises(ParameterError, match="who signed it, why, and until when"):
        waiver_table({"judged_grounded": text})


def test_a_long_line_is_refused_at_once():
    with pytest.raises(ParameterError):
        waiver_table({"g": "a" * 1_000_000})
    with pytest.raises(ParameterError):
        waiver_table({"g": "a: " + "; until " * 20_000})


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
            waiver_table(given, date="2026-11-21", next_review=review)
    else:
        assert len(waiver_table(given, date="2026-11-21", next_review=review))
    assert len(waiver_table(given)), "where no date is known, none limits it"
