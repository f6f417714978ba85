"""Attacks on a finished run folder: what `verify` must name, and the one that only a kept hash can tell."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from ragassay import provenance, report
from ragassay.errors import InputError, ParameterError
from ragassay.models import head_file
from ragassay.report.document_control import MANIFEST_LINE
from ragassay.run import run, runner
from ragassay.run.execution import skip_unchanged
from ragassay.run.integrity import checksums, manifest, verification
from ragassay.run.integrity.verification import verify
from ragassay.run.parameter_file import run_settings

NOT_THE_SIGNED = "manifest.json: is not the one on the cover of validation_report.html"


def edit(path: Path, change) -> None:
    """Change a JSON file by a function of its content."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def manifest_edited(change):
    return lambda folder: edit(folder / "manifest.json", change)


def replaced(name: str, old: str, new: str):
    return lambda folder: (folder / name).write_text((folder / name).read_text().replace(old, new))


ATTACKS = {
    "a word of the HTML": (replaced("validation_report.html", "Model-risk", "Model risk"), "validation_report.html: changed"),
    "another PDF": (lambda f: (f / "validation_report.pdf").write_bytes(b"%PDF-1.7"), "validation_report.pdf: cannot be read"),
    "another Word file": (lambda f: (f / "validation_report.docx").write_bytes(b"PK"), "validation_report.docx: cannot be read"),
    "no Word file": (lambda f: (f / "validation_report.docx").unlink(), "validation_report.docx: missing"),
    "no PDF": (lambda f: (f / "validation_report.pdf").unlink(), "validation_report.pdf: missing"),
    "no HTML": (lambda f: (f / "validation_report.html").unlink(), "validation_report.html: missing"),
    "an executed notebook": (replaced("notebooks/00_scope.ipynb", "count.json", "c0unt.json"), "notebooks/00_scope.ipynb"),
    "no executed notebook": (lambda f: (f / "notebooks/00_scope.ipynb").unlink(), "notebooks/00_scope.ipynb: missing"),
    **{
        f"an executed notebook of {cells}": (
            lambda f, cells=cells: (f / "notebooks/00_scope.ipynb").write_text(f'{{"cells": {cells}}}'),
            "its parameters cannot be read",
        )
        for cells in ("[]", "3", '["x"]', '[{"metadata": "x"}]', '[{"metadata": {"tags": ["injected-parameters"]}, "source": "a[0] = 1"}]')
    },
    "a table": (lambda f: (f / "count.json").write_text("{}"), "count.json: changed"),
    "a record": (replaced(".state/00_scope.json", '"key"', '"kez"'), ".state/00_scope.json: no record"),
    "a file more": (lambda f: (f / "tables.xlsx").touch(), "tables.xlsx: is not in SHA256SUMS"),
    "a hidden file more": (lambda f: (f / ".state/more").touch(), ".state/more: is not in SHA256SUMS"),
    "no list": (lambda f: (f / "SHA256SUMS").unlink(), "SHA256SUMS: the list of files cannot be read"),
    "an empty manifest": (lambda f: (f / "manifest.json").write_text("{}"), "manifest.json: is empty"),
    "no JSON": (lambda f: (f / "manifest.json").write_text("{"), "manifest.json: cannot be read as a manifest"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "manifest.json: missing"),
    "another manifest": (replaced("manifest.json", '"git_revision"', '"git_revisiom"'), NOT_THE_SIGNED),
    **{
        f"a manifest without {part}": (manifest_edited(lambda c, part=part: c.pop(part)), f"another form: {part}")
        for part in ("artefacts", "inputs", "models", "parameters", "packages", "code_sha256")
    },
    **{
        f"a manifest with no {part}": (manifest_edited(lambda c, part=part: c.update({part: type(c[part])()})), words)
        for part, words in {
            "artefacts": "another form: artefacts",
            "parameters": "another form: parameters",
            "inputs": "its inputs are not those of the run's records: input.txt",
            "models": "its models are not those of the run's records: tiny",
        }.items()
    },
    "a parameter": (
        manifest_edited(lambda c: c["parameters"]["00_scope"].update(seed=4)),
        "manifest.json: 00_scope.seed is 4, in the executed copy it is 3",
    ),
    "a parameter more": (
        manifest_edited(lambda c: c["parameters"]["00_scope"].update(alpha=0.1)),
        "manifest.json: 00_scope.alpha is 0.1, in the executed copy it is not there",
    ),
    "a notebook that never ran": (
        manifest_edited(lambda c: c["parameters"].update({"01_test_generation": {}})),
        ".state/01_test_generation.json: no record",
    ),
    "a library": (
        manifest_edited(lambda c: c.update(code_sha256="0" * 64)),
        "00_scope was executed with other cells, parameters, models, library or versions",
    ),
    "a package": (
        manifest_edited(lambda c: c["packages"].update(numpy="1.0")),
        "00_scope was executed with other cells, parameters, models, library or versions",
    ),
    "a model's hash": (
        manifest_edited(lambda c: c["models"][0].update(sha256="0" * 64)),
        "model tiny (heads/toxicity.safetensors): on this machine it has",
    ),
    **{
        f"an input {path}": (manifest_edited(lambda c, path=path: c["inputs"][0].update(path=path)), "its inputs are not")
        for path in ("/", "/dev/zero", "../../..", "bundled:../../../../../dev/zero")
    },
    "an odd entry": (manifest_edited(lambda c: c["artefacts"].append(3)), "another form: artefacts"),
    **{
        f"a path {path}": (manifest_edited(lambda c, path=path: c["artefacts"][0].update(path=path)), words)
        for path, words in {
            "../../input.txt": "../../input.txt: a path leads out of the run folder",
            "/dev/zero": "/dev/zero: a path leads out of the run folder",
            "pipe": "pipe: what stands there is no regular file",
            "esc\x1b[2J": r"'esc\x1b[2J': missing",
        }.items()
    },
}  # fmt: skip


