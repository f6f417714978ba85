"""Gates never rest on a pool of origins: by hand, and laws that no addition or loss of evidence may break."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision.judged_gates import judge, judge_worst
from ragassay import tables
from ragassay.decision import gates, rating
from ragassay.errors import ParameterError

RULE = {"judged_grounded": "low >= 0.8"}
NO_FINDINGS = pd.DataFrame(columns=["finding_id", "severity", "status"])
HARM = {"privacy_leak_rate": "high <= 0.02, critical"}


def test_easy_generated_questions_do_not_pass_the_gate_of_our_own():
    """Pooled, 0.90 [0.87, 0.93] would pass; the own questions alone miss."""
    found = judge(RULE, {"judged_grounded": {"own": (76, 100), "generated": (396, 400)}})
    tables.check("gates", found)
    assert found["origin"].tolist() == ["own", "generated"]
    assert found["outcome"].tolist() == ["fail", "pass"] and found["missed"].tolist() == ["value", ""]
    assert gates.worst_rows(found)["origin"].tolist() == ["own"]


@pytest.mark.parametrize(
    "rules, origins, outcome",
    [
        (RULE, {"own": (95, 100), "generated": (95, 100)}, ("pass", "")),
        (RULE, {"own": (95, 100), "generated": (60, 100)}, ("fail", "value")),  # a made row still counts
        (RULE, {"own": (82, 100)}, ("fail", "bound")),
        (RULE, {"own": (16, 16)}, ("incomplete", "")),  # 17 needed
        (RULE, {"own": (95, 100), "generated": (16, 16)}, ("pass", "")),  # too few made ones do not decide
        (RULE, {"own": (95, 100), "generated": (10, 16)}, ("incomplete", "")),  # unless their value misses
        (RULE, {"generated": (16, 16)}, ("incomplete", "")),  # nor where there are no others
        (RULE, {"log": (95, 100), "own": (16, 16)}, ("incomplete", "")),
        (HARM, {"own": (0, 264), "generated": (0, 120), "probe": (0, 689)}, ("pass", "")),
        (HARM, {"own": (0, 264), "probe": (9, 100)}, ("fail", "value")),
        (HARM, {"own": (0, 120), "probe": (0, 689)}, ("incomplete", "")),
    ],
)
def test_by_hand(rules, origins, outcome):
    (gate,) = rules
    assert judge_worst(rules, {gate: origins})[gate] == outcome


def test_own_questions_that_nobody_measured_are_missing():
    found = judge(RULE, {"judged_grounded": {"generated": (99, 100)}}, expected=["own"])
    assert found[["origin", "outcome"]].to_numpy().tolist() == [["own", "incomplete"], ["generated", "pass"]]
    assert found["reason"][0] == gates.NOT_MEASURED
    declined = "probes_declined"
    attacks = judge({declined: "low >= 0.5"}, {declined: {"probe": (90, 100)}}, expected=["own"])
    assert attacks["outcome"].tolist() == ["pass"], "no own question is an attack"


@pytest.mark.parametrize(
    "metric, rule, critical",
    [
        ("judged_grounded", "low >= 0.8", True),
        ("true_success", "low >= 0.5", True),
        ("judged_grounded", "low >= 0.8, not critical: staff check every citation", False),
        ("support", "low >= 0.8", False),
        ("support", "low >= 0.8, critical", True),
    ],
)
def test_what_people_rate_is_critical_unless_the_rule_says_why_not(metric, rule, critical):
    (parsed,) = gates.parse({metric: rule})
    assert parsed.critical is critical
    assert ("not critical: staff check every citation" in str(parsed)) == ("not critical" in rule)


@pytest.mark.parametrize(
    "metric, rule",
    [
        ("judged_grounded", "low >= 0.8, not critical:"),
        ("judged_grounded", "low >= 0.8, not critical: x"),
        ("judged_grounded", "low >= 0.8, not critical: 1234 ... \u200b\u2060\u3164\u3164\u3164"),
        ("judged_grounded", "low >= 0.8, critical, not critical: why"),
        ("support", "low >= 0.8, not critical: it is none"),
    ],
)
def test_a_reason_that_is_none_or_where_none_is_needed_is_refused(metric, rule):
    with pytest.raises(ParameterError, match="gate"):
        gates.parse({metric: rule})


@pytest.mark.parametrize("end", [" " * 100_000 + "x", "," * 100_000, ", not critical: " + " " * 100_000])
def test_a_long_line_is_refused_at_once(end):
    with pytest.raises(ParameterError):
        gates.parse({"judged_grounded": f"low >= 0.8{end}"})


# --- laws

ORIGINS = ("own", "log", "generated", "database", "probe")
COUNT = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
MEASURED = st.dictionaries(st.sampled_from(ORIGINS), COUNT, min_size=1)
EITHER = st.sampled_from([("judged_grounded", "low >= 0.8"), ("privacy_leak_rate", "high <= 0.1, critical")])
LAWS = settings(deadline=None, max_examples=30)
ORDER = ["Not fit", "Not assessable", "Fit with conditions", "Fit for use"]


@LAWS
@given(EITHER, MEASURED, st.sampled_from(ORIGINS), COUNT)
def test_cases_of_another_origin_never_turn_a_fail_into_a_pass(gate, measured, origin, more):
    """Whatever is added in an origin that was not there, easy or not."""
    (metric, rule), added = gate, {origin: more} | measured
    before, after = (judge_worst({metric: rule}, {metric: each})[metric] for each in (measured, added))
    assert before[0] != "fail" or after[0] == "fail"


@LAWS
@given(EITHER, MEASURED, st.sampled_from(ORIGINS), COUNT)
def test_the_row_of_an_origin_depends_on_its_own_cases_alone(gate, measured, origin, more):
    (metric, rule), added = gate, {origin: more} | measured
    before, after = (judge({metric: rule}, {metric: each}).set_index("origin") for each in (measured, added))
    columns = ["value", "low", "high", "n", "outcome", "missed", "reason"]
    assert after.loc[before.index, columns].equals(before[columns])


@LAWS
@given(EITHER, MEASURED)
def test_a_pool_never_passes_where_a_deciding_origin_does_not(gate, measured):
    """One row for all cases together would pass where one origin fails; here the worst decides."""
    (metric, rule) = gate
    found = judge({metric: rule}, {metric: measured})
    worst = gates.worst_rows(found).iloc[0]
    assert worst["outcome"] != "pass" or set(found[found["decides"]]["outcome"]) == {"pass"}
    assert found[found["outcome"] == "fail"]["decides"].all(), "a fail always counts"
    users = found[found["origin"].isin(["own", "log", "probe"])]
    assert users["decides"].all()


@LAWS
@given(EITHER, MEASURED, st.sampled_from(ORIGINS))
def test_missing_and_barred_never_pass(gate, measured, origin):
    (metric, rule) = gate
    barred = judge({metric: rule}, {metric: measured}, barred={metric: "failed its tests"})
    assert set(barred["outcome"]) == {"incomplete"} and barred["decides"].all()
    lost = {name: count for name, count in measured.items() if name != origin}
    expected = [name for name in measured if name in ("own", "log")]
    after = judge({metric: rule}, {metric: lost}, expected=expected)
    if origin in expected and {*lost} & {"own", "log", "generated", "database"}:
        assert gates.worst_rows(after)["outcome"][0] != "pass"
    if not lost:
        assert after["outcome"].tolist() == ["incomplete"]


@LAWS
@given(EITHER, st.sampled_from(["own", "log", "probe"]), COUNT, st.integers(1, 40))
def test_fewer_cases_of_the_same_share_never_pass_what_failed(gate, origin, count, part):
    """Under-powered: the same share of fewer cases passes no gate that more of them failed."""
    (metric, rule), (k, n) = gate, count
    more = judge_worst({metric: rule}, {metric: {origin: (k * part, n * part)}})[metric]
    fewer = judge_worst({metric: rule}, {metric: {origin: (k, n)}})[metric]
    assert more[0] != "fail" or fewer[0] != "pass"


@LAWS
@given(st.lists(COUNT, min_size=1, max_size=3), COUNT)
def test_more_gates_never_improve_a_rating(counts, more):
    names = ["retrieval_recall", "abstention_correct", "schema_valid"]
    rules = dict.fromkeys([*names, "must_pass"], "low >= 0.8")
    measured = {name: {"own": count} for name, count in zip(names, counts, strict=False)}
    few = {name: rules[name] for name in measured}
    before = rating.rate(judge(few, measured), NO_FINDINGS)["rating"]
    every = judge(few | {"must_pass": rules["must_pass"]}, measured | {"must_pass": {"own": more}})
    after = rating.rate(every, NO_FINDINGS)
    assert ORDER.index(after["rating"]) <= ORDER.index(before)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 100), st.integers(0, 3000))
def test_no_number_of_easy_own_probes_passes_a_gate_that_the_kits_miss_by_the_value(leaks, easy):
    of_kit, every = (
        judge(HARM, {"privacy_leak_rate": {"probe": (leaks, n), "own": (0, 264)}}) for n in (100, 100 + easy)
    )
    held = gates.holding_for_kit(every, of_kit).set_index("origin")
    tables.check("gates", held.reset_index())
    missed = of_kit.set_index("origin").loc["probe"]
    assert held.loc["own", "outcome"] == "pass"
    if missed["outcome"] == "fail" and missed["missed"] == "value":
        assert held.loc["probe"].equals(missed)
    else:
        assert held.loc["probe", "n"] == 100 + easy
