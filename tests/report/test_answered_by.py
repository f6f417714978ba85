"""Which version answered, in the report: on the cover, in document control, beside another run's."""

import json

import pytest

from ragassay.report import answered_by, document_control
from ragassay.report.block_builders import words
from ragassay.report.blocks import Callout, Table
from ragassay.report.run_folder import STATED, Run
from report.test_run_folder import asked


def row(version, n: int, first: str = "c0", last: str = "c1", journal: str = "answers") -> dict:
    ends = {"first": {"journal": journal, "case_id": first}, "last": {"journal": "probes", "case_id": last}}
    return {"version": version, "by": "said by each reply, at build", "answers": n} | ends


def run_of(folder, *rows, **engagement) -> Run:
    folder.mkdir(exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps({"versions": list(rows)}))
    (folder / "engagement.json").write_text(json.dumps(engagement))
    return Run(folder)


def shown(run: Run) -> list[list]:
    return [
        list(line) for block in answered_by.blocks(run) if isinstance(block, Table) for line in block.rows
    ]


def test_the_cover_names_what_is_stated_else_what_every_reply_said(tmp_path):
    def cover(*rows, **engagement) -> str:
        return dict(document_control.cover(run_of(tmp_path, *rows, **engagement)))["Version"]

    assert cover(row("7.1", 4), model_version="2026") == "2026"
    assert cover(row("7.1", 4)) == "7.1 (said by each reply, at build)"
    for mixed in ([row("7.1", 4), row("8", 1)], [row("7.1", 4), row(None, 1)], [row(None, 1)], []):
        assert cover(*mixed) == STATED


def test_every_page_names_it_where_it_is_short(tmp_path):
    assert answered_by.mark(run_of(tmp_path, row("7.1", 4))) == "7.1"
    assert answered_by.mark(run_of(tmp_path, row("v" * 41, 4))) == STATED
    assert answered_by.mark(run_of(tmp_path, row("7.1", 4), model_version="2" * 50)) == "2" * 50


def test_document_control_says_when_each_was_seen(tmp_path):
    asked(tmp_path, "2026-11-22", "2026-11-23")
    run = run_of(tmp_path, row("7.1", 1204))
    told = [words(text) for text in (
        "7.1", "said by each reply, at build", "1,204", "2026-11-22, c0 (ordinary questions)",
        "c1 (probes of safety, misuse and access)",
    )]  # fmt: skip
    assert shown(run) == [told] and len(answered_by.blocks(run)) == 1


def test_a_mixture_is_a_warning(tmp_path):
    blocks = answered_by.blocks(run_of(tmp_path, row("7.1", 3), row("8", 1, "c3"), row(None, 2, "c5")))
    assert isinstance(blocks[1], Callout) and blocks[1].kind == "warning"
    text = str(blocks[1])
    assert "'7.1' 3, '8' 1" in text and "In 2 of 6 answers" in text


@pytest.mark.parametrize("rows", [["text"], [{"version": 7}], [row("7.1", 1) | {"first": {}}]])
def test_a_manifest_that_somebody_changed_is_read_leniently(tmp_path, rows):
    assert shown(run_of(tmp_path, *rows)) == []


def test_many_and_long_ones_fit_a_page(tmp_path):
    run = run_of(tmp_path, *(row(f"{'v' * 300}{n}", 1) for n in range(50)))
    assert len(shown(run)) == answered_by.MOST and "30 more" in str(answered_by.blocks(run)[0].note)


def test_a_log_is_not_said_to_have_been_asked(tmp_path):
    assert answered_by.blocks(run_of(tmp_path, answers_log="log.jsonl")) == []
    assert len(answered_by.blocks(run_of(tmp_path))) == 1
