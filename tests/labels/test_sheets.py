"""Sheets: blind, drawn and dealt evenly, harmless in a spreadsheet, in every format."""

import csv
import io
import json
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import openpyxl
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_table
from ragassay.errors import LabelError, ParameterError
from ragassay.labels import human_labels, sheet_formats, sheets
from ragassay.labels.sheet_formats import Dimension, row_id

HOSTILE = (
    *("=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "a\x00b\u202ec", "<b>x</b>", '",\n"'),
    "x" * 100_000,
)


def answers(n: int, texts_of=lambda place: f"answer {place}") -> pd.DataFrame:
    rows = [(f"c{place}", f"q{place}?", texts_of(place), ["p1", "p2"]) for place in range(n)]
    table = pd.DataFrame(rows, columns=["case_id", "question", "answer", "contexts"])
    return table.assign(system="secret-system", repeat=0, error="")


def write(table: pd.DataFrame, path) -> None:
    wanted = sheet_formats.parse_dimensions("grounded:0-1,relevant:1-5")
    sheet_formats.write(table, path, dimensions=wanted, guide=sheets.guide_lines(wanted), rater="A")


def cells_of(path):
    if path.suffix == ".xlsx":
        return [list(row) for row in openpyxl.load_workbook(path)["labels"].iter_rows(values_only=True)]
    if path.suffix == ".json":
        rows = [task["data"] for task in json.loads(path.read_text("utf-8"))]
        return [list(rows[0]), *(list(row.values()) for row in rows)]
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


@pytest.mark.parametrize("kind", ["csv", "xlsx", "json"])
def test_a_sheet_is_blind_and_hostile_texts_run_nowhere(tmp_path, kind):
    path = tmp_path / f"s.{kind}"
    write(answers(len(HOSTILE), HOSTILE.__getitem__), path)
    head, *rows = cells_of(path)
    assert head[:6] == ["row", "rater", "question", "answer", "reference", "contexts"]
    assert head[6:] == ["grounded (0-1)", "relevant (1-5)", "comment", "answer_sha256"]
    shown = [row[3] if kind == "xlsx" else row[3].removeprefix("'") for row in rows]
    assert shown[:5] == [sheet_formats.visible(text) for text in HOSTILE[:5]] and len(shown[-1]) < 32_767
    assert "secret-system" not in str(rows) and "'c1'" not in str(rows)
    if kind == "xlsx":
        page = openpyxl.load_workbook(path)["labels"]
        cells = [cell for row in page.iter_rows() for cell in row if cell.value]
        assert {cell.data_type for cell in cells} == {"s"} and all(cell.quotePrefix for cell in cells)
    if kind == "csv":
        assert {cell for row in rows for cell in row if cell.lstrip()[:1] in tuple("=+-@")} <= {"+1", "-1"}


def test_every_pair_of_raters_shares_as_many_answers():
    parts = sheets.deal(answers(100), ("A", "B", "C", "D"), 60, rng=np.random.default_rng(0))
    read = {name: set(part.case_id) for name, part in parts.items()}
    assert [len(one & other) for one, other in combinations(read.values(), 2)] == [10] * 6
    assert [len(part) for part in parts.values()] == [40] * 4 and len(set().union(*read.values())) == 100
    assert list(parts["A"].case_id) != sorted(parts["A"].case_id)


def test_the_draw_is_within_each_stratum_and_as_likely_for_each_answer(simulations):
    """30 of 100: of 80, 15 and 5 answers 24, 4 or 5, and 1 or 2; over 400 seeds each answer 120 times."""
    strata = answers(100).assign(origin=["own"] * 80 + ["generated"] * 15 + [None] * 5)
    counts, times, seeds = [], np.zeros(100), simulations(400)
    for seed in range(seeds):
        chosen = sheets.draw(strata, 30, ["origin"], rng=np.random.default_rng(seed))
        counts.append(chosen["origin"].fillna("none").value_counts())
        times[chosen.case_id.str[1:].astype(int)] += 1
    found = pd.DataFrame(counts)
    assert set(found["own"]) <= {23, 24, 25} and set(found["none"]) <= {1, 2}
    assert abs(times / seeds - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / seeds)


@pytest.mark.parametrize("raters", ["A,A", "", "0", "100", "../x", "=cmd", "A,"])
def test_names_that_do_not_fit_are_refused(raters):
    with pytest.raises(ParameterError):
        sheets.rater_names(raters)


ANSWERS = answers(4)


def entry(case: int, where: str = "s.csv, line 2", *, rater="A", relevant, **changed) -> dict:
    own = {"row": row_id(f"c{case}", "secret-system"), "cells": {Dimension("relevant", "1-5"): relevant}}
    own["answer_sha256"] = human_labels.answer_sha256(f"answer {case}")
    return {"where": where, "rater": rater, "comment": "", "labelled_at": "", **own, **changed}


def filled(path, values) -> None:
    """Labels put into the first rows of an exported sheet, as a rater would; (grounded, relevant) or nothing."""
    if path.suffix == ".csv":
        rows = list(csv.reader(path.open(encoding="utf-8-sig", newline="")))
        for row, (grounded, relevant) in zip(rows[1:], values, strict=False):
            row[6], row[7], row[8] = grounded, relevant, "=not a formula"
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file, delimiter=";").writerows(rows)  # as Excel saves it in half of Europe
    else:
        book = openpyxl.load_workbook(path)
        for at, (grounded, relevant) in enumerate(values, 2):
            book["labels"].cell(at, 7).value, book["labels"].cell(at, 8).value = int(grounded), int(relevant)
            book["labels"].cell(at, 9).value = "good"
        book.save(path)


