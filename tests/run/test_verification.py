"""Attacks on a finished run folder: what `verify` must name, and the ones that only a kept hash or running again can tell."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from ragassay import provenance, report
from ragassay.errors import InputError, ParameterError
from ragassay.models import head_file
from ragassay.run import execute_notebook, run, run_records, verification
from ragassay.run.verification import NUMBERS, UNSIGNED, verify
from run.conftest import execute_here, make_key


def edit(path: Path, change) -> None:
    """Change a JSON file by a function of its content."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def manifest_edited(change):
    return lambda folder: edit(folder / "manifest.json", change)


def replaced(name: str, old: str, new: str):
    return lambda folder: (folder / name).write_text((folder / name).read_text().replace(old, new))


IN_THE_LIST_ALONE = {
    "another PDF": (lambda f: (f / "validation_report.pdf").write_bytes(b"%PDF-1.7"), "validation_report.pdf: changed"),
    "a file more": (lambda f: (f / "tables.xlsx").touch(), "tables.xlsx: is not in SHA256SUMS"),
    "no list": (lambda f: (f / "SHA256SUMS").unlink(), "SHA256SUMS: the list of files cannot be read"),
    "a parameter": (manifest_edited(lambda c: c["parameters"]["00_scope"].update(seed=4)), "manifest.json: changed"),
}  # fmt: skip
ATTACKS = {  # these are named even where the list of files was made anew
    "an executed notebook": (replaced("notebooks/00_scope.ipynb", "count.json", "c0unt.json"), "notebooks/00_scope.ipynb: changed"),
    "no executed notebook": (lambda f: (f / "notebooks/00_scope.ipynb").unlink(), "notebooks/00_scope.ipynb: missing"),
    "a table": (lambda f: (f / "count.json").write_text("{}"), "count.json: changed"),
    "an empty manifest": (lambda f: (f / "manifest.json").write_text("{}"), "manifest.json: is no manifest"),
    "nested": (lambda f: (f / "manifest.json").write_text("[" * 100_000), "manifest.json: cannot be read as a manifest"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "manifest.json: cannot be read as a manifest"),
    "no artefacts": (manifest_edited(lambda c: c.update(artefacts=[])), "missing or empty: artefacts"),
    "an odd entry": (manifest_edited(lambda c: c["artefacts"].append(3)), "manifest.json: is of another form"),
    "a model's hash": (manifest_edited(lambda c: c["models"][0].update(sha256="0" * 64)), "model tiny (heads/toxicity.safetensors): changed"),
    "an input /dev/zero": (manifest_edited(lambda c: c["inputs"][0].update(path="/dev/zero")), "input /dev/zero: what stands there is no regular file"),
    **{
        f"a path {path}": (manifest_edited(lambda c, path=path: c["artefacts"][0].update(path=path)), words)
        for path, words in {
            "../../input.txt": "../../input.txt: a path leads out of the run folder",
            "/dev/zero": "/dev/zero: a path leads out of the run folder",
            "pipe": "pipe: what stands there is no regular file",
            "esc\x1b[2J": "esc␛[2J: missing",
        }.items()
    },
}  # fmt: skip


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_untouched_run_agrees_from_any_folder(finished, monkeypatch):
    before = files(finished)
    for folder in (finished.parents[1], finished / "notebooks", Path("/")):
        monkeypatch.chdir(folder)
        verdict = verify(finished)
        assert (verdict.flaws, verdict.notes, verdict.unchecked) == ([], [], [UNSIGNED, NUMBERS])
    assert files(finished) == before


@pytest.mark.parametrize("attack", [*ATTACKS, *IN_THE_LIST_ALONE])
def test_an_attack_is_named(finished, attack):
    change, words = (ATTACKS | IN_THE_LIST_ALONE)[attack]
    os.mkfifo(finished / "pipe")
    change(finished)
    assert verify(finished).flaws
    if attack in ATTACKS:
        run_records.list_files(finished)
    flaws = verify(finished).flaws
    assert any(words in flaw for flaw in flaws), flaws


