"""Two runs compared: which cases are the same, what is measured on both, and that a gap is said, never guessed."""

import json

import numpy as np
import pandas as pd
import pytest

from diff.runs import QUESTIONS, answers, cases, finding, findings, gates, make_run, scores
from ragassay import diff
from ragassay.diff import compare_runs, open_side, pair_cases
from ragassay.errors import InputError
from ragassay.tables import COMPARED

BETTER, WORSE, ALIKE, EQUAL, NONE = COMPARED


@pytest.fixture
def two(tmp_path):
    """Write two runs and compare them."""

    def compare(a=None, b=None):
        folders = make_run(tmp_path / "a", **(a or {})), make_run(tmp_path / "b", **(b or {}))
        return compare_runs(*folders)

    return compare


def paired(tmp_path, a, b):
    sides = [open_side(make_run(tmp_path / letter, **each)) for letter, each in (("A", a), ("B", b))]
    return pair_cases(*sides)


def test_a_run_and_itself_are_the_same_in_everything(two):
    found = two()
    assert found.answers == {"n": 40, "same": 40, "left_out": 0}
    assert list(found.measures["outcome"]) == [EQUAL] and not found.gates["changed"].any()
    assert found.turned.empty and found.documents.empty and found.settings.empty


def test_cases_are_paired_by_what_is_asked_not_by_their_id(tmp_path):
    a = cases(["one", "two", "three", "twice", "twice"], ["c1", "c2", "c3", "c4", "c5"])
    b = cases([" one ", "other", "three", "twice", "twice"], ["c1", "c2", "x3", "c4", "x5"])
    found = paired(tmp_path, {"cases": a}, {"cases": b})
    both = diff.asked_in_both(found)
    pairs = dict(zip(both["case_a"], both["case_b"], strict=True))
    assert pairs == {"c1": "c1", "c3": "x3", "c4": "c4", "c5": "x5"}
    assert diff.count_pairs(found).to_dict("records") == [
        {"part": "questions", "both": 4, "only_a": 1, "only_b": 1}
    ]


def test_a_difference_by_hand(two):
    """B is better by 0.2 on every one of 40 questions."""
    found = two(b={"scores": scores("support", [0.7] * 40)})
    row = found.measures.iloc[0]
    assert (row.outcome, row.n, row.gained, row.lost, row.left_out) == (BETTER, 40, 40, 0, 0)
    assert (row.a, row.b, row.difference) == pytest.approx((0.5, 0.7, 0.2)) and row.p == pytest.approx(1e-4)


def test_what_one_run_alone_scored_is_left_out_with_its_reason(two):
    values = [np.nan] * 3 + [0.5] * 37
    more = cases([*QUESTIONS[:38], "new one", "new two"], [*(f"c{n}" for n in range(38)), "n1", "n2"])
    found = two(b={"cases": more, "scores": scores("support", values, more["case_id"].tolist())})
    row = found.measures.iloc[0]
    assert (row.pairs, row.n, row.left_out) == (38, 35, 3)
    assert row.reason == "3 B not measured"


def test_parts_are_compared_by_themselves(two):
    probes = {"cases__probes": cases([f"probe {n}" for n in range(20)], [f"p{n}" for n in range(20)])}
    a = {**probes, "scores__rates": scores("probes_declined", [1.0] * 20, [f"p{n}" for n in range(20)])}
    b = {**probes, "scores__rates": scores("probes_declined", [0.0] * 20, [f"p{n}" for n in range(20)])}
    found = two(a=a, b=b).measures
    assert list(zip(found["part"], found["metric"], found["outcome"], strict=True)) == [
        ("questions", "support", EQUAL),
        ("probes", "probes_declined", WORSE),
    ]


def test_the_clusters_are_those_of_the_cases(two):
    """Forty questions of two conversations are two draws: no interval, and no certainty."""
    grouped = cases(QUESTIONS, conversation_id=["one"] * 20 + ["two"] * 20)
    values = list(np.linspace(0.6, 0.9, 40))
    found = two(a={"cases": grouped}, b={"cases": grouped, "scores": scores("support", values)})
    row = found.measures.iloc[0]
    assert np.isnan(row.low) and row.outcome == ALIKE and "2 clusters" in row.reason


def test_answers_that_turned_are_named_the_lost_first(two):
    right = [1.0, 1.0, 0.0] + [1.0] * 37
    turned = [0.0, 1.0, 1.0] + [np.nan] * 37
    a, b = ({"scores": scores("judged_in_every_respect", values)} for values in (right, turned))
    shown = two(a, b).turned[["turned", "case_a", "question"]].to_numpy().tolist()
    assert shown == [["lost", "c0", QUESTIONS[0]], ["gained", "c2", QUESTIONS[2]]]


def test_the_same_words_another_kit_and_other_raters_are_reservations(two):
    ours, theirs = (pd.DataFrame({"case_id": ["c0"], "rater": [rater]}) for rater in ("m1", "x9"))
    b = {"scores": scores("support", [0.9] * 40), "manifest": {"packages": {"numpy": "3"}}, "labels": theirs}
    found = two(a={"labels": ours}, b=b)
    assert found.reservations() == ["kit", "raters", "same answers"]
    assert found.settings.to_dict("records") == [
        {"kind": "kit", "what": "package numpy", "A": "2", "B": "3"},
        {"kind": "raters", "what": "raters", "A": "m1", "B": "x9"},
    ]


