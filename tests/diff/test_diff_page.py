"""The page: every text is data, nothing is executed, nothing is lost."""

import pytest

from diff.runs import QUESTIONS, cases, finding, findings, make_run, scores
from ragassay.diff import compare_runs, diff_page

HOSTILE = "<script>alert(1)</script>=cmd|' /C calc'!A0\u202e\x1b[2J & \\#{x}"


@pytest.fixture
def hostile(tmp_path):
    asked = cases([HOSTILE, *QUESTIONS[1:]], language=[HOSTILE] * 40)
    values = {"a": [1.0] * 40, "b": [0.0] * 40}
    folders = [
        make_run(
            tmp_path / letter,
            cases=asked,
            scores=scores("judged_in_every_respect", values[letter]),
            engagement={"model_name": HOSTILE},
            findings=findings(finding(1, name=f"{HOSTILE}{letter}", title=HOSTILE)),
        )
        for letter in "ab"
    ]
    return compare_runs(*folders)


def test_hostile_texts_are_shown_and_do_not_act(hostile):
    html = diff_page.html(hostile)
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "\u202e" not in html and "\x1b" not in html
    assert "default-src 'none'" in html


def test_the_page_has_a_row_for_every_measure_finding_and_turned_answer(hostile):
    html = diff_page.html(hostile)
    assert html.count(">lost<") == len(hostile.turned) == 40
    assert html.count(">new<") == 1 and html.count(">not raised again<") == 1


def test_a_long_table_is_cut_on_the_page_alone(hostile, monkeypatch):
    monkeypatch.setattr(diff_page, "ROWS", 10)
    html = diff_page.html(hostile)
    assert html.count(">lost<") == 10 and "10 of 40" in html
