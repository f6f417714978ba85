"""A run executed again: what it must name first, and what it never does to the folder."""

import json

import pytest

from ragassay import provenance, report
from ragassay.run.execution import execute_notebook
from ragassay.run.integrity import checksums, verify_rerun
from ragassay.run.integrity.verification import NUMBERS, verify
from run.conftest import execute_here
from run.integrity.test_verification import edit, forge


@pytest.fixture
def done(finished, monkeypatch):
    """A finished run; what is executed again is executed in this process."""
    monkeypatch.setattr(execute_notebook, "execute", execute_here)
    return finished


def files(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_an_untouched_run_gives_the_same_files_and_stays_as_it_is(done):
    before = files(done)
    verdict = verify(done, rerun=True)
    assert verdict.flaws == [] and NUMBERS not in verdict.unchecked
    assert verdict.notes == ["run again: the 4 files that 2 notebooks wrote are the same"]
    assert files(done) == before


def test_without_it_nothing_is_executed(done, monkeypatch):
    monkeypatch.setattr(execute_notebook, "execute", None)
    assert NUMBERS in verify(done).unchecked


def test_what_was_edited_throughout_is_named(done):
    """No hash of the folder tells it; the first file that running again makes otherwise does."""
    forge(done, everything=True)
    assert verify(done).flaws == []
    (flaw,) = verify(done, rerun=True).flaws
    assert flaw == "count.json: is another one when run again; its bytes differ"


def forge_notebook(folder, change):
    """An executed notebook changed, and every record and list that names it."""
    name = "notebooks/07_conclusion.ipynb"
    before = provenance.sha256_of(folder / name)
    edit(folder / name, change)
    for file in (folder / "manifest.json", folder / ".state/07_conclusion.json"):
        file.write_text(file.read_text().replace(before, provenance.sha256_of(folder / name)))
    report.build(folder)
    checksums.write(folder)


def test_an_output_put_into_a_notebook_is_named(done):
    def put(book):
        text = {"output_type": "stream", "name": "stdout", "text": "all is well"}
        book["cells"][-1]["outputs"].append(text)

    forge_notebook(done, put)
    assert verify(done).flaws == []
    (flaw,) = verify(done, rerun=True).flaws
    assert flaw == "notebooks/07_conclusion.ipynb: its code cell 3 shows something else when run again"


def test_a_notebook_that_is_not_the_one_of_the_manifest_is_not_executed(done, tmp_path):
    def put(book):
        book["cells"][-1]["source"] = f"open({str(tmp_path / 'ran')!r}, 'w')"

    edit(done / "notebooks/00_scope.ipynb", put)
    assert any(
        flaw.startswith("not run again: 00_scope: its executed copy")
        for flaw in verify(done, rerun=True).flaws
    )
    assert not (tmp_path / "ran").exists()


def test_a_run_whose_inputs_are_gone_is_not_called_the_same(done):
    (done.parents[1] / "input.txt").unlink()
    assert any(flaw.startswith("not run again: 00_scope: ") for flaw in verify(done, rerun=True).flaws)


def test_a_manifest_that_cannot_be_read_is_told_once(done):
    (done / "manifest.json").write_text("{")
    assert sum("cannot be read as a manifest" in flaw for flaw in verify(done, rerun=True).flaws) == 1


def test_nothing_outside_is_reached_and_the_journal_stands_in(done, monkeypatch):
    """Where a run could reach endpoints, it is run again without them."""
    (done / "journal").mkdir()
    (done / "journal/answers.jsonl").write_text("{}\n")
    edit(
        done / ".state/00_scope.json",
        lambda record: record.update(system={"allow": ["api.example:443"], "offers_identity": False}),
    )
    seen = []

    def watched(notebook, output, parameters, *, settings, **more):
        seen.append((settings["allow"], (output.parents[1] / "journal/answers.jsonl").exists()))
        execute_here(notebook, output, parameters, settings=settings, **more)

    monkeypatch.setattr(execute_notebook, "execute", watched)
    verdict = verify(done, rerun=True)
    assert seen == [([], True), ([], True)]
    assert any("those of the journal" in text for text in verdict.unchecked)


def test_a_file_that_is_missing_or_leads_out(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/count.json").write_text("1")
    folders = tmp_path / "here", tmp_path / "again"
    assert verify_rerun.difference_of_files(folders[0], folders[0], "count.json") == ""
    assert verify_rerun.difference_of_files(*folders, "count.json").endswith("it is not written")
    assert "leads out" in verify_rerun.difference_of_files(*folders, "../x")


@pytest.mark.slow
def test_in_sealed_kernels(finished):
    assert verify(finished, rerun=True).flaws == []
    forge(finished, everything=True)
    (flaw,) = verify(finished, rerun=True).flaws
    assert flaw.startswith("count.json: is another one") and json.loads((finished / "count.json").read_text())
