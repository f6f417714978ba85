"""Gates: the table of truth, the grammar; waivers, in force and expired."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay import tables
from ragassay.decision import gates
from ragassay.errors import ParameterError
from ragassay.run import named_values, parameters


def card(value=0.8, low=0.75, high=0.85, n=100, metric="m", slice="all", **columns) -> pd.DataFrame:
    row = {"metric": metric, "slice": slice, "value": value, "low": low, "high": high, "n": n}
    return pd.DataFrame([row | {"left_out": 0, "reason": ""} | columns])


TRUTH = [
    # rule, scorecard, barred, outcome, part of the reason
    ("low >= 0.7", card(), {}, "pass", ""),
    ("low >= 0.78", card(), {}, "fail", ""),  # the point, 0.80, would pass
    ("low >= 0.9", card(), {}, "fail", ""),
    ("high <= 0.9", card(), {}, "pass", ""),
    ("high <= 0.82", card(), {}, "fail", ""),  # the point, 0.80, would pass
    ("low >= 0.7", card(low=np.nan), {}, "incomplete", "no interval"),
    ("low >= 0.7", card(low=np.nan, reason="3 clusters, at least 6 needed"), {}, "incomplete", "no interval"),
    ("low >= 0.7", card(low=np.nan, n=0, reason="no judge named"), {}, "incomplete", "no judge named"),
    ("high <= 0.9", card(low=np.nan), {}, "pass", ""),
    ("low >= 0.7", card(metric="other"), {}, "incomplete", "not measured"),
    ("low >= 0.7", card(slice="topic=T1"), {}, "incomplete", "not measured"),
    ("low >= 0.7", card(), {"m": "failed 3 unit tests"}, "incomplete", "instrument barred"),
    ("low >= 0.7", card(), {"other": "failed"}, "pass", ""),
    ("low >= 0.7", card(n=90, n_error=10, n_not_measured=0), {}, "pass", ""),
    ("low >= 0.7", card(n=89, n_error=6, n_not_measured=5), {}, "incomplete", gates.LOST),
    ("low >= 0.7", card(n=50, n_not_applicable=50, n_error=0), {}, "pass", ""),
]


@pytest.mark.parametrize("rule, scorecard, barred, outcome, reason", TRUTH)
def test_table_of_truth(rule, scorecard, barred, outcome, reason):
    found = gates.evaluate(gates.parse({"m": rule}), scorecard, barred=barred)
    tables.check("gates", found)
    assert (found["outcome"][0], found["reason"][0]) == (outcome, reason)


SLICED = [
    # rule, value, low, high, n, outcome, part of the reason
    ("low >= 0.8", 1.0, 0.794, 1.0, 16, "incomplete", 17),
    ("low >= 0.8", 1.0, 0.805, 1.0, 17, "pass", 0),
    ("low >= 0.8", 1.0, 0.43, 1.0, 30, "incomplete", 17),  # in few conversations
    ("low >= 0.8", 0.9, 0.74, 0.97, 40, "fail", 0),
    ("low >= 0.8", 0.5, 0.1, 0.9, 4, "incomplete", 17),
    ("low >= 0.8", 0.0, 0.0, 0.37, 8, "fail", 0),  # eight of eight were bad: no question
    ("high <= 0.02", 0.0, 0.0, 0.31, 10, "incomplete", 183),
    ("high <= 0.02", 0.5, 0.19, 0.81, 10, "fail", 0),
    ("low >= 1", 0.5, 0.1, 0.9, 4, "fail", 0),
]


@pytest.mark.parametrize("rule, value, low, high, n, outcome, needed", SLICED)
def test_a_slice_of_too_few_cases_is_incomplete_with_what_it_has_and_needs(
    rule, value, low, high, n, outcome, needed
):
    rules = gates.parse({"m in language = es": rule})
    found = gates.evaluate(rules, card(value, low, high, n, slice="language=es")).iloc[0]
    assert (found["outcome"], found["needed"], found["slice"]) == (outcome, needed, "language=es")
    overall = gates.evaluate(gates.parse({"m": rule}), card(value, low, high, n)).iloc[0]
    assert overall["outcome"] == ("pass" if outcome == "pass" else "fail")  # what all cases show stands


def test_a_gate_in_something_that_is_no_slice_is_refused():
    with pytest.raises(ParameterError, match="a factor and one of its levels"):
        gates.parse({"m in T01": "low >= 0.8"})


DECLINED = {"out_of_scope_declined": "low >= 0.8, if asked", "m": "low >= 0.5"}


def unasked(**columns) -> pd.DataFrame:
    """The scorecard of a log: no out-of-scope question could be asked."""
    nothing = {"value": np.nan, "low": np.nan, "high": np.nan, "n": 0, "metric": "out_of_scope_declined"}
    return pd.concat([card(**nothing | columns), card()], ignore_index=True)


def test_what_a_log_cannot_be_asked_is_set_aside_and_named():
    kept, aside = gates.set_aside(gates.parse(DECLINED), unasked(), logged=True)
    assert [rule.name for rule in kept] == ["m"]
    assert aside.to_dict("records") == [
        {"gate": "out_of_scope_declined", "rule": "low >= 0.8", "reason": gates.CANNOT_BE_ASKED}
    ]


@pytest.mark.parametrize(
    "rules, scorecard, logged",
    [
        (DECLINED, unasked(), False),  # an assistant that answers nothing escapes no gate
        ({"out_of_scope_declined": "low >= 0.8"}, unasked(), True),  # the user's own words
        (DECLINED, unasked(n=1), True),  # a log that holds one of the questions is judged by them
        (DECLINED, card(), True),  # chapter 5 was not run
        ({"judged_grounded": "low >= 0.8, if asked"}, card(metric="judged_grounded", n=0), True),  # no labels
        ({"out_of_scope_declined in topic=a": "low >= 0.8, if asked"}, card(), True),
    ],
)
def test_nothing_else_is_ever_set_aside(rules, scorecard, logged):
    parsed = gates.parse(rules)
    kept, aside = gates.set_aside(parsed, scorecard, logged=logged)
    assert kept == parsed and aside.empty


def test_only_what_no_log_holds_may_be_set_aside_by_default():
    books = Path(__file__).parents[2] / "notebooks"
    default = next(p for p in parameters.declared(books / "07_conclusion.ipynb") if p.name == "gates").default
    assert {rule.metric for rule in gates.parse(default) if rule.if_asked} == {"out_of_scope_declined"}
    assert set(gates.ASKED) <= set(named_values.RATES)


def saturated(metric: str, **columns) -> pd.DataFrame:
    return card(metric=metric, saturated="1 for 40 of 40 scored answers", **columns)


def test_a_saturated_grade_is_barred_and_says_why():
    name = "grouse_faithfulness"
    rules = gates.parse({name: "low >= 0.5", f"{name} in topic=a": "low >= 0.5"})
    found = gates.evaluate(rules, pd.concat([saturated(name), saturated(name, slice="topic=a")]))
    tables.check("gates", found)
    assert found["outcome"].tolist() == ["incomplete", "incomplete"], "a stratum is no way around it"
    assert found["reason"][0] == gates.SATURATED


@pytest.mark.parametrize(
    "metric", ["privacy_leak_rate", "judged_grounded", "abstention_correct", "schema_valid"]
)
def test_harms_checks_and_what_people_said_stay_usable(metric):
    found = gates.evaluate(gates.parse({metric: "low >= 0.5"}), saturated(metric))
    assert found["outcome"].tolist() == ["pass"]


@settings(deadline=None, max_examples=25)
@given(
    metric=st.sampled_from(["grouse_faithfulness", "groundedness", "privacy_leaks", "judged_grounded", "m"]),
    rule=st.sampled_from(["low >= 0.5", "high <= 0.5", "low >= 0.9, critical", "high <= 0.1, critical"]),
    bounds=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_no_saturation_turns_a_fail_into_a_pass(metric, rule, bounds):
    rules, (low, high) = gates.parse({metric: rule}), bounds
    plain = gates.evaluate(rules, card(metric=metric, low=low, high=high, value=low))
    after = gates.evaluate(rules, saturated(metric, low=low, high=high, value=low))
    assert after["outcome"][0] in (plain["outcome"][0], "incomplete")


def test_a_rate_without_origins_has_one_row():
    rules = gates.parse({"m": "low >= 0.7"})
    pooled = gates.evaluate(rules, card(), expected=["own"])
    assert pooled["origin"].tolist() == ["all"]
    by_origin = pd.concat(
        [card(), card(slice="origin=own", value=0.5, low=0.4), card(slice="origin=generated")]
    )
    judged = gates.evaluate(rules, by_origin, expected=["own"])
    assert judged[["origin", "outcome"]].to_numpy().tolist() == [["own", "fail"], ["generated", "pass"]]


def test_a_gate_on_a_share_keeps_how_its_interval_was_made():
    rows = card(metric="judged_grounded", value=0.8505, low=0.7955, high=0.8953, method="Clopper-Pearson")
    found = gates.evaluate(gates.parse({"judged_grounded": "low >= 0.8"}), rows)
    assert found["method"][0] == "Clopper-Pearson"


@pytest.mark.parametrize("generates", [True, False])
def test_a_pass_that_follows_from_quoting_is_marked(generates):
    rules = gates.parse({"toxicity_rate": "high <= 0.9", "judged_grounded": "low >= 0.7"})
    rows = pd.concat([card(metric="toxicity_rate"), card(metric="judged_grounded")])
    found = gates.evaluate(rules, rows, generates=generates)
    assert found["outcome"].tolist() == ["pass", "pass"]
    assert found["by_design"].tolist() == [not generates, False]


WAIVERS = {
    "judged_grounded": "A. Meyer, CRO: corrected in release 1.1; until 2027-01-31",
    "toxicity_rate": "B: none seen; until 2026-08-31",
}


def test_parse_by_hand():
    found = gates.parse(
        {
            "groundedness": "low >= 0.70",
            "privacy_leak_rate": "high <= 2 %, critical",
            "groundedness in language=es": "low>=.65",
        }
    )
    assert found == [
        gates.GateRule("groundedness", "groundedness", "low", 0.7),
        gates.GateRule("privacy_leak_rate", "privacy_leak_rate", "high", 0.02, "all", True),
        gates.GateRule("groundedness in language=es", "groundedness", "low", 0.65, "language=es"),
    ]
    asked = gates.parse({"m": "low >= 80%, critical, if asked", "n": "low >= .8 ,if asked"})
    assert [(rule.if_asked, rule.critical) for rule in asked] == [(True, True), (True, False)]
    assert str(asked[0]) == "low >= 0.8, critical"
    assert str(found[1]) == "high <= 0.02, critical"


@pytest.mark.parametrize(
    "text", ["0.7", "low > 0.7", "value >= 0.7", "low >= nan", "", None, "low >= 0.7 or exit()"]
)
def test_what_cannot_be_read_is_refused_with_an_example(text):
    with pytest.raises(ParameterError, match="gate 'groundedness'"):
        gates.parse({"groundedness": text})


@pytest.mark.parametrize("text", ["low <= 0.1", "high >= 0.7"])
def test_the_favourable_bound_is_refused(text):
    with pytest.raises(ParameterError, match="favourable bound"):
        gates.parse({"groundedness": text})


def test_waivers_by_hand():
    found = gates.waiver_table(WAIVERS, date="2026-09-01")
    assert found.values.tolist() == [
        ["judged_grounded", "A. Meyer, CRO", "corrected in release 1.1", "2027-01-31", "in force"],
        ["toxicity_rate", "B", "none seen", "2026-08-31", "expired"],
    ]
    assert set(gates.waiver_table(WAIVERS, date="2026-08-31")["state"]) == {"in force"}, "the last day counts"
    assert gates.waiver_table({}).empty


@pytest.mark.parametrize(
    "text",
    ["", " ", "signed", "A: why", "A; until 2027-01-31", "A:; until 2027-01-31", ": why; until 2027-01-31",
     "A: why; until 2027-02-31", "A: why; until soon", None, 3,
     "A: .; until 2027-01-31", "A: r; until 2027-01-31", "\u200b: corrected; until 2027-01-31",
     "A: \u200b\u3164\u3164\u3164; until 2027-01-31", "-: corrected; until 2027-01-31"],
)  # fmt: skip
def test_who_why_and_until_when_must_all_be_said(text):
    with pytest.raises(ParameterError, match="who signed it, why, and until when"):
        gates.waiver_table({"judged_grounded": text})


def test_a_long_line_is_refused_at_once():
    with pytest.raises(ParameterError):
        gates.waiver_table({"g": "a" * 1_000_000})
    with pytest.raises(ParameterError):
        gates.waiver_table({"g": "a: " + "; until " * 20_000})


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
            gates.waiver_table(given, date="2026-11-21", next_review=review)
    else:
        assert len(gates.waiver_table(given, date="2026-11-21", next_review=review))
    assert len(gates.waiver_table(given)), "where no date is known, none limits it"