IN_THE_LIST_ALONE = ("a word of the HTML", "a file more", "a hidden file more", "no list")


def test_an_untouched_run_agrees_from_any_folder(finished, monkeypatch):
    for folder in (finished.parents[1], finished / "notebooks", Path("/")):
        monkeypatch.chdir(folder)
        verdict = verify(finished)
        assert (verdict.flaws, verdict.notes) == ([], [])
        assert verdict.unchecked == [verification.UNSIGNED, verification.NUMBERS]
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    assert before == {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_named(finished, attack):
    change, words = ATTACKS[attack]
    os.mkfifo(finished / "pipe")
    change(finished)
    flaws = verify(finished).flaws
    assert any(words in flaw for flaw in flaws), flaws


@pytest.mark.parametrize("attack", [name for name in ATTACKS if name not in IN_THE_LIST_ALONE])
def test_an_attack_is_named_even_if_the_list_is_made_anew(finished, attack):
    ATTACKS[attack][0](finished)
    checksums.write(finished)
    assert verify(finished).flaws


def test_a_swapped_model_is_named(finished, tmp_path, monkeypatch):
    shutil.copytree(head_file.FOLDER, tmp_path / "heads")
    (tmp_path / "heads" / "toxicity.safetensors").write_bytes(b"another")
    monkeypatch.setattr(head_file, "FOLDER", tmp_path / "heads")
    (flaw,) = verify(finished).flaws
    assert flaw.startswith("model tiny (heads/toxicity.safetensors): on this machine it has")
    (tmp_path / "heads" / "toxicity.safetensors").unlink()
    verdict = verify(finished)
    assert (
        not verdict.flaws
        and "model tiny (heads/toxicity.safetensors): not at hand on this machine" in verdict.unchecked
    )


def test_a_changed_library_is_a_note(finished, monkeypatch):
    monkeypatch.setattr(skip_unchanged, "code_sha256", lambda: "0" * 64)
    assert verify(finished).flaws == [] and "code_sha256" in verify(finished).notes[0]


def test_a_changed_input_is_named_and_one_that_is_gone_is_not_checked(finished):
    (finished.parents[1] / "input.txt").write_text("other")
    assert "input input.txt: changed" in verify(finished).flaws[0]
    (finished.parents[1] / "input.txt").unlink()
    verdict = verify(finished)
    assert verdict.flaws == [] and any(
        text.startswith("input input.txt: not at hand") for text in verdict.unchecked
    )


def test_a_folder_that_was_moved_agrees(finished, tmp_path):
    moved = shutil.move(finished, tmp_path / "archive")
    verdict = verify(moved)
    assert verdict.flaws == [] and any("input.txt: not at hand" in text for text in verdict.unchecked)


def test_a_table_edited_and_the_report_made_anew(finished):
    """The list is new and agrees; the manifest does not, and the report itself says so."""
    (finished / "count.json").write_text('{"text": "forged"}')
    documents = report.build(finished)
    checksums.write(finished)
    assert any(flaw.startswith("count.json: changed") for flaw in verify(finished).flaws)
    assert manifest.changed_files(finished)[0].startswith("count.json: changed")
    assert "changed since the run: count.json" in documents["html"].read_text()


def forge(folder: Path, everything: bool) -> None:
    """A table and the manifest changed to match, and the report made anew; and all records too."""
    (folder / "count.json").write_text('{"text": "forged"}')
    now = provenance.sha256_of(folder / "count.json")
    for path in (
        [folder / "manifest.json", *(folder / ".state").glob("*.json")]
        if everything
        else [folder / "manifest.json"]
    ):
        content = path.read_text()
        for entry in json.loads(content).get("artefacts", json.loads(content).get("writes", [])):
            content = content.replace(entry["sha256"], now) if entry["path"] == "count.json" else content
        path.write_text(content)
    if everything:
        record = json.loads((folder / ".state/07_conclusion.json").read_text())
        record["reads"][0]["sha256"] = now
        (folder / ".state/07_conclusion.json").write_text(json.dumps(record))
    report.build(folder)
    checksums.write(folder)


def test_a_table_and_the_manifest_edited_consistently(finished):
    forge(finished, everything=False)
    assert any(
        "its artefacts are not those of the run's records: count.json" in flaw
        for flaw in verify(finished).flaws
    )


def test_everything_edited_consistently_is_told_by_the_hash_that_was_kept_alone(finished):
    before = verify(finished).hashes
    forge(finished, everything=True)
    verdict = verify(finished)
    assert verdict.flaws == [] and verification.UNSIGNED in verdict.unchecked
    for signed in before.values():
        assert f"neither has the hash that was kept, {signed[:16]}" in verify(finished, signed).flaws[0]


def test_either_hash_may_have_been_signed(finished):
    hashes = verify(finished).hashes
    assert hashes["manifest.json"] == hashlib.sha256((finished / "manifest.json").read_bytes()).hexdigest()
    for name, sha256 in hashes.items():
        verdict = verify(finished, f" {sha256.upper()}\n")
        assert verdict.flaws == [] and verdict.notes == [
            f"unsigned: there is no signature.json; the hash that was kept is that of {name}"
        ]
        assert (verification.LOOSE in verdict.unchecked) == (name == "manifest.json")
    with pytest.raises(ParameterError, match="no SHA-256"):
        verify(finished, "abc")


def test_no_run_folder_no_verdict(tmp_path):
    with pytest.raises(InputError, match="no folder of a finished run"):
        verify(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        verify(tmp_path / "nowhere")


def test_the_end_of_a_run_is_the_hash_of_the_list(quick):
    (quick / "reports/tiny").mkdir(parents=True)
    outcome = run(Path("tiny.yml"), render=False)
    assert outcome.sha256 == provenance.sha256_of(quick / "reports/tiny/SHA256SUMS")


@pytest.mark.parametrize("own, at_hand", [("project/sub/params", True), ("elsewhere/params", False)])
def test_inputs_of_the_engagements_own_folder(quick, monkeypatch, tmp_path, own, at_hand):
    """Found by the run wherever the YAML is; by `verify` if that is below the project: no other place is kept."""
    project, folder = tmp_path / "project", (tmp_path / own).parent
    shutil.copytree(quick / "notebooks", project / "notebooks")
    (folder / "params").mkdir(parents=True)
    shutil.move(quick / "tiny.yml", folder / "params" / "tiny.yml")
    shutil.move(quick / "input.txt", folder / "input.txt")
    monkeypatch.chdir(project)
    assert run(folder / "params" / "tiny.yml").rating == "hello 1.0"
    monkeypatch.chdir("/")
    verdict = verify(project / "reports" / "tiny")
    assert verdict.flaws == []
    assert any("input.txt: not at hand" in text for text in verdict.unchecked) != at_hand
    assert str(tmp_path).encode() not in (project / "reports/tiny/manifest.json").read_bytes()


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/environ", "bundled:/dev/zero"])
def test_an_input_without_an_end_is_named_and_not_read(finished, path):
    """Also where the records were changed to match."""
    for file in (finished / "manifest.json", finished / ".state" / "00_scope.json"):
        edit(file, lambda content: content["inputs"][0].update(path=path))
    assert f"input {path}: what stands there is no regular file" in verify(finished).flaws


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