def test_a_model_or_library_of_another_kind_is_named(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(run_records, "code_sha256", lambda: "0" * 64)
    assert verify(finished).flaws == [] and "code_sha256" in verify(finished).notes[0]
    shutil.copytree(head_file.FOLDER, tmp_path / "heads")
    (tmp_path / "heads" / "toxicity.safetensors").write_bytes(b"another")
    monkeypatch.setattr(head_file, "FOLDER", tmp_path / "heads")
    (flaw,) = verify(finished).flaws
    assert flaw.startswith("model tiny (heads/toxicity.safetensors): changed")
    (tmp_path / "heads" / "toxicity.safetensors").unlink()
    verdict = verify(finished)
    assert not verdict.flaws and any("safetensors): not at hand" in text for text in verdict.unchecked)


def test_a_changed_input_is_named_and_one_that_is_gone_is_not_checked(finished, tmp_path):
    (finished.parents[1] / "input.txt").write_text("other")
    assert "input input.txt: changed" in verify(finished).flaws[0]
    verdict = verify(shutil.move(finished, tmp_path / "archive"))  # its project stays behind
    assert verdict.flaws == [] and any("input.txt: not at hand" in text for text in verdict.unchecked)


def forge(folder: Path, everything: bool) -> None:
    """A table and the manifest changed to match, and the report and the list made anew; and all records too."""
    before = provenance.sha256_of(folder / "count.json")
    (folder / "count.json").write_text('{"text": "forged"}')
    now = provenance.sha256_of(folder / "count.json")
    for path in [folder / "manifest.json", *((folder / ".state").glob("*.json") if everything else ())]:
        path.write_text(path.read_text().replace(before, now))
    report.build(folder)
    run_records.list_files(folder)


def test_a_table_edited_and_the_report_made_anew(finished):
    """The list is new and agrees; the manifest does not, and the report itself says so."""
    (finished / "count.json").write_text('{"text": "forged"}')
    documents = report.build(finished)
    run_records.list_files(finished)
    assert verify(finished).flaws[0].startswith("count.json: changed")
    assert run_records.changed_files(finished)[0].startswith("count.json: changed")
    assert "changed since the run: count.json" in documents["html"].read_text()


def test_everything_edited_consistently_is_told_by_the_hash_that_was_kept(finished):
    before = verify(finished).hashes
    forge(finished, everything=True)
    verdict = verify(finished)
    assert verdict.flaws == [] and UNSIGNED in verdict.unchecked
    assert not before.items() & verdict.hashes.items()


@pytest.mark.parametrize("own, at_hand", [("project/sub/params", True), ("elsewhere/params", False)])
def test_inputs_of_the_engagements_own_folder(quick, monkeypatch, tmp_path, own, at_hand):
    """Found by the run wherever the YAML is; by `verify` if that is below the project: no other place is kept."""
    project, folder = tmp_path / "project", (tmp_path / own).parent
    shutil.copytree(quick / "notebooks", project / "notebooks")
    (folder / "params").mkdir(parents=True)
    shutil.move(quick / "tiny.yml", folder / "params" / "tiny.yml")
    shutil.move(quick / "input.txt", folder / "input.txt")
    monkeypatch.chdir(project)
    assert run(folder / "params" / "tiny.yml", render=False).rating == "hello 1.0"
    monkeypatch.chdir("/")
    verdict = verify(project / "reports" / "tiny")
    assert verdict.flaws == []
    assert any("input.txt: not at hand" in text for text in verdict.unchecked) != at_hand
    assert str(tmp_path).encode() not in (project / "reports/tiny/manifest.json").read_bytes()


@pytest.fixture
def done(finished, monkeypatch):
    """A finished run; what is executed again is executed in this process."""
    monkeypatch.setattr(execute_notebook, "execute", execute_here)
    return finished


def test_run_again_an_untouched_run_gives_the_same_files_and_stays_as_it_is(done):
    before = files(done)
    verdict = verify(done, rerun=True)
    assert verdict.flaws == [] and NUMBERS not in verdict.unchecked
    assert verdict.notes == ["run again: the 4 files that 2 notebooks wrote are the same"]
    assert files(done) == before


def test_run_again_what_was_edited_throughout_is_named(done):
    """No hash of the folder tells it; the first file that running again makes otherwise does."""
    forge(done, everything=True)
    assert verify(done).flaws == []
    assert verify(done, rerun=True).flaws == ["count.json: is another one when run again; its bytes differ"]


def test_run_again_an_output_put_into_a_notebook_is_named(done):
    name, text = "notebooks/07_conclusion.ipynb", {"output_type": "stream", "name": "stdout", "text": "well"}
    before = provenance.sha256_of(done / name)
    edit(done / name, lambda book: book["cells"][-1]["outputs"].append(text))
    replaced("manifest.json", before, provenance.sha256_of(done / name))(done)
    run_records.list_files(done)
    assert verify(done).flaws == []
    (flaw,) = verify(done, rerun=True).flaws
    assert flaw == f"{name}: its code cell 3 shows something else when run again"


def test_run_again_a_notebook_that_is_not_the_one_of_the_manifest_is_not_executed(done, tmp_path):
    code = f"open({str(tmp_path / 'ran')!r}, 'w')"
    edit(done / "notebooks/00_scope.ipynb", lambda book: book["cells"][-1].update(source=code))
    assert any(flaw.startswith("not run again: 00_scope") for flaw in verify(done, rerun=True).flaws)
    assert not (tmp_path / "ran").exists()


def test_run_again_nothing_outside_is_reached_and_the_journal_stands_in(done, monkeypatch):
    """Where a run could reach endpoints, it is run again without them."""
    (done / "journal").mkdir()
    (done / "journal/answers.jsonl").write_text("{}\n")
    edit(done / ".state/00_scope.json", lambda record: record.update(system={"allow": ["api.example:443"]}))
    seen = []

    def watched(notebook, output, parameters, *, settings, **more):
        seen.append((settings["allow"], (output.parents[1] / "journal/answers.jsonl").exists()))
        execute_here(notebook, output, parameters, settings=settings, **more)

    monkeypatch.setattr(execute_notebook, "execute", watched)
    found = verify(done, rerun=True).unchecked
    assert any("journal" in text for text in found) and seen == [([], True)] * 2


@pytest.mark.slow
def test_run_again_in_sealed_kernels(finished):
    assert verify(finished, rerun=True).flaws == []


WHO = "Ann Reyes (validator), 20"
PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8


@pytest.fixture
def key(tmp_path):
    make_key(tmp_path / "ann")
    return tmp_path / "ann"


@pytest.fixture
def public(key):
    return key.with_name("ann.pub")


@pytest.fixture
def signed(finished, key):
    verification.sign(finished, key, name="Ann Reyes", role="validator")
    return finished


def test_a_folder_without_a_signature_is_called_unsigned(finished, public):
    assert UNSIGNED in verify(finished).unchecked
    (flaw,) = verify(finished, key_files=[public]).flaws
    assert flaw.startswith("unsigned: there is no signature.json; the key SHA256:")


def test_a_signed_folder_agrees_says_by_whom_and_can_be_checked_by_hand(signed, public):
    """The message is a line and JSON with sorted names; any Ed25519 library checks it."""
    verdict = verify(signed, key_files=[public])
    assert verdict.flaws == [] and verdict.notes[0].startswith(f"signed by {WHO}")
    assert not any("unsigned" in text or "the key" in text for text in verdict.unchecked)
    (known,) = [text for text in verify(signed).unchecked if "the key" in text]
    assert "Ann Reyes" in known and "--key" in known
    (entry,) = json.loads((signed / "signature.json").read_text())["signatures"]
    for name in ("manifest.json", "SHA256SUMS"):
        assert entry["statement"][name] == provenance.sha256_of(signed / name)
    text = json.dumps(entry["statement"], sort_keys=True, separators=(",", ":")).encode()
    known = serialization.load_ssh_public_key(public.read_bytes())
    known.verify(base64.b64decode(entry["signature"]), b"ragassay signature 1\n" + text)


@pytest.mark.parametrize("name", ["count.json", "validation_report.pdf", "manifest.json"])
def test_what_is_changed_after_signing_is_named(signed, public, name):
    """Also where the list of files was made anew, which then is not the one signed."""
    (signed / name).write_bytes((signed / name).read_bytes() + b" ")
    assert any(flaw.startswith(f"{name}: ") for flaw in verify(signed, key_files=[public]).flaws)
    run_records.list_files(signed)
    words = f"SHA256SUMS: is not the one that {WHO}"
    assert any(flaw.startswith(words) for flaw in verify(signed, key_files=[public]).flaws)


def test_a_forged_folder_signed_anew_by_another_is_told_by_the_key(signed, public, tmp_path):
    forge(signed, everything=True)
    make_key(tmp_path / "other")
    with pytest.raises(ParameterError, match="another state of this folder was signed"):
        verification.sign(signed, tmp_path / "other", name="Ann Reyes")
    verification.sign(signed, tmp_path / "other", name="Ann Reyes", role="validator", replace=True)
    assert verify(signed).flaws == []  # who holds a key can sign anything
    (flaw,) = verify(signed, key_files=[public]).flaws
    assert flaw == f"the key {verification.fingerprint(verification.read_key(public))} has not signed"


@pytest.mark.parametrize("part", ["name", "role", "signed_at", "manifest.json", "SHA256SUMS"])
def test_no_part_of_a_statement_can_be_changed_and_none_makes_a_line_of_its_own(signed, public, part):
    hidden = "Eve\n  note: signed by Ann Reyes\x1b[2J\u202e"
    edit(signed / "signature.json", lambda found: found["signatures"][0]["statement"].update({part: hidden}))
    flaws = verify(signed, key_files=[public]).flaws
    assert any("broken" in flaw for flaw in flaws) and any("has not signed" in flaw for flaw in flaws)
    assert not any(sign in text for text in flaws for sign in "\n\x1b\u202e")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"signatures": [{}]}', "[" * 100_000])
