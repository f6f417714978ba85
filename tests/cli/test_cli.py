"""The command line: what each verb says and exits with; a user's mistake is told without a traceback."""

import json
from pathlib import Path

import pytest

from command_line import called
from diff.runs import make_run, scores
from ragassay import cli
from ragassay.run import run_records
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


def test_every_verb_explains_itself(call):
    assert all(call(verb, "--help")[0] == 0 and command.help for verb, command in cli.cli.commands.items())


def test_help_shows_the_first_six_verbs_and_then_the_others(call):
    listed = [line.split()[0] for line in call("--help")[1].splitlines() if line.startswith("  ")]
    verbs = [word for word in listed if word in cli.cli.commands]
    assert verbs[:6] == ["demo", "init", "run", "score", "label", "report"] and {*verbs} == {
        *cli.cli.commands
    }
    assert len(cli.cli.commands) <= 19


def test_a_verb_has_few_options():
    n = {name: len(command.params) for name, command in cli.cli.commands.items()}
    assert n["score"] <= 15 and max(n.values()) <= 15, n  # INPUT and 14 options


def test_init_writes_a_file_once(call):
    code, out, _ = call("init", "mine", "--all")
    assert code == 0 and "ragassay run params/mine.yml" in out
    assert "# alpha: 0.1" in Path("params/mine.yml").read_text()
    code, _, err = call("init", "mine")
    assert code == 1 and "is there already" in err
    assert call("init", "../elsewhere")[0] == 1
    code, _, err = call("init", "other", "--size", "huge")
    assert code == 1 and "one of small, standard, large" in err and not Path("params/other.yml").exists()


def test_a_misspelt_parameter_is_told_and_nothing_runs(call):
    Path("mine.yml").write_text("00_scope:\n  alhpa: 0.2\n")
    code, _, err = call("run", "mine.yml")
    assert code == 1 and "line 2" in err and "did you mean 'alpha'" in err and not Path("reports").exists()


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
    monkeypatch.setattr(run_records, "code_sha256", lambda: "0" * 64)
    code, out, _ = call("sign", str(finished), "--key", key, *who)
    assert code == 0 and "  note: made with other versions" in out
    (finished / "count.json").write_text('{"forged": true}')
    code, _, err = call("sign", str(finished), "--key", key, *who)
    assert code == 1 and "cannot be signed" in err and "count.json: changed" in err


def test_explore_copies_and_says_how_to_go_on(call, finished):
    code, out, _ = call("explore", str(finished))
    copy = finished.with_name("tiny-explore")
    assert code == 0 and f" jupyter lab {copy / 'notebooks'}" in out and copy.is_dir()
    assert str(copy) in out.splitlines()[0].split()  # what another editor opens, VS Code say
    code, _, err = call("explore", str(finished))
    assert code == 1 and "is there already" in err
    code, out, _ = call("explore", str(finished), "--out", "my copy")
    assert code == 0 and f"RAGASSAY_ROOT={finished.parents[1]} jupyter lab '" in out
    assert Path("my copy/manifest.json").exists()


def test_diff_writes_a_page_and_json_and_says_what_changed(call, tmp_path):
    last = make_run(tmp_path / "last")
    this = make_run(tmp_path / "this", scores=scores("support", [0.9] * 40))
    code, out, _ = call("diff", str(last), str(this))
    page, data = (tmp_path / "last-to-this" / name for name in ("diff.html", "diff.json"))
    assert code == 0 and out.splitlines()[-2:] == [f"written: {page}", f"written: {data}"]
    assert json.loads(data.read_text())["measures"][0]["outcome"] == "better" and page.stat().st_size > 0
    code, _, err = call("diff", str(last), str(this))
    assert code == 1 and "a file is there already" in err
    assert call("diff", str(last), str(this), "--replace")[0] == 0


def test_diff_never_writes_into_a_run(call, tmp_path):
    last, this = make_run(tmp_path / "last"), make_run(tmp_path / "this")
    for out in (last, this / "tables"):
        code, _, err = call("diff", str(last), str(this), "--out", str(out), "--replace")
        assert code == 1 and "its own files" in err
