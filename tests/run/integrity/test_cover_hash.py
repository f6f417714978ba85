"""Documents of a run: which of them the manifest says there are, whether each prints its hash."""

import json

import pytest

from ragassay import report
from ragassay.report.document_control import MANIFEST_LINE
from ragassay.run import runner
from ragassay.run.integrity import manifest, verification
from ragassay.run.parameter_file import run_settings

PRINTED = f'<header class="cover">{MANIFEST_LINE} {"a" * 64}</header>'
FORMATS = next(each for each in run_settings.SETTINGS if each.name == run_settings.FORMATS)


def flaws(folder, monkeypatch, **said):
    monkeypatch.setattr(manifest, "read", lambda run_dir: said)
    (folder / "validation_report.html").write_text(PRINTED)
    return verification.cover_flaws(folder, "a" * 64)


def test_a_format_that_was_not_asked_for_is_not_missed(tmp_path, monkeypatch):
    assert flaws(tmp_path, monkeypatch, formats=["html"]) == []
    assert flaws(tmp_path, monkeypatch, formats=["html", "pdf"]) == ["validation_report.pdf: missing"]


@pytest.mark.parametrize("said", [{}, {"formats": "html"}, {"formats": None}])
def test_where_the_manifest_says_nothing_every_format_is_missed(tmp_path, monkeypatch, said):
    assert [flaw.split(":")[0] for flaw in flaws(tmp_path, monkeypatch, **said)] == [
        "validation_report.pdf",
        "validation_report.docx",
    ]


def test_a_run_writes_the_formats_of_its_section_run(quick, monkeypatch):
    """The example of two notebooks, its report not built: what would be is told, and stands in the manifest."""
    asked = []
    monkeypatch.setattr(report, "build", lambda run_dir, *, formats: asked.append(formats) or {})
    (quick / "tiny.yml").write_text("run:\n  formats: [html]\n" + (quick / "tiny.yml").read_text())
    outcome = runner.run(quick / "tiny.yml")
    assert asked == [["html"]]
    assert json.loads((outcome.run_dir / "manifest.json").read_text())["formats"] == ["html"]
