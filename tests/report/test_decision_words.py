"""Words of checks, gates, findings and ratings: every typed row has its template, and its fields fill it."""

import ast
from pathlib import Path

import pandas as pd
import pytest

import ragassay.analysis
from decision.judged_gates import judge
from decision.test_findings import WEAK, context, errors_of, raise_, rated
from ragassay.analysis import robustness
from ragassay.analysis.blame import FAULTS
from ragassay.analysis.checks import BOTH, HIGH, Check, checks_frame
from ragassay.decision import rating
from ragassay.report import decision_words
from ragassay.report.decision_words import read_rows
from ragassay.stats import Interval, clopper_pearson, zero_event_bound
from ragassay.tables import BLAMED

ASPECTS = {"independence": "stated", "one_version": "mixed", "contradictions": "open"}
FLAW = {"owner": "", "file": "engagement.json", "n": 9, "cases": 2}
FLAWS = [FLAW | {"name": name, "aspect": aspect} for name, aspect in ASPECTS.items()]


def found(**measured) -> pd.DataFrame:
    return decision_words.with_words(*raise_(**measured))


@pytest.mark.parametrize(
    "measured",
    [
        {"errors": errors_of(rated(misleading=30, refused=40))},
        {"errors": errors_of(rated(misleading=30).assign(judged_by="machine"))},
        {"gates": judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (10, 100)}})},
        {"gates": judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (5, 5)}})},
        {"weak": pd.DataFrame([("support", "topic", "fees", 30, 0.5, 0.3, 0.7, -0.3, True)], columns=WEAK)},
        {"process": FLAWS},
        {"process": [flaw | {"aspect": "unstated"} for flaw in FLAWS]},
    ],
)
def test_every_kind_of_finding_has_its_words(measured):
    names = ["title", "condition", "recommendation", "further", "criterion", "effect", "closure"]
    table = found(**measured)[names]
    assert len(table) and table.map(lambda text: isinstance(text, str) and "{" not in text).all(axis=None)
    assert table[names[:3]].ne("").all(axis=None)


def test_hostile_words_of_a_slice_are_data():
    hostile = "{0.__class__} <script> {name}"
    weak = pd.DataFrame([("support", "topic", hostile, 30, 0.5, 0.3, 0.7, -0.3, True)], columns=WEAK)
    assert hostile in found(weak=weak)["title"][0]


def test_a_finding_names_its_rival_and_all_gates_of_raters_that_it_holds():
    one = errors_of(rated(refused=40))
    both = found(errors=pd.concat([one, one.replace("needless refusal", "should have declined")]))
    assert "F2" in both["recommendation"][0] and "F1" in both["recommendation"][1]
    bad = [f"c{place}" for place in range(50)]
    failed = {"judged_complete": bad, "judged_relevant": bad[:30]}
    judged = judge(dict.fromkeys(failed, "low >= 0.8"), {name: {"own": (50, 100)} for name in failed})
    (made,) = found(gates=judged, of=context(rated(), failed)).to_dict("records")
    assert "complete (raters)" in made["title"] and "relevant (raters)" in made["condition"]


def test_what_closes_a_finding_can_close_it():
    """As many new questions as its bound takes, none failing."""
    few = found(errors=errors_of(rated(refused=10, good=10))).iloc[0]
    questions = int(few["closure"].split("At least ")[1].split()[0])
    assert zero_event_bound(questions) <= few["threshold"] < zero_event_bound(20)


def test_a_gate_in_words():
    gates = judge(
        {"judged_grounded": "low >= 0.8", "privacy_leak_rate": "high <= 0.02"},
        {"judged_grounded": {"own": (70, 100)}, "privacy_leak_rate": {"own": (0, 10)}},
    )
    failed, few = map(decision_words.gate_words, gates.to_dict("records"))
    assert "60.0 %" in failed and "80 %" in failed and "183" in few
    table = decision_words.gate_table(gates, raise_(gates=gates)[1])
    assert table["outcome"].tolist() == ["fail", "incomplete"]
    assert table["findings_or_reason"].tolist() == ["F1", few]
    doubted = gates.assign(critical=True, unrated=[False, True], accepted_that_fail=[7, 5])
    first, second = decision_words.gate_table(doubted, raise_(gates=gates)[1])["findings_or_reason"]
    assert first.startswith("F1") and "7" in first and second.startswith(few) and len(second) > len(few)


def test_every_cause_has_its_words():
    blame = [{"case_id": "c0", "blamed": cause, "fault": ""} for cause in BLAMED]
    taxonomy = rated(misleading=3, good=0)
    for row in [*blame, *(blame[0] | {"fault": fault} for fault in FAULTS)]:
        of = context(taxonomy, blame=pd.DataFrame([row | {"case_id": f"c{i}"} for i in range(2)]))
        told = decision_words.with_words(*raise_(errors=errors_of(taxonomy), of=of))
        assert "2 of 3 cases." in told["cause"][0] or row["blamed"] == "undetermined"
    of = context(taxonomy, blame=pd.DataFrame(blame[:3]).assign(case_id=["c0", "c1", "c2"]))
    told = decision_words.with_words(*raise_(errors=errors_of(taxonomy), of=of))["cause"][0]
    assert all(f"{cause} (1)" in told.casefold() for cause in BLAMED[:3]), "none of most: each with its count"


def test_every_rating_and_reason_has_its_words():
    for name in rating.RULES["rating"]:
        assert all(decision_words.rating_words(name).values())
    assert decision_words.rating_words("Not decided") == {}
    assert "F1, F2" in decision_words.reason_words([("High finding open", name) for name in ("F1", "F2")])[0]


CHECKS = {(row["check"], row["aspect"]): row for row in read_rows("templates/words/checks")}


def literal_names() -> set[str]:
    """The second argument of every call of Check in the analysis room that is a text."""
    root = Path(ragassay.analysis.__file__).parent
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in root.rglob("*.py"))
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    made = [call for call in calls if getattr(call.func, "id", getattr(call.func, "attr", "")) == "Check"]
    return {call.args[1].value for call in made if isinstance(call.args[1], ast.Constant)}


def test_every_check_has_words_for_any_aspect():
    named = {check for check, aspect in CHECKS if aspect == decision_words.ANY}
    by_name = {name for name, _ in robustness.CHECKS.values()}
    assert by_name | literal_names() == named - {decision_words.ANY}


@pytest.mark.parametrize(
    ("limit", "bound", "metric", "interval", "shown"),
    [
        (0.2, HIGH, "false_answer_rate", clopper_pearson(30, 48), ("30 of 48", "62 %", "47, 76")),
        (-0.1, "low", "abstention_correct", Interval(-0.14, -0.24, -0.07, 59), ("−14 points", "−24, −7")),
        (0.2, BOTH, "bias_score", Interval(0.5, 0.25, 0.75, 20), ("+0.50", "+0.25, +0.75")),
    ],
)
def test_numbers_are_those_of_the_row(limit, bound, metric, interval, shown):
    name = {HIGH: "outside_documents", "low": "perturbation", BOTH: "stereotypes"}[bound]
    check = Check("05_robustness", name, "near_fact", metric, limit, bound)
    row = check.judge(interval) if bound == HIGH else check.row(interval, raised=True)
    said = decision_words.with_check_words(checks_frame([row])).iloc[0]
    assert all(part in said["statement"] for part in shown)
