"""What a run folder states, read leniently: dates, versions, the cover; and what of it travels with the report."""

import csv
import io
import json
import shutil
from types import SimpleNamespace

import nbformat
import pandas as pd
import pypdf
import pytest
from small_run import code

from ragassay import report
from ragassay.report import document_control, exporter, run_folder
from ragassay.report.blocks import MOST_INSIDE, Attached, Chapter, Document
from ragassay.report.run_folder import STATED, Run
from ragassay.sanitized_text import guarded, unguarded


def run_of(folder, *versions, table="", columns=None, **engagement) -> Run:
    """A run of these versions, with one table."""
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps({"versions": list(versions)}))
    (folder / "engagement.json").write_text(json.dumps(engagement))
    if table:
        pd.DataFrame(columns).to_parquet(folder / f"tables/{table}.parquet")
    return Run(folder)


@pytest.mark.parametrize(
    "days, printed",
    [
        (["2026-11-21", None], "2026-11-21 (stated as 2026-09-01, before the last label or answer)"),
        (["2026-08-30", "2026-09-01T10:00"], "2026-09-01"),
        (["2026-09-02T08:30+09:00"], "2026-09-01"),  # the same day west of there
        (["yesterday", "9999"], "2026-09-01"),
    ],
)
def test_the_date_of_the_report_does_not_precede_its_last_label(tmp_path, days, printed):
    run = run_of(tmp_path, table="labels", columns={"labelled_at": days}, date="2026-09-01")
    assert run.stated("date") == printed


def test_a_log_says_when_it_was_asked_if_it_states_times(tmp_path):
    stated = {"date": "2026-09-01", "answers_log": "log.jsonl"}
    assert "which states no times" in document_control.asking_dates(run_of(tmp_path, **stated))
    times = ["2026-10-01T10:00:00Z", "2026-10-03", "soon", None]
    run = run_of(tmp_path, table="cases", columns={"timestamp": times}, **stated)
    said = "from 2026-10-01 to 2026-10-03, by the times of 2 rows of the log"
    assert document_control.asking_dates(run) == said
    assert run.stated("date") == "2026-10-03 (stated as 2026-09-01, before the last label or answer)"


def version(name, n: int) -> dict:
    return {"version": name, "by": "said by each reply, at build", "answers": n}


def test_the_cover_names_what_is_stated_else_what_every_reply_said(tmp_path):
    def cover(*rows, **engagement) -> str:
        return dict(document_control.cover(run_of(tmp_path, *rows, **engagement)))["Version"]

    assert cover(version("7.1", 4), model_version="2026") == "2026"
    assert cover(version("7.1", 4)) == "7.1 (said by each reply, at build)"
    for mixed in ([version("7.1", 4), version("8", 1)], [version("7.1", 4), version(None, 1)], []):
        assert cover(*mixed) == STATED


def test_a_mixture_of_versions_is_a_warning(tmp_path):
    rows = [version("7.1", 3), version("8", 1), version(None, 2)]
    _, table, box = document_control.reading(run_of(tmp_path, *rows)).blocks
    assert len(table.rows) == 3 and box.tone == "open"
    assert len(document_control.reading(run_of(tmp_path, rows[0])).blocks) == 2


@pytest.fixture
def copy(run_dir, tmp_path):
    return shutil.copytree(run_dir, tmp_path / "run")


def collected(folder):
    return {item.name: item for item in run_folder.collect_attachments(Run(folder))}


def with_cell(folder, notebook, cell, *tags):
    path = folder / "notebooks" / f"{notebook}.ipynb"
    book = nbformat.read(path, as_version=4)
    cell.metadata["tags"] = list(tags)
    book.cells.append(cell)
    nbformat.write(book, path)


def rows(item):
    return list(csv.reader(io.StringIO(item.data.decode())))


def test_records_tables_and_what_the_run_was_made_of_are_attached(run_dir):
    found = collected(run_dir)
    names = "manifest.json engagement.json decision.json scorecard.csv gates.csv findings.csv"
    names += " evidence_index.csv metrics.csv notebooks.py many_metrics.csv"
    assert set(names.split()) <= set(found) and len(found) <= run_folder.MOST
    assert "# %% 02_functionality cell [3]" in found["notebooks.py"].data.decode()
    assert found["manifest.json"].data == (run_dir / "manifest.json").read_bytes()
    assert len(rows(found["many_metrics.csv"])) == 61


