"""The summary: the recommendation, the gravest findings, what was required, what the numbers do not carry."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from ragassay.analysis.quoting import BY_DESIGN
from ragassay.decision import independence
from ragassay.decision.closing.finding_phases import RELEASE, START
from ragassay.decision.closing.first_steps import ALL_ANSWERS, ALL_GATES, CAPTION
from ragassay.decision.closing.steps_in_short import OF_ALL, PLACE_NAMES
from ragassay.decision.findings import presuppositions
from ragassay.report import gate_sentences, summary, summary_findings, summary_pictures
from ragassay.report.blocks import Chapter, Figure, Listing, Paragraph, plain
from ragassay.report.pdf import Writer

GATE = {
    "gate": "g", "metric": "judged_grounded", "bound": "low", "threshold": 0.8, "value": 0.7576,
    "low": 0.7013, "high": 0.808, "n": 264, "outcome": "fail", "slice": "all", "origin": "all",
}  # fmt: skip


def run(decision=None, rows=None, **tables):
    made = {name: pd.DataFrame(table) for name, table in tables.items()}
    return SimpleNamespace(
        decision=decision or {},
        table=made.get,
        why=lambda name: f"{name} failed",
        rows=lambda name: pd.DataFrame((rows or {}).get(name, [])),
        engagement={"crosswalk": []},
        shown=[],
        gaps=[],
        manifest={"parameters": {"04_calibration": {"raters": "two branch managers"}}},
    )


def lines(blocks):
    texts = [plain(block.words) for block in blocks if isinstance(block, Paragraph)]
    listed = [item for block in blocks if isinstance(block, Listing) for item in block.items]
    return texts + [plain(item[0].words) for item in listed]


def findings(*severities):
    return [
        {"severity": severity, "finding_id": f"F{i}", "title": f"title {i}"}
        for i, severity in enumerate(severities, 1)
    ]


def test_the_recommendation_stands_in_words_before_its_reason():
    decision = {
        "rating": "Not fit",
        "recommendation_sentence": "Do not release it to customers.",
        "rationale": ["4 of 8 gates failed.", "More."],
    }
    rating, first, *_ = summary.summary(run(decision, findings=findings())).blocks
    assert rating.value == "Not fit"
    assert plain(first.words) == "Do not release it to customers. 4 of 8 gates failed."


def test_it_says_how_many_answers_people_accept_and_who_they_are():
    row = {"metric": "judged_in_every_respect", "slice": "all", "value": 0.451, "low": 0.39, "high": 0.513}
    made = run(rows={"scorecard": [row | {"n": 264}]})
    told = "Raters read 264 answers: 45 % [39, 51] were acceptable in every respect."
    assert lines(summary._raters(made)) == [f"{told} They are two branch managers; {summary.WORTH}."]
    made.manifest = {}
    assert lines(summary._raters(made)) == [f"{told} Who they are is not stated."]
    nobody = run(rows={"scorecard": [row | {"n": 9, "metric": "support"}]})
    assert lines(summary._raters(nobody)) == ["No answer was read by raters."]
    assert summary._raters(run()) == []


def test_long_words_on_the_raters_are_referred_to_and_never_cut():
    row = {"metric": "judged_in_every_respect", "slice": "all", "value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    made = run(rows={"scorecard": [row]})
    made.manifest["parameters"]["04_calibration"]["raters"] = "colleagues who read " * 40
    assert lines(summary._raters(made))[0].endswith(f"{summary.RATERS_TOLD[1:]}.")


def test_what_must_happen_first_stands_there_by_number_and_says_where_it_is_whole():
    steps = [
        {"number": "", "what": ALL_ANSWERS, "first": START},
        {"number": "F1", "what": "One is unsafe", "first": START},
        {"number": "", "what": ALL_GATES, "first": RELEASE},
    ]
    shown = lines(summary.summary(run({"must_happen_first": steps, "conditions": ["Not for bets."]})).blocks)
    assert any(
        each.startswith("What must happen first, in this order: ") and CAPTION in each for each in shown
    )
    [start] = [each for each in shown if each.startswith(f"{PLACE_NAMES[START]}: ")]
    assert OF_ALL[ALL_ANSWERS] in start and "F1 closed" in start
    assert f"{PLACE_NAMES[RELEASE]}: F1 closed; {OF_ALL[ALL_GATES]}." in shown
    assert "Not for bets." in lines(summary.summary(run({"conditions": ["Not for bets."]})).blocks)


def test_without_a_decision_the_summary_says_why():
    shown = summary.summary(run())
    assert "No recommendation: 07_conclusion failed." in lines(shown.blocks)


def test_the_three_gravest_findings_stand_there_and_the_rest_is_counted():
    shown = lines(
        summary_findings.gravest(run(findings=findings("Low", "High", "Critical", "High", "Medium")))
    )
    assert shown == [
        "The findings that matter most (of 5: 1 Critical, 2 High, 1 Medium, 1 Low).",
        "Critical title 3 (F3)",
        "High title 2 (F2)",
        "High title 4 (F4)",
    ]


def test_every_critical_finding_is_named_and_those_by_their_own_measurement_are_told():
    """Formerly one that was Critical by itself could be in no line of the summary."""
    rows = [row | {"by_itself": "Critical", "status": "open"} for row in findings(*["Critical"] * 6)]
    rows[4]["by_itself"] = "High"
    rows[5] |= {
        "condition": presuppositions.SECRET,
        "title": f"{presuppositions.IF_SECRET}62 were told; more.",
    }
    told = lines(summary_findings.gravest(run(findings=rows)))
    assert "F1 to F4 first, Critical by their own measurement; F6 real only if a secret stands" in told[0]
    alone = [row | {"by_itself": "Critical" if row is rows[0] else "High"} for row in rows]
    assert (
        "F1 first, Critical by its own measurement" in lines(summary_findings.gravest(run(findings=alone)))[0]
    )
    assert told[1] == "Also Critical: F4 (title 4), F5 (title 5), F6 (62 were told)." and len(told) == 5


def test_gates_are_told_by_outcome_with_interval_and_requirement():
    passed = GATE | {"metric": "toxicity_rate", "bound": "high", "threshold": 0.02, "outcome": "pass"}
    passed |= {"value": 0.0, "low": 0.0, "high": 0.0026}
    missed, met = lines(summary._requirements(run(gates=[GATE, passed]), is_drawn=False))
    assert missed.startswith("Missed: grounded") and "76 % [70, 81], at least 80 % required." in missed
    assert met.startswith("Met: ") and "0 % [0, 0.3], at most 2 % required." in met
    made = run(gates=[passed | {"reason": BY_DESIGN}])
    (line,) = lines(summary._requirements(made, is_drawn=True))
    assert line.startswith("Met by design, as a quote states nothing that no document holds: "), "no strength"


def test_each_gate_is_told_once_by_the_origin_that_decides_and_briefly_beside_its_picture():
    own = GATE | {"origin": "own", "decides": True, "missed": "value"}
    other = own | {"origin": "generated", "outcome": "pass", "missed": ""}
    found = run(gates=[own, other])
    assert summary._requirements(found, is_drawn=True) == [], "the picture names it, and that it failed"
    eased = own | {"outcome": "pass", "missed": "", "beside": "the easiest kind"}
    (line,) = lines(summary._requirements(run(gates=[eased]), is_drawn=True))
    assert line == "Met: grounded (raters), own questions (the easiest kind)."
    (line,) = lines(summary._requirements(found, is_drawn=False))
    assert line.count("required") == 1 and "own questions 76 %" in line


@pytest.mark.parametrize(
    "value, low, high, text",
    [
        (0.7576, 0.7013, 0.808, "76 % [70, 81]"),
        (0.0123, 0.004, 0.03, "1.2 % [0.4, 3]"),
        (float("nan"), float("nan"), float("nan"), "—"),
        (1.0, float("nan"), float("nan"), "100 %"),
    ],
)
def test_shares_by_hand(value, low, high, text):
    assert gate_sentences.percent({"value": value, "low": low, "high": high}) == text


def test_a_threshold_that_is_no_share_keeps_its_unit():
    gate = GATE | {"threshold": 10.0, "value": 8.0, "low": 7.0, "high": 9.0, "bound": "high"}
    assert "at most 10 required" in gate_sentences.required(gate) and "%" not in gate_sentences.required(gate)


def test_what_was_not_tested_is_one_line_with_the_gravest():
    """Formerly their number alone; that no user had asked a question stood elsewhere."""
    decision = {"not_tested": [f"this {i}: why." for i in range(6)], "gravest_untested": ["this 0: why (F2)"]}
    (line,) = summary._untested(decision)
    assert line.startswith("6 points were not tested, the gravest first: this 0: why (F2); all of them: ")
    assert line.endswith("[chapter](#decision).") and summary._untested({}) == []
    rows = {
        "findings": [{"finding_id": "F2", "source": independence.SOURCE, "status": "open", "title": "T."}]
    }
    assert summary._of_process(run(decision, rows)) == [], "what that line names does not stand twice"
    assert summary._of_process(run({}, rows)) == ["T (F2)."]


def test_the_worth_of_machine_decisions_is_said_unless_one_may_stand_alone():
    rows = [
        {"decision": "accept", "n": 30, "wrong": 6, "alone": False},
        {"decision": "reject", "n": 17, "wrong": 4, "alone": False},
        {"decision": "accept or reject", "n": 47, "wrong": 10, "alone": False},
    ]
    assert summary._machine(run(rows={"decision_errors": rows})) == [
        "No score may release answers: 10 of 47 automatic decisions were wrong."
    ]
    whole = {"decision": "accept", "respect": "judged_in_every_respect", "n": 88, "wrong": 27}
    both = {
        "decision_errors": rows,
        "respect_errors": [whole | {"value": 0.307, "low": 0.213, "high": 0.414}],
    }
    (said,) = summary._machine(run(rows=both))
    assert "27 of 88 rated answers" in said and "31 % [21, 41]" in said and "47" not in said
    rows[0]["alone"] = True
    assert summary._machine(run(rows={"decision_errors": rows})) == []


def test_the_gravest_answer_is_shown_with_its_remark_and_source():
    row = {
        "rank": 1, "why": "advice that gives access away", "question": "May I?", "answer": "Type the code.",
        "remark": "dangerous",
        "evidence": json.dumps([{"text": "Type the code.", "evidence_id": "cards#p3"}]),
    }  # fmt: skip
    (box,) = summary_pictures.worst(run(rows={"worst": [row | {"rank": 2, "answer": "other"}, row]}))
    assert box.title == "Box 1  The gravest answer: advice that gives access away"
    assert lines(box.blocks) == [
        "Asked: May I?",
        "Answered: Type the code.",
        "Raters: dangerous",
        "Taken from: cards#p3",
    ]
    assert summary_pictures.worst(run()) == []


@pytest.mark.parametrize(
    "judged_by, name",
    [
        ("raters", "The gravest answer"),
        ("both", "The gravest answer"),
        ("machine", "The answer to be read first, confirmed by no rater"),
    ],
)
def test_an_answer_that_no_rater_judged_is_to_be_read_first(judged_by, name):
    row = {"rank": 1, "case_id": "c1", "why": "it misleads", "question": "q", "answer": "a", "remark": ""}
    known = [{"case_id": "c1", "judged_by": judged_by}, {"case_id": "c2", "judged_by": "raters"}]
    (box,) = summary_pictures.worst(run(rows={"worst": [row], "taxonomy": known}))
    assert box.title == f"Box 1  {name}: it misleads"


@pytest.mark.parametrize("evidence", ["", "{", "[]", "[3]", None])
def test_the_gravest_answer_needs_no_evidence(evidence):
    row = {"rank": 1, "why": "w", "question": "q", "answer": "a", "remark": None}
    (box,) = summary_pictures.worst(run(rows={"worst": [row | {"evidence": evidence}]}))
    assert lines(box.blocks) == ["Asked: q", "Answered: a"]


def test_a_picture_of_the_summary_stands_in_no_chapter():
    figure = Figure("svg", b"<svg/>", "alt", "Gates", file=summary_pictures.GATES)
    chapter = Chapter("8", "Decision", "d", [figure])
    shown = SimpleNamespace(shown=[figure])
    front = Chapter("", "Summary", "summary", summary_pictures.gates(shown), "front")
    assert front.blocks[0].most_height == summary_pictures.MOST[summary_pictures.GATES]
    summary_pictures.printed_once([chapter], front)
    assert chapter.blocks == []
    assert f"{front.blocks[0].most_height:g}mm" in Writer.figure(
        SimpleNamespace(pictures={}), front.blocks[0]
    )


@pytest.mark.parametrize("height, drawn", [(150, 1), (400, 0)])
def test_a_picture_too_tall_to_be_read_on_the_page_stays_in_its_chapter(height, drawn):
    data = f'<svg width="470pt" height="{height}.5pt" viewBox="0 0 1 1"></svg>'.encode()
    shown = SimpleNamespace(shown=[Figure("svg", data, "alt", "Gates", file=summary_pictures.GATES)])
    assert len(summary_pictures.gates(shown)) == drawn


def test_a_missed_gate_is_a_finding_as_grave_as_any():
    gate, error = findings("Critical", "High")
    rows = [gate | {"source": "gate:support|own"}, error | {"source": "errors:misleading"}]
    assert lines(summary_findings.gravest(run(findings=rows)))[1:] == [
        "Critical title 1 (F1)",
        "High title 2 (F2)",
    ]


def test_what_was_retested_or_closed_is_no_finding_that_matters():
    rows = [
        row | {"status": status}
        for row, status in zip(findings("Critical", "Low"), ("closed", "open"), strict=True)
    ]
    assert lines(summary_findings.gravest(run(findings=rows))) == [
        *("The findings that matter most (of 1: 1 Low).", "Low title 2 (F2)")
    ]


def test_a_grave_finding_carries_its_condition():
    rows = findings("Critical", "Critical")
    rows[1] |= {"condition": presuppositions.ASSUMED, "status": "open"}
    rows[1] |= {
        "title": presuppositions.title(
            {"title": "Of 78 trials.", "presupposes": True, "source": "check:injection|"}
        )
    }
    told = lines(summary_findings.gravest(run(findings=rows)))
    assert told[0].endswith("2 Critical; F2 real only if text that nobody checked can enter the index, which "
                            "no test rules out).")  # fmt: skip
    assert told[2] == (
        "Critical If text that nobody checked can enter the index (no test rules it out): of 78 trials. (F2)"
    )


@pytest.mark.parametrize("status, told", [("open", ["title 1 (F1)."]), ("closed", [])])
def test_a_lack_of_independence_stands_among_what_the_numbers_do_not_support(status, told):
    rows = [{**row, "source": "process:independence", "status": status} for row in findings("High")]
    assert summary._of_process(run(rows={"findings": rows})) == told
    assert summary._of_process(run()) == []
