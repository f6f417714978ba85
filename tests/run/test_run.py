"""The runner on a tiny engagement: order, skipping, failure, interruption, and equal bytes for equal runs."""

import contextlib
import io
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.misbehaving_server import MisbehavingServer
from models.tiny_encoder import WIDTH, save_tiny_encoder
from ragassay import tables
from ragassay.errors import NotebookError, ParameterError
from ragassay.models import batching
from ragassay.run import parameters, run, run_records
from ragassay.run.verification import verify
from run.conftest import DECIDE, PARAMETERS, make_engagement, notebook

RUN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests were started with `&` by a script
from pathlib import Path
from ragassay.models import batching
from ragassay.run import run
run(Path('tiny.yml'), render=False)
"""


def files(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and ".state" not in p.parts and p.name != "SHA256SUMS"  # they hold the time taken
    }


def go():
    return run(Path("tiny.yml"), render=False)


def outcomes(said: str) -> dict[str, str]:
    return dict(line.split()[:2] for line in said.splitlines() if line.startswith("  0"))


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> SimpleNamespace:
    """The tiny engagement after a run in kernels that nothing stopped: its folder, what came of it, what was said."""
    folder, said = make_engagement(tmp_path_factory.mktemp("undisturbed")), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(said):
        patch.chdir(folder)
        outcome = go()
    return SimpleNamespace(folder=folder, outcome=outcome, said=said.getvalue())


def test_notebooks_run_in_order_and_decide(undisturbed):
    assert (undisturbed.outcome.rating, undisturbed.outcome.exit_code) == ("hello 1.0", 0)
    assert outcomes(undisturbed.said) == {"00_scope": "done", "07_conclusion": "done"}
    assert json.loads((undisturbed.folder / "reports/tiny/count.json").read_text())["seed"] == 3


def test_the_unchanged_is_skipped_and_the_changed_is_not(quick, capsys):
    go()
    capsys.readouterr()
    go()
    assert outcomes(capsys.readouterr().err) == {"00_scope": "unchanged", "07_conclusion": "unchanged"}
    (quick / "tiny.yml").write_text("00_scope:\n  seed: 3\n07_conclusion:\n  factor: 2.0\n")
    assert go().rating == "hello 2.0"
    assert outcomes(capsys.readouterr().err) == {"00_scope": "unchanged", "07_conclusion": "done"}
    (quick / "input.txt").write_text("changed")
    assert go().rating == "changed 2.0"
    assert outcomes(capsys.readouterr().err) == {"00_scope": "done", "07_conclusion": "done"}


def test_the_manifest_names_everything_and_verifies(undisturbed, tmp_path, monkeypatch):
    engagement = shutil.copytree(undisturbed.folder, tmp_path / "copy")
    monkeypatch.chdir(engagement)
    content = json.loads((engagement / "reports/tiny/manifest.json").read_text())
    assert [e["path"] for e in content["inputs"]] == ["input.txt"]
    assert {e["path"]: e["cell"] for e in content["artefacts"]} == {
        "count.json": 3,
        "notebooks/00_scope.ipynb": None,
        "decision.json": 3,
        "notebooks/07_conclusion.ipynb": None,
    }
    assert content["parameters"]["00_scope"]["seed"] == 3 and content["seeds"]["07_conclusion"] == 0
    assert content["network"]["attempts"] == [] and "sealed" in content["network"]["policy"]
    assert verify(engagement / "reports/tiny").flaws == []


def test_a_failing_cell_leaves_a_readable_notebook_and_all_before_it(engagement, capsys):
    notebook(engagement / "notebooks/07_conclusion.ipynb", PARAMETERS, "1 / 0")
    with pytest.raises(
        NotebookError, match=r"(?s)07_conclusion stopped in cell 3.*ZeroDivisionError: division by zero"
    ):
        go()
    executed = (engagement / "reports/tiny/notebooks/07_conclusion.ipynb").read_text()
    assert "ZeroDivisionError" in executed
    assert (engagement / "reports/tiny/count.json").exists()
    notebook(engagement / "notebooks/07_conclusion.ipynb", PARAMETERS + "\nfactor: float = 1.0", DECIDE)
    go()
    assert outcomes(capsys.readouterr().err) == {"00_scope": "unchanged", "07_conclusion": "done"}


@pytest.mark.parametrize("sent, after", [(signal.SIGKILL, 3.0), (signal.SIGINT, 2.5)])
def test_a_run_stopped_half_way_goes_on_to_the_same_bytes(engagement, undisturbed, sent, after):
    started = subprocess.Popen([sys.executable, "-c", RUN], start_new_session=True, stderr=subprocess.DEVNULL)
    time.sleep(after)
    started.send_signal(sent)
    started.wait(30)
    go()
    assert files(engagement / "reports/tiny") == files(undisturbed.folder / "reports/tiny")


def test_a_run_uses_its_own_encoder_and_hashes_it(engagement, tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    save_tiny_encoder(engagement / "own")
    cell = "from ragassay import provenance, models\nprovenance.save(run_dir, 'w.json', {'w': models.encode(['a']).shape[1]})"
    decide = "provenance.save(run_dir, 'decision.json', {'rating': '', 'exit_code': 0})"
    notebook(engagement / "notebooks" / "07_conclusion.ipynb", PARAMETERS, cell, decide)
    (engagement / "tiny.yml").write_text("run:\n  encoder: own\n")
    go()
    assert json.loads((engagement / "reports/tiny/w.json").read_text())["w"] == WIDTH
    content = json.loads((engagement / "reports/tiny/manifest.json").read_text())
    assert content["own_models"] == {"encoder": "own", **dict.fromkeys(parameters.MODELS[1:], "")}
    assert content["device"] == "cpu"
    assert "own" in [entry["path"] for entry in content["inputs"]] and verify("reports/tiny").flaws == []
    assert "own" in [entry["name"] for entry in content["models"]]


@pytest.mark.parametrize(
    "setting, complaint",
    [
        ("encoder: nowhere", "line 2: run.encoder: the model 'nowhere' is not on this machine"),
        ("device: cuda", "line 2: run.device: the device 'cuda' is not on this machine"),
        ("thresholds: mine.json", r"run\.thresholds: .*another model"),
    ],
)
def test_what_is_not_there_is_refused_before_anything_runs(engagement, monkeypatch, setting, complaint):
    monkeypatch.setattr(batching, "available_devices", lambda: ["cpu"])
    (engagement / "mine.json").write_text('{"networks": {"entailment": "0"}, "uses": {}}')
    (engagement / "tiny.yml").write_text(f"run:\n  {setting}\n")
    with pytest.raises(ParameterError, match=complaint):
        go()
    assert not (engagement / "reports").exists()


def test_a_table_that_no_notebook_of_this_run_wrote_is_not_read(quick):
    """One of an earlier release, or of a notebook that was stopped."""
    (quick / "reports/tiny/tables").mkdir(parents=True)
    (quick / "reports/tiny/tables/checks.older.parquet").write_bytes(b"")
    go()
    assert tables.parts("reports/tiny", "checks") == []


ASK = """
from ragassay import provenance
from ragassay.models.judge import make_judge
from ragassay.models.judge_messages import Request
referee = make_judge(judge, judge_model)
replies = referee([Request("n", "rules", text) for text in ("one", "two", "one")])
provenance.save(run_dir, "replies.json", {"replies": [reply.text or reply.failure for reply in replies]})
"""


def test_a_sealed_run_asks_the_judge_that_it_permits_and_no_other(engagement, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    notebook(
        engagement / "notebooks" / "02_functionality.ipynb",
        f'{PARAMETERS}\njudge: str = ""  # where\njudge_model: str = ""  # which',
        ASK,
    )
    with MisbehavingServer(lambda system, user: f"said {user}") as server:
        address = server.url.replace("127.0.0.1", "localhost")
        host = address.split("/")[2]
        text = f"02_functionality:\n  judge: {address}\n  judge_model: rule\n"
        Path("tiny.yml").write_text(text)
        with pytest.raises(ParameterError, match="may not reach"):
            run(Path("tiny.yml"), render=False)
        assert not Path("reports").exists() and not server.asked
        Path("tiny.yml").write_text(f"{text}run:\n  allow: ['{host}']\n")
        run(Path("tiny.yml"), render=False)
    replies = json.loads(Path("reports/tiny/replies.json").read_text())["replies"]
    assert replies == ["said one", "said two", "said one"]
    record = run_records.load(Path("reports/tiny"), "02_functionality")
    assert record["attempts"] == [] and f"{host} (" in record["policy"] and "127.0.0.1" in record["policy"]
    assert {"name": "rule", "file": address, "sha256": "none: a remote model has no file"} in record["models"]
    assert "2 requests: 0 from the journal, 2 replies paid" in capsys.readouterr().err