def test_gates_stand_side_by_side_by_origin(two):
    own, made = gates(origin="own"), gates(origin="generated")
    passed = gates("pass", origin="own")
    found = two({"gates": pd.concat([own, made])}, {"gates": pd.concat([passed, made])}).gates
    rows = found[["origin", "outcome_a", "outcome_b", "changed"]].to_numpy().tolist()
    assert rows == [["generated", "fail", "fail", False], ["own", "fail", "pass", True]]


def test_what_cannot_be_read_is_a_gap_and_the_rest_is_compared(two, tmp_path):
    found = two(a={"answers": None}, b={"cases": cases(QUESTIONS), "scores": scores("support", [0.9] * 40)})
    assert any(gap.startswith("A: tables/answers.parquet is not there") for gap in found.gaps)
    assert found.measures.iloc[0].outcome == BETTER and found.answers["n"] == 0


def test_no_run_folder_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no run folder"):
        open_side(tmp_path / "empty")
    with pytest.raises(InputError, match="does not exist"):
        open_side(tmp_path / "nowhere")


def test_the_json_holds_everything_and_no_nan(two):
    found = two(b={"answers": answers(["other"] * 40)})
    told = json.loads(found.to_json())
    assert told["answers"]["same"] == 0
    assert {"measures", "gates", "findings", "turned", "gaps"} <= set(told)


def test_documents_by_their_hashes(two):
    one = pd.DataFrame({"doc_id": ["same", "changed", "gone"], "sha256": ["1", "2", "3"]})
    other = pd.DataFrame({"doc_id": ["same", "changed", "new"], "sha256": ["1", "9", "4"]})
    found = two({"documents": one}, {"documents": other})
    changes = [["changed", "changed"], ["gone", "only in A"], ["new", "only in B"]]
    assert found.documents.to_numpy().tolist() == changes


HOSTILE = "<script>alert(1)</script>=cmd|' /C calc'!A0\u202e\x1b[2J & \\#{x}"


@pytest.fixture
def hostile(tmp_path):
    asked = {"cases": cases([HOSTILE, *QUESTIONS[1:]], language=[HOSTILE] * 40)}
    asked["engagement"] = {"model_name": HOSTILE}
    folders = []
    for letter, value in (("a", 1.0), ("b", 0.0)):
        found = findings(finding(1, name=f"{HOSTILE}{letter}", title=HOSTILE))
        values = scores("judged_in_every_respect", [value] * 40)
        folders.append(make_run(tmp_path / letter, **asked, scores=values, findings=found))
    return compare_runs(*folders)


def test_hostile_texts_are_shown_and_do_not_act(hostile):
    html = hostile.to_html()
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "\u202e" not in html and "\x1b" not in html
    assert "default-src 'none'" in html


def test_the_page_has_a_row_for_every_measure_finding_and_turned_answer(hostile):
    html = hostile.to_html()
    assert html.count(">lost<") == len(hostile.turned) == 40
    assert html.count(">new<") == 1 and html.count(">not raised again<") == 1


def test_a_long_table_is_cut_on_the_page_alone(hostile, monkeypatch):
    monkeypatch.setattr(diff, "ROWS", 10)
    html = hostile.to_html()
    assert html.count(">lost<") == 10 and "10 of 40" in html


@pytest.fixture
def compare(tmp_path):
    def comparing(a, b):
        one, other = (make_run(tmp_path / x, findings=findings(*rows)) for x, rows in (("a", a), ("b", b)))
        found = diff.compare_findings(open_side(one), open_side(other))
        return list(zip(found["life"], found["finding_a"], found["finding_b"], strict=True))

    return comparing


def test_raised_in_both_is_carried_over_whatever_its_number(compare):
    found = compare([finding(1)], [finding(7, severity="Low", carried_from="a F1")])
    assert found == [("carried over", "F1", "F7")]


@pytest.mark.parametrize("status", ["retested", "closed", "withdrawn"])
def test_the_register_of_b_decides_where_it_speaks_of_the_finding(compare, status):
    assert compare([finding(1)], [finding(4, status=status)]) == [(status, "F1", "F4")]


def test_what_b_settled_and_a_never_raised_is_not_shown(compare):
    assert compare([], [finding(4, status="closed")]) == []


def test_new_findings_come_first_and_silence_is_no_retest(compare):
    before = [finding(9, name="recall"), finding(3, name="gone")]
    found = compare(before, [finding(1), finding(2, name="recall")])
    assert found == [("new", "", "F1"), ("carried over", "F9", "F2"), ("not raised again", "F3", "")]


def test_what_was_closed_in_a_is_not_shown(compare):
    assert compare([finding(1, status="closed")], []) == []


def test_a_register_without_these_columns_is_a_gap(tmp_path):
    old = pd.DataFrame([{"finding_id": "F1", "source": "gate:support"}])
    sides = [open_side(make_run(tmp_path / x, findings=old)) for x in ("A", "B")]
    assert diff.compare_findings(*sides).empty and "findings" in sides[0].gaps[0]
