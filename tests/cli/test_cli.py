"""The command line: what each verb says and exits with; a user's mistake is told without a traceback."""

import errno
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from command_line import called
from diff.runs import make_run, scores
from ragassay import __version__, cli, errors, provenance
from ragassay.cli import terminal
from ragassay.run import Outcome, doctor
from ragassay.run.execution import notebook_record
from run.conftest import make_key, notebook


@pytest.fixture
def call(monkeypatch, tmp_path, capsys):
    """Run the command line in an empty folder with one notebook; gives exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    notebook(
        tmp_path / "notebooks" / "00_scope.ipynb",
        'run_dir: str = "x"  # where\nalpha: float = 0.1  # error rate',
    )

    def run(*words: str) -> tuple[int, str, str]:
        return called([*words], monkeypatch, capsys)

    return run


def outcome_of(code: int, rating: str):
    return lambda path, reports, fresh, **more: Outcome(
        reports / "x", "fresh" if fresh else rating, code, {"html": reports / "x" / "report.html"}
    )


def raising(problem: BaseException):
    def run(*args, **more):
        raise problem

    return run


def test_every_verb_explains_itself(call):
    assert all(call(verb, "--help")[0] == 0 and command.help for verb, command in cli.cli.commands.items())


def test_it_is_installed_as_a_command():
    done = subprocess.run(
        [sys.executable, "-c", "from ragassay.cli import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert __version__ in done.stdout


@pytest.mark.parametrize("words", [("run",), ("nonsense",), ("run", "a.yml", "--nonsense")])
def test_wrong_words_are_shown_with_the_usage(call, words):
    code, _, err = call(*words)
    assert code == 1 and "Usage" in err


def test_init_writes_a_file_once(call):
    code, out, _ = call("init", "mine")
    assert (
        code == 0
        and "ragassay run params/mine.yml" in out
        and "# alpha: 0.1" in Path("params/mine.yml").read_text()
    )
    code, _, err = call("init", "mine")
    assert code == 1 and "is there already" in err
    assert call("init", "../elsewhere")[0] == 1


def test_doctor_exits_by_what_it_finds(call, monkeypatch):
    monkeypatch.setattr(doctor, "CHECKS", {"disk": lambda: "9 GiB free"})
    assert call("doctor")[:2] == (0, "  ok   disk             9 GiB free\n")

    def full():
        raise errors.KitError("0 GiB free", do="make room")

    monkeypatch.setattr(doctor, "CHECKS", {"disk": full})
    code, out, _ = call("doctor")
    assert code == 1 and "FLAW disk" in out and "make room" in out


@pytest.mark.parametrize("code, rating", [(0, "Fit for use"), (2, "Not fit"), (3, "Not assessable")])
def test_run_exits_as_decided(call, monkeypatch, code, rating):
    monkeypatch.setattr("ragassay.run.run", outcome_of(code, rating))
    found, out, _ = call("run", "mine.yml", "--reports", "there")
    assert (
        found == code
        and f"decision: {rating} (exit code {code})" in out
        and str(Path("there/x/report.html")) in out
    )
    assert "decision: fresh" in call("run", "mine.yml", "--fresh")[1]


def test_a_misspelt_parameter_is_told_and_nothing_runs(call):
    Path("mine.yml").write_text("00_scope:\n  alhpa: 0.2\n")
    code, _, err = call("run", "mine.yml")
    assert code == 1 and "line 2" in err and "did you mean 'alpha'" in err and not Path("reports").exists()


@pytest.mark.parametrize(
    "problem, words",
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "reports/x/t.parquet"),
            ["disk is full", "reports/x/t.parquet", "make room"],
        ),
        (KeyboardInterrupt(), ["interrupted", "kept", "same command"]),
    ],
)
def test_what_stops_a_run_is_told(call, monkeypatch, problem, words):
    monkeypatch.setattr("ragassay.run.run", raising(problem))
    code, _, err = call("run", "mine.yml")
    assert code == 1 and all(word in err for word in words)


def test_a_defect_of_ours_keeps_its_traceback_in_a_file(call, monkeypatch):
    monkeypatch.setattr("ragassay.run.run", raising(OSError(errno.EIO, "Input/output error")))
    code, _, err = call("run", "mine.yml")
    details = re.search(r"where: (\S+)", err)[1]
    assert code == 1 and "Input/output" in err and "Traceback" in Path(details).read_text()
    Path(details).unlink()


def test_verify_of_a_whole_folder(call, finished):
    code, out, _ = call("verify", str(finished))
    digests = [
        f"SHA-256 of {name}: {provenance.sha256_of(finished / name)}"
        for name in ("SHA256SUMS", "manifest.json")
    ]
    assert code == 0 and out.splitlines()[-3:] == [
        *digests,
        "every file agrees; 2 point(s) not checked, named above",
    ]
    assert out.count("not checked: ") == 2 and "--signed" in out


def test_verify_with_the_hash_that_was_signed(call, finished):
    digest = provenance.sha256_of(finished / "SHA256SUMS")
    code, out, _ = call("verify", str(finished), "--signed", digest)
    assert code == 0 and "the hash that was kept is that of SHA256SUMS" in out
    code, out, _ = call("verify", str(finished), "--signed", "0" * 64)
    assert code == 1 and "neither has the hash that was kept" in out


def test_verify_names_what_was_tampered_with(call, finished):
    (finished / "count.json").write_text('{"forged": true}')
    (finished.parents[1] / "input.txt").write_text("forged")
    code, out, _ = call("verify", str(finished))
    assert code == 1 and "count.json: changed" in out and "input.txt: changed" in out and "2 flaw(s)" in out


def test_sign_and_verify_by_the_key(call, finished, tmp_path, monkeypatch):
    key, who = str(tmp_path / "ann"), ("--name", "Ann Reyes", "--role", "validator")
    make_key(tmp_path / "ann")
    code, out, _ = call("sign", str(finished), "--key", key, *who)
    assert code == 0 and "key SHA256:" in out and out.rstrip().endswith(str(finished / "signature.json"))
    code, out, _ = call("verify", str(finished), "--key", f"{key}.pub")
    assert code == 0 and "note: signed by Ann Reyes (validator), " in out and "unsigned" not in out
    monkeypatch.setattr(notebook_record, "code_sha256", lambda: "0" * 64)
    code, out, _ = call("sign", str(finished), "--key", key, *who)
    assert code == 0 and "  note: made with other versions" in out
    (finished / "count.json").write_text('{"forged": true}')
    code, _, err = call("sign", str(finished), "--key", key, *who)
    assert code == 1 and "cannot be signed" in err and "count.json: changed" in err


def test_the_passphrase_of_a_key_is_taken_from_the_environment(call, finished, tmp_path, monkeypatch):
    encryption = serialization.BestAvailableEncryption(b"open sesame")
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    (tmp_path / "key").write_bytes(Ed25519PrivateKey.generate().private_bytes(*form))
    monkeypatch.setenv("RAGASSAY_KEY_PASSPHRASE", "open sesame")
    code, out, _ = call("sign", str(finished), "--key", str(tmp_path / "key"), "--name", "Ann")
    assert code == 0 and "signed by Ann, " in out and "sesame" not in out


def test_report_says_what_is_not_as_the_run_made_it_and_lists_the_files_anew(call, finished):
    (finished / "count.json").write_text('{"forged": true}')
    code, out, err = call("report", str(finished))
    assert code == 0 and "run again before signing: count.json: changed" in err
    assert f"SHA-256 of SHA256SUMS: {provenance.sha256_of(finished / 'SHA256SUMS')}" in out


def test_the_word_report_takes_the_look_of_a_template(call, finished, tmp_path):
    import docx

    bank = docx.Document()
    bank.sections[0].header.paragraphs[0].text = "Bank plc"
    bank.save(tmp_path / "bank.docx")
    code, out, _ = call("report", str(finished), "--template", str(tmp_path / "bank.docx"))
    made = docx.Document(finished / "validation_report.docx")
    assert code == 0 and "validation_report.docx" in out
    assert made.sections[0].header.paragraphs[0].text == "Bank plc"


def test_a_template_that_is_none_is_refused_before_anything_is_written(call, finished, tmp_path):
    (tmp_path / "bank.docx").write_text("no Word file")
    before = {path: path.stat().st_mtime_ns for path in finished.iterdir()}
    code, _, err = call("report", str(finished), "--template", str(tmp_path / "bank.docx"))
    assert code == 1 and "bank.docx" in err and "do: " in err
    assert {path: path.stat().st_mtime_ns for path in finished.iterdir()} == before


@pytest.mark.parametrize("verb", ["verify", "report"])
def test_a_folder_that_is_not_there_is_told(call, verb):
    code, _, err = call(verb, "nowhere")
    assert code == 1 and "nowhere" in err and not Path("nowhere").exists()


def test_explore_copies_and_says_how_to_go_on(call, finished):
    code, out, _ = call("explore", str(finished))
    copy = finished.with_name("tiny-explore")
    assert code == 0 and f"next: jupyter lab {copy / 'notebooks'}" in out and copy.is_dir()
    code, _, err = call("explore", str(finished))
    assert code == 1 and "is there already" in err
    code, out, _ = call("explore", str(finished), "--out", "my copy")
    assert (
        code == 0
        and f"RAGASSAY_ROOT={finished.parents[1]} jupyter lab '" in out
        and Path("my copy/manifest.json").exists()
    )


def test_report_of_a_folder_that_no_run_made_writes_nothing(call, tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("mine", "absent", "/dev/null"):
        code, _, err = call("report", name)
        assert code == 1 and "no run to report on" in err
    assert not list((tmp_path / "mine").iterdir()) and not (tmp_path / "absent").exists()


def test_diff_writes_a_page_and_json_and_says_what_changed(call, tmp_path, monkeypatch):
    monkeypatch.setattr("ragassay.models.encode", lambda texts: np.ones((len(texts), 3)))
    last, this = (
        make_run(tmp_path / "last"),
        make_run(tmp_path / "this", scores=scores("support", [0.9] * 40)),
    )
    code, out, _ = call("diff", str(last), str(this))
    page, data = (tmp_path / "last-to-this" / name for name in ("diff.html", "diff.json"))
    assert code == 0 and out.splitlines()[-2:] == [f"written: {page}", f"written: {data}"]
    assert "measures of B: 1 better" in out
    assert json.loads(data.read_text())["measures"][0]["outcome"] == "better" and page.stat().st_size > 0
    code, _, err = call("diff", str(last), str(this))
    assert code == 1 and "a file is there already" in err
    assert call("diff", str(last), str(this), "--replace")[0] == 0


def test_diff_never_writes_into_a_run(call, tmp_path):
    last, this = make_run(tmp_path / "last"), make_run(tmp_path / "this")
    for out in (last, this / "tables"):
        code, _, err = call("diff", str(last), str(this), "--out", str(out), "--replace")
        assert code == 1 and "would lie in a run folder" in err


def test_init_asks_on_a_terminal_for_what_is_validated(call, monkeypatch):
    asked = []
    monkeypatch.setattr(sys.modules["ragassay.cli.start"], "ask", lambda what: asked.append(what) or "")
    assert call("init", "mine")[0] == 0 and [what.split()[0] for what in asked] == ["folder", "file"]
    Path("log.jsonl").write_text('{"question": "a?", "answer": "b."}\n')
    code, _, err = call("init", "other", "--log", "none.jsonl")
    assert code == 1 and "none.jsonl" in err and len(asked) == 2 and not Path("params/other.yml").exists()


def test_nothing_is_asked_where_there_is_no_terminal(capsys):
    assert terminal.ask("what") == "" and capsys.readouterr().out == ""
