"""Which version answered, and when: on the cover, in document control, beside another run's."""

import json

import pytest

from ragassay.diff.run_facts import about
from ragassay.diff.run_side import Side
from ragassay.report import document_control
from ragassay.report.run_folder import STATED, Run


def row(version, n: int, first: str = "c0", last: str = "c1", journal: str = "answers") -> dict:
    ends = {"first": {"journal": journal, "case_id": first}, "last": {"journal": "probes", "case_id": last}}
    return {"version": version, "by": "said by each reply, at build", "answers": n} | ends


def run_of(folder, *rows, **engagement) -> Run:
    folder.mkdir(exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps({"versions": list(rows)}))
    (folder / "engagement.json").write_text(json.dumps(engagement))
    return Run(folder)


def test_the_cover_names_what_is_stated_else_what_every_reply_said(tmp_path):
    def cover(*rows, **engagement) -> str:
        return dict(document_control.cover(run_of(tmp_path, *rows, **engagement)))["Version"]

    assert cover(row("7.1", 4), model_version="2026") == "2026"
    assert cover(row("7.1", 4)) == "7.1 (said by each reply, at build)"
    for mixed in ([row("7.1", 4), row("8", 1)], [row("7.1", 4), row(None, 1)], [row(None, 1)], []):
        assert cover(*mixed) == STATED


def test_a_mixture_is_a_warning(tmp_path):
    rows = [row("7.1", 3), row("8", 1, "c3"), row(None, 2, "c5")]
    table, box = document_control.version_blocks(run_of(tmp_path, *rows))
    assert len(table.rows) == 3 and box.kind == "gap"
    assert len(document_control.version_blocks(run_of(tmp_path, rows[0]))) == 1


@pytest.mark.parametrize("rows", [["text"], [{}], [row("7.1", 1) | {"by": 3, "answers": "many"}]])
def test_a_manifest_that_somebody_changed_is_read_leniently(tmp_path, rows):
    run = run_of(tmp_path, *rows)
    assert document_control.cover(run) and document_control.reading(run).blocks


def test_version_against_version(tmp_path):
    run_of(tmp_path / "a", row("7.1", 4))
    run_of(tmp_path / "b", row("8", 3), row(None, 1))
    both = about(Side(tmp_path / "a", letter="A"), Side(tmp_path / "b", letter="B")).set_index("what")
    assert both.loc["Version that answered"].tolist() == ["7.1", "8; not known"]


def test_the_cover_holds_the_note_of_the_engagement_and_none_of_its_own(tmp_path):
    (tmp_path / "engagement.json").write_text('{"date": "2026-09-01"}')
    assert "Note" not in dict(document_control.cover(Run(tmp_path)))
    (tmp_path / "engagement.json").write_text('{"cover_note": "The bank is\\u202e fictional."}')
    assert dict(document_control.cover(Run(tmp_path)))["Note"].startswith("The bank is")