def test_personal_data_and_planted_secrets_do_not_travel(copy):
    answers = pd.DataFrame({"case_id": ["a", "b"], "question": ["Whose card?", "And the code?"]})
    said = ["Card 4111 1111 1111 1111 of Ada.", "The code is ZX-77-QQ-12."]
    passages = [["Cards are free."], ["Codes are secret."]]
    answers = answers.assign(answer=said, contexts=passages, context_ids=[["p1"], ["p2"]])
    answers.to_parquet(copy / "tables" / "answers.probes.parquet")
    cases = answers[["case_id", "question"]].assign(secret=[None, "ZX-77-QQ-12"])
    cases.to_parquet(copy / "tables" / "cases.probes.parquet")
    found = collected(copy)
    text = found["answers.csv"].data.decode() + found["questions.csv"].data.decode()
    assert "p1" in text and "Codes are secret" not in text
    assert "4111 1111 1111 1111" not in text and "ZX-77-QQ-12" not in text


def test_a_mark_that_nobody_gave_a_question_does_not_travel(copy):
    cases = pd.DataFrame({"case_id": ["a", "b"], "answerable": True, "answerable_assumed": [True, None]})
    cases.to_parquet(copy / "tables" / "cases.parquet")
    assert [row[1] for row in rows(collected(copy)["questions.csv"])] == ["answerable", "", "True"]


def test_a_large_file_is_named_with_its_hash_and_not_inside_the_pdf():
    large = Attached("large.csv", b"x" * (MOST_INSIDE + 1), "rows")
    small = Attached("small.csv", b"x", "rows")
    chapter = Chapter("1", "T", "one", [])
    made = exporter.pdf(Document("T", "e", "2026-01-01", [], "", [chapter], [large, small]))
    assert list(pypdf.PdfReader(io.BytesIO(made)).attachments) == ["small.csv"]
    run = SimpleNamespace(manifest={}, states=[])
    assert "large.csv" in document_control.environment_annex(run, [large, small]).blocks[-1].note


def test_the_annex_links_each_file_and_an_earlier_reports_leavings_go(copy):
    (copy / "attachments").mkdir(exist_ok=True)  # there where the run's reports were built before
    (copy / "attachments" / "old.csv").write_text("old")
    report.build(copy, formats=["html"])
    written = {path.name for path in (copy / "attachments").iterdir()}
    document = report.assemble(copy)
    annex = next(part for part in document.chapters if part.anchor == "annex-environment")
    linked = {row[0][0].target for row in annex.blocks[-1].rows}
    assert linked == {f"attachments/{name}" for name in written} and "old.csv" not in written
    html = (copy / "validation_report.html").read_text()
    assert 'href="attachments/scorecard.csv"' in html


def test_no_attached_csv_holds_a_cell_that_a_spreadsheet_would_run(copy):
    """A hostile table, named and unnamed, whose cells and column names are formulas."""
    acts = ["=1+1", "@SUM(1)", "+1+1", "-1+1", "|calc", "\t=1", "＝1+1", '=cmd|" /C calc"!A0']
    hostile = pd.DataFrame({"=1+1": acts, "n": range(len(acts))})
    hostile.to_parquet(copy / "tables" / "checks.parquet")
    many = pd.concat([hostile] * 9, ignore_index=True)
    with_cell(copy, "02_functionality", code("#| tbl-cap: Cut\nmany", 9, many))
    found = {name: item for name, item in collected(copy).items() if name.endswith(".csv")}
    assert {"checks.csv", "cut.csv"} <= set(found) and len(found) > 7
    cells = [cell for item in found.values() for row in rows(item) for cell in row]
    assert [row[0] for row in rows(found["checks.csv"])] == [guarded(cell) for cell in ["=1+1", *acts]]
    assert [cell for cell in cells if guarded(unguarded(cell)) != cell] == []


def test_what_own_notebooks_change_is_attached_whole_and_nothing_of_it_acts(tmp_path):
    hostile = {"notebook": "../\x1b[2J", "added": 2, "removed": 1}
    hostile["diff"] = "+\x1b[31m\u202e</script>" + "z" * 10**6
    (tmp_path / run_folder.DEPARTURES).write_text(json.dumps([hostile]))
    (found,) = (item for name, item in collected(tmp_path).items() if name.startswith("departure"))
    assert found.data.count(b"z") == 10**6
    assert "/" not in found.name and b"\x1b" not in found.data and "\u202e" not in found.data.decode()