@pytest.mark.parametrize("name, rater, remark", [("s.csv", "A", "=not a formula"), ("s.xlsx", "A", "good")])
def test_what_was_labelled_comes_back(tmp_path, name, rater, remark):
    """Of answers that have changed since, too: they are set aside when the labels are read."""
    path, values = tmp_path / name, [("1", "4"), ("0", "2"), ("1", "5")]
    write(ANSWERS, path)
    filled(path, values)
    found = sheets.check(sheet_formats.read(path)[0], ANSWERS.assign(answer="another since"))
    assert not found.flaws and found.empty == 2
    table = found.labels.pivot(index="case_id", columns="dimension", values="label")
    assert table.to_numpy().tolist() == [[1, 4], [0, 2], [1, 5]] and list(table.index) == ["c0", "c1", "c2"]
    assert set(found.labels.rater) == {rater} and set(found.labels.remark) == {remark}


def test_an_export_of_label_studio_becomes_labels_and_flaws_with_their_task(tmp_path):
    path = tmp_path / "s.json"
    write(ANSWERS, path)
    tasks = json.loads(path.read_text("utf-8"))
    shown = ElementTree.parse(tmp_path / "s.config.xml").iter("Text")
    assert {each.get("value")[1:] for each in shown} == {"question", "answer", "reference", "contexts"}
    given = [{"grounded": ["1"], "relevant": ["4"], "comment": "good"}, {"relevant": ["4", "5"]}]
    given += [{"grounded": ["7"], "Relevant": ["2"]}, {}]
    by = {"completed_by": {"email": "a@x.example", "id": 7}, "created_at": "2026-09-01T09:00:00Z"}
    for task, said in zip(tasks, given, strict=True):
        result = [{"from_name": k, "value": {"text" if k == "comment" else "choices": said[k]}} for k in said]
        skipped = {"was_cancelled": True, "completed_by": 2, "result": result}
        task["annotations"] = [skipped, {"result": result} | by] if said else [skipped]
    tasks[3]["data"]["relevant (0-1)"] = tasks[3]["data"].pop("relevant (1-5)")
    path.write_text(json.dumps(tasks), "utf-8")
    entries, flaws = sheet_formats.read(path)
    found = sheets.check(entries, ANSWERS, flaws=flaws)
    rows = found.labels[["case_id", "rater", "dimension", "label", "labelled_at", "remark"]]
    assert rows.to_numpy().tolist() == [
        ["c0", "a@x.example", *label, "2026-09-01", "good"] for label in (("grounded", 1), ("relevant", 4))
    ]
    assert [(each.where, each.column, each.found) for each in found.flaws] == [
        ("s.json, head", "Relevant", "Relevant"),
        ("s.json, task 2, annotation 1", "relevant", "4 | 5"),
        ("s.json, task 3, annotation 1", "grounded", "7"),
        ("s.json, task 4, annotation 1", "relevant", "scale 0-1"),
    ]


def test_every_flaw_is_named_at_once():
    entries = [
        entry(0, relevant="good"),
        entry(1, "line 3", relevant=9),
        entry(2, "line 4", rater="", relevant=3),
        entry(2, "line 9", row="r-unknown", relevant=4),
        entry(1, "line 8", answer_sha256="abc", relevant=4),
    ]
    found = sheets.check(entries, ANSWERS)
    assert [(flaw.where, flaw.column, flaw.found) for flaw in found.flaws] == [
        ("s.csv, line 2", "relevant", "good"),
        ("line 3", "relevant", "9"),
        ("line 4", "rater", ""),
        ("line 9", "row", "r-unknown"),
        ("line 8", "answer_sha256", "abc"),
    ]
    assert found.labels.empty and "found 'good', expected 1, 2, 3, 4 or 5" in str(found.flaws[0])


@pytest.mark.parametrize("name, content, complaint", [
    ("s.csv", b"a,b\n1,2\n", "head of a sheet"),
    ("s.csv", b"", "head of a sheet"),
    ("s.json", b"[" * 100_000, "no export"),
    ("s.json", b'[{"data": 1}]', "no export"),
])  # fmt: skip
def test_files_that_are_no_sheets_are_refused(tmp_path, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LabelError, match=complaint):
        sheet_formats.read(tmp_path / name)


