"""Labelling by hand: each click is in the file at once, a file begun is taken up, nothing of a text acts."""

import numpy as np
import pytest

from labels.sheets.test_sheet import answers
from ragassay import provenance
from ragassay.errors import LabelError, ParameterError
from ragassay.labels import widget
from ragassay.labels.sheets import returned_sheets, sheet_import

ANSWERS = answers(5, lambda place: f"<script>alert({place})</script>=1")


def a_desk(tmp_path, dimensions="grounded:0-1,relevant:1-5", n=3):
    return widget.open_desk(ANSWERS, dimensions, tmp_path / "mine.csv", rater="A", n=n, seed=0)


def test_each_label_is_saved_at_once_and_can_be_imported(tmp_path):
    held = a_desk(tmp_path)
    held.give("grounded", "1")
    held.give("relevant", "4")
    held.give("comment", "=a remark")
    found = sheet_import.check([returned_sheets.read(tmp_path / "mine.csv")], ANSWERS)
    assert found.labels[["dimension", "label", "rater", "remark"]].to_numpy().tolist() == [
        ["grounded", 1.0, "A", "=a remark"],
        ["relevant", 4.0, "A", "=a remark"],
    ]
    assert found.empty == 4 and not found.flaws


def test_a_file_begun_is_taken_up_at_the_first_answer_without_labels(tmp_path):
    held = a_desk(tmp_path)
    for name, cell in (("grounded", "0"), ("relevant", "2")):
        held.give(name, cell)
    again = a_desk(tmp_path)
    assert again.at == 1 and again.given[held.task.row] == {"grounded": "0", "relevant": "2", "comment": ""}
    assert "answer 2 of 3; 1 labelled in full" in again.progress()


def test_the_page_escapes_what_it_shows(tmp_path):
    shown = widget.page(a_desk(tmp_path))
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "q" in shown


@pytest.mark.parametrize("dimensions, n", [("grounded:0-1", 3), ("grounded:0-1,relevant:1-5", 1)])
def test_a_file_of_other_labels_is_refused(tmp_path, dimensions, n):
    held = a_desk(tmp_path)
    held.give("grounded", "1")
    with pytest.raises(LabelError, match="holds labels of other"):
        a_desk(tmp_path, dimensions, n)


def test_where_nobody_can_click_it_says_so(tmp_path, capsys, monkeypatch):
    assert widget.label(ANSWERS, out=tmp_path / "x.csv", rater="A") is None
    assert "no labelling widget" in capsys.readouterr().out and not (tmp_path / "x.csv").exists()
    monkeypatch.setenv(provenance.TRACE, "trace.jsonl")
    assert "being run" in widget.why_absent()


def test_a_rater_needs_a_name_that_can_be_written(tmp_path):
    with pytest.raises(ParameterError):
        widget.open_desk(ANSWERS, "a:0-1", tmp_path / "x.csv", rater="=cmd", n=1, seed=np.int64(0))


def test_the_widgets_do_what_the_desk_does(tmp_path):
    pytest.importorskip("ipywidgets")
    box = widget.build(a_desk(tmp_path, "grounded:0-1,share:0-0.5"))
    text, grounded, share, comment, moves, note = box.children
    grounded.value, share.value, comment.value = "1", "0.25", "fine"
    entry = returned_sheets.read(tmp_path / "mine.csv").entries[0]
    assert (
        entry.cells == {"grounded": "1", "share": "0.25"}
        and entry.comment == "fine"
        and "1 labelled in full" in note.value
    )
    share.value = "9"
    assert "not saved" in note.value
    first = text.value
    moves.children[1].click()
    assert text.value != first and grounded.value is None and (share.value, comment.value) == ("", "")
    moves.children[0].click()
    assert grounded.value == "1" and share.value == "0.25"