def test_what_is_no_signature_is_a_flaw(signed, content):
    (signed / "signature.json").write_text(content)
    assert "signature.json: is no list of signatures" in verify(signed).flaws


def test_several_sign_and_one_who_signs_twice_stands_once(signed, key, tmp_path):
    make_key(tmp_path / "bo")
    verification.sign(signed, tmp_path / "bo", name="Bo Lind", role="owner")
    verification.sign(signed, key, name="Ann Reyes", role="reviewer")
    assert [each.statement["role"] for each in verification.read_signatures(signed)] == ["owner", "reviewer"]
    verdict = verify(signed, key_files=[tmp_path / "bo.pub", key.with_name("ann.pub")])
    assert verdict.flaws == [] and len(verdict.notes) == 2


def test_a_folder_that_does_not_agree_is_not_signed(finished, key):
    (finished / "count.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be signed") as refused:
        verification.sign(finished, key, name="Ann")
    assert "count.json: changed" in refused.value.found and not (finished / "signature.json").exists()
    with pytest.raises(ParameterError, match="lies in the run folder"):
        verification.sign(finished, finished / "tables" / "key", name="Ann")


@pytest.mark.parametrize(
    "who", [{"name": " "}, {"name": "x" * 201}, {"name": "Eve\x1b[2J"}, {"name": "A", "role": "Eve\tB"}]
)
def test_who_signs_must_be_said_in_a_line(finished, key, who):
    with pytest.raises(ParameterError, match="who signs"):
        verification.sign(finished, key, **who)


OTHER_KEY = generate_private_key(SECP256R1()).private_bytes(PEM, PKCS8, serialization.NoEncryption())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", OTHER_KEY, b"ssh-rsa AAAA"])
def test_what_is_no_key_is_refused(finished, tmp_path, content):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InputError, match="Ed25519"):
        verification.sign(finished, tmp_path / "key", name="Ann")
    with pytest.raises(InputError, match="Ed25519"):
        verify(finished, key_files=[tmp_path / "key"])


def test_public_keys_are_read_in_both_forms_and_their_fingerprint_is_that_of_ssh(public, tmp_path):
    known = verification.read_key(public)
    pem = known.public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "pem").write_bytes(pem)
    assert verification.read_key(tmp_path / "pem") == known
    try:
        words = ["ssh-keygen", "-lf", public]
        printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("no ssh-keygen")
    assert verification.fingerprint(known) in printed