def test_a_sheet_shows_what_is_expected_and_which_passages_are_superseded(tmp_path):
    """Of three questions one has a reference, one no answer in the documents, of one nothing is known."""
    ids = [["new#p1", "old#p1"], ["new.md", "docs/old.md#2"], ["new", "old#p1"]]  # of passages, of documents
    run, given = tmp_path / "run", answers(3).assign(context_ids=ids)
    cases = case_table.cases_frame({"case_id": f"c{i}", "question": "q?"} for i in range(3))
    cases = cases.assign(reference_answer=["six dollars", None, None], answerable=[True, False, True])
    documents = pd.DataFrame({"doc_id": ["new", "old"], "status": ["current", "superseded"]})
    documents = documents.assign(title="t", path="p", sha256="0", language="en")
    chunks = pd.DataFrame({"chunk_id": ["new#p1", "old#p1"], "doc_id": ["new", "old"]})
    chunks = chunks.assign(text="t", n_sentences=1)
    (run / "tables").mkdir(parents=True)
    for name, table in {"answers": given, "cases": cases, "documents": documents, "chunks": chunks}.items():
        table.to_parquet(tables.path_of(run, name))
    known = sheets.with_known(run).set_index("case_id")
    assert known.reference.to_dict() == {"c0": "six dollars", "c1": sheets.NO_ANSWER, "c2": ""}
    sheets.export_sheets(run, tmp_path / "s.csv", n=3)
    _, *rows = cells_of(tmp_path / "s.csv")
    assert {row[4] for row in rows} == set(known.reference)
    shown = [f"[1] {new} (current): p1\n\n[2] {old} (superseded): p2" for new, old in ids]
    assert {row[5] for row in rows} == {*shown}
    given.assign(given_ids=[["kb-1", "kb-2"]] * 3).to_parquet(tables.path_of(run, "answers"))
    assert sheets.with_known(run).contexts[0][0].startswith("kb-1 (current)"), "by the ids that answers cite"
    given.assign(context_ids=[[]] * 3).to_parquet(tables.path_of(run, "answers"))
    assert [*map(list, sheets.with_known(run).contexts)] == [["p1", "p2"]] * 3, "without ids as they are"


def test_the_guide_says_what_each_dimension_asked_means_and_a_file_takes_its_place(tmp_path):
    asked = sheet_formats.parse_dimensions("grounded:0-1,polite:1-5")
    lines = sheets.guide_lines(asked)
    assert "## grounded" in lines and "## complete" not in lines and "polite: 1, 2, 3, 4 or 5" in lines
    (tmp_path / "mine.md").write_text("Ours.\n\n## complete\nAll of it.\n")
    assert sheets.guide_lines(asked, tmp_path / "mine.md")[:4] == ["Ours.", "", "## complete", "All of it."]


@pytest.mark.parametrize("scale, cell, value", [
    ("0-1", "1", 1), ("0-1", 0, 0), ("1-5", 4.0, 4), ("1-5", " 5 ", 5), ("0-10", 10, 10),
    ("1-5", "", None), ("1-5", None, None), ("1-5", " ", None),
])  # fmt: skip
def test_a_cell_becomes_a_label(scale, cell, value):
    assert Dimension("d", scale).value(cell) == value


@pytest.mark.parametrize("scale, cell", [
    ("0-1", "yes"), ("0-1", True), ("1-5", 6), ("1-5", 3.5), ("1-5", "4 | 5"), ("1-5", "inf"), ("1-5", "nan"),
])  # fmt: skip
def test_what_is_no_label_is_none(scale, cell):
    assert Dimension("d", scale).value(cell) is None


def test_dimensions_by_hand():
    assert sheet_formats.parse_dimensions("a:0-1, b:1-5") == (Dimension("a", "0-1"), Dimension("b", "1-5"))
    heads = ("a (0-1)", "question", "a (x)")
    assert [sheet_formats.read_heading(head) for head in heads] == [Dimension("a", "0-1"), None, None]


@pytest.mark.parametrize("text, error", [
    ("", ParameterError), ("a:0-1,a:1-5", ParameterError), ("row:0-1", ParameterError),
    ("a b:0-1", ParameterError), ("a", LabelError), ("a:5-1", LabelError), ("a:0-0.5", LabelError),
])  # fmt: skip
def test_dimensions_that_cannot_be_are_refused(text, error):
    with pytest.raises(error):
        sheet_formats.parse_dimensions(text)


def test_a_rater_who_gives_one_answer_two_labels_is_named_and_the_same_label_twice_counts_once():
    entries = [entry(0, relevant=3), entry(0, "line 3", relevant=4), entry(1, "line 4", relevant=2)]
    found = sheets.check([*entries, entry(1, "line 5", relevant=2)], ANSWERS)
    assert [(flaw.where, flaw.found) for flaw in found.flaws] == [("s.csv, line 2", "3"), ("line 3", "4")]
    assert str(found.flaws[0]).endswith("one label from A, who gave another in line 3")
    assert found.labels[["case_id", "label"]].to_numpy().tolist() == [["c1", 2.0]]
