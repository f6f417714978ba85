"""What is asked again, what is reused and said to be, and what `--fresh` does: two notebooks that ask a tiny assistant."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pandas as pd
import pytest

from killing import kill_when, start
from ragassay.errors import NotebookError
from ragassay.run import run, run_record
from run.conftest import PARAMETERS, notebook

BOT = """
from pathlib import Path
HERE = Path(__file__).parent
def ask(question):
    if (HERE / "down").exists(): raise ConnectionError("the server is down")
    return "{version} " + question
"""
IDENTITY = """
def identity():
    return (HERE / "version.txt").read_text()
"""
SCOPE = """
from ragassay import provenance
record = {"system": "s", "model_version": version, "assistant": "bot.py:ask", "documents": None, "answers_log": ""}
record["answer_timeout_s"] = 5
provenance.save(run_dir, "engagement.json", record)
"""
ASK = """
import pandas as pd
from ragassay import answers, provenance
record = provenance.load(run_dir, "engagement.json")
cases = pd.DataFrame({{"case_id": ["a", "b"], "question": ["q1", "q2"]}})
given = answers.collect_answers(record, cases, run_dir=run_dir, journal="{journal}")
provenance.save(run_dir, "{journal}.json", {{
    "answers": given["answer"].tolist(), "limits": answers.limits(given), "note": answers.reuse_sentence(given),
}})
"""

NOW = "Asked in this run: 2 of 2 questions."


@pytest.fixture
def asking(quick):
    notebook(quick / "notebooks/00_scope.ipynb", PARAMETERS + '\nversion: str = "1"  # version', SCOPE)
    notebook(quick / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"))
    notebook(quick / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes"))
    decide = 'from ragassay import provenance\nprovenance.save(run_dir, "decision.json", {"rating": "r", "exit_code": 0})'
    notebook(quick / "notebooks/07_conclusion.ipynb", PARAMETERS, decide)
    (quick / "bot.py").write_text(BOT.replace("{version}", "one"))
    (quick / "tiny.yml").write_text("00_scope:\n  version: '1'\n")
    return quick


def go(capsys, **options) -> tuple[dict[str, str], str]:
    """What became of each notebook, and all that the terminal said."""
    run(Path("tiny.yml"), render=False, **options)
    said = capsys.readouterr().err
    lines = [line.split() for line in said.splitlines() if line.startswith("  0") and "(" in line]
    return {words[0][:2]: words[1] for words in lines if not words[0].endswith(":")}, said


def result(name: str = "answers") -> dict:
    return json.loads(Path(f"reports/tiny/{name}.json").read_text())


def journal(name: str = "answers") -> list[dict]:
    return [json.loads(line) for line in Path(f"reports/tiny/journal/{name}.jsonl").read_text().splitlines()]


def test_nothing_is_asked_twice_and_nothing_is_said_of_it(asking, capsys):
    assert set(go(capsys)[0].values()) == {"done"}
    assert result() == {"answers": ["one q1", "one q2"], "limits": [], "note": NOW}
    outcomes, said = go(capsys)
    assert set(outcomes.values()) == {"unchanged"} and "reused" not in said and len(journal()) == 2


def test_a_new_version_in_the_parameters_is_asked_anew(asking, capsys):
    go(capsys)
    (asking / "bot.py").write_text(BOT.replace("{version}", "one") + "# the same answers\n")
    (asking / "tiny.yml").write_text("00_scope:\n  version: '2'\n")
    go(capsys)
    assert len(journal()) == 4 and journal()[0]["key"][3] != journal()[3]["key"][3]
    assert result()["limits"] == []


def test_other_endpoints_are_asked_anew(asking, capsys):
    go(capsys)
    (asking / "tiny.yml").write_text("run:\n  allow: ['localhost:9']\n00_scope:\n  version: '1'\n")
    outcomes, said = go(capsys)
    assert outcomes == {"00": "unchanged", "02": "done", "03": "done", "07": "unchanged"}
    assert "may reach other endpoints" in said and len(journal()) == 4


def test_failed_answers_are_asked_again(asking, capsys):
    (asking / "down").touch()
    _, said = go(capsys)
    assert "2 question(s) failed; the next run asks them again" in said
    assert "  2 of them: ConnectionError: the server is down" in said
    assert (
        "Not tested, 2 of 2 questions: no answer: ConnectionError: the server is down." in result()["limits"]
    )
    outcomes, _ = go(capsys)
    assert outcomes["02"] == outcomes["03"] == "done"
    (asking / "down").unlink()
    outcomes, said = go(capsys)
    assert outcomes["02"] == "done" and "02_functionality: 2 question(s) failed and are asked again" in said
    assert result() == {"answers": ["one q1", "one q2"], "limits": [], "note": NOW}
    assert set(go(capsys)[0].values()) == {"unchanged"}


FAILS_ON_NAMED = """
def ask(question):
    if question == "q1" and (HERE / "down").exists(): raise ConnectionError("the server is down")
    return question
"""
ASK_TWO_SETS = """
import pandas as pd
from ragassay import answers, provenance
record = provenance.load(run_dir, "engagement.json")
for question in ("q1", "q2"):
    cases = pd.DataFrame({"case_id": [question], "question": [question]})
    given = answers.collect_answers(record, cases, run_dir=run_dir, journal=f"set_{question}")
    provenance.save(run_dir, f"{question}.json", {"answers": given["answer"].tolist()})
"""


def test_failed_answers_of_an_earlier_set_of_a_notebook_are_asked_again(asking, capsys):
    """The notebook asks two sets, and only the first has a question that fails."""
    (asking / "bot.py").write_text(
        "from pathlib import Path\nHERE = Path(__file__).parent\n" + FAILS_ON_NAMED
    )
    notebook(asking / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK_TWO_SETS)
    (asking / "notebooks/02_functionality.ipynb").unlink()
    (asking / "down").touch()
    go(capsys)
    assert result("q1")["answers"] == [""] and result("q2")["answers"] == ["q2"]
    (asking / "down").unlink()
    outcomes, said = go(capsys)
    assert outcomes["03"] == "done" and "03_risk_safety: 1 question(s) failed and are asked again" in said
    assert result("q1")["answers"] == ["q1"] and set(go(capsys)[0].values()) == {"unchanged"}


def test_answers_of_an_earlier_run_are_said_to_be(asking, capsys):
    go(capsys)
    today = journal()[0]["asked"][:10]
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"), "1")
    _, said = go(capsys)
    assert f"2 answers reused from an earlier run, asked on {today}" in said
    assert result()["answers"] == ["one q1", "one q2"] and len(journal()) == 2
    assert f"asked on {today}: 2 of 2 answers" in result()["note"]
    assert result()["limits"][0].startswith(result()["note"])


def test_answers_of_the_interrupted_run_are_said_on_the_terminal_alone(asking, capsys):
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"), "1 / 0")
    with pytest.raises(NotebookError):
        go(capsys)
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"), "1")
    _, said = go(capsys)
    assert "2 answers taken up from the interrupted run, asked on" in said
    assert result()["limits"] == [] and len({entry["run"] for entry in journal()}) == 1


def test_fresh_asks_everything_again_and_loses_nothing(asking, capsys):
    go(capsys)
    before = journal()
    outcomes, said = go(capsys, fresh=True)
    assert outcomes == {"00": "unchanged", "02": "done", "03": "done", "07": "unchanged"}
    assert "reused" not in said and result()["limits"] == [] and before[0]["run"] != journal()[0]["run"]
    (aside,) = Path("reports/tiny/journal").glob("answers.*.set_aside")
    assert [json.loads(line) for line in aside.read_text().splitlines()] == before


def test_a_fresh_run_that_was_stopped_goes_on(asking, capsys):
    go(capsys)
    first = journal()[0]["run"]
    notebook(asking / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes"), "1 / 0")
    with pytest.raises(NotebookError):
        go(capsys, fresh=True)
    fresh = journal()[0]["run"]
    notebook(asking / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes"))
    outcomes, said = go(capsys)
    assert (outcomes["02"], outcomes["03"]) == ("unchanged", "done") and fresh != first
    assert {entry["run"] for entry in journal("probes")} == {fresh} and "from an earlier run" not in said


def test_a_fresh_run_killed_while_it_sets_aside_sets_aside_when_it_goes_on(asking, capsys, monkeypatch):
    go(capsys)
    monkeypatch.setattr(run_record, "_set_answers_aside", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        go(capsys, fresh=True)
    monkeypatch.undo()
    monkeypatch.chdir(asking)
    monkeypatch.setattr(
        "ragassay.run.execution.execute_notebook.execute", __import__("run.conftest").conftest.execute_here
    )
    outcomes, said = go(capsys)
    assert outcomes["02"] == outcomes["03"] == "done" and "reused" not in said


def test_the_version_that_the_assistant_says_it_is(asking, capsys):
    (asking / "bot.py").write_text(BOT.replace("{version}", "one") + IDENTITY)
    (asking / "version.txt").write_text("7.1")
    go(capsys)
    assert {entry["key"][4] for entry in journal()} == {"7.1"}
    assert set(go(capsys)[0].values()) == {"unchanged"}
    (asking / "version.txt").write_text("7.2")
    outcomes, said = go(capsys)
    assert outcomes["02"] == outcomes["03"] == "done" and "says that it is another version" in said
    assert {entry["key"][4] for entry in journal()[2:]} == {"7.2"} and result()["limits"] == []


def test_a_version_that_changes_between_two_notebooks_stops_the_run(asking, capsys):
    (asking / "bot.py").write_text(BOT.replace("{version}", "one") + IDENTITY)
    (asking / "version.txt").write_text("7.1")
    change = "import pathlib; pathlib.Path('version.txt').write_text('7.2')"
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"), change)
    with pytest.raises(NotebookError) as stopped:
        go(capsys)
    why = str(stopped.value.__cause__)
    assert (
        "is not the one any more" in why
        and "found: identity(): 7.2" in why
        and "expected: identity(): 7.1" in why
    )
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"))
    go(capsys)
    assert {entry["key"][4] for entry in journal()[2:]} == {"7.2"}


class Server(BaseHTTPRequestHandler):
    """Answers with its version, which changes after the third answer; /version says which it is."""

    answers, change_after = 0, 3

    def do_GET(self):
        version = b"1" if Server.answers < self.change_after else b"2"
        Server.answers += self.path != "/version"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(version)

    def log_message(self, *_):
        pass


OVER_HTTP = """
import urllib.request
def fetch(path): return urllib.request.urlopen("http://127.0.0.1:{port}/" + path, timeout=5).read().decode()
def identity(): return {{"server": fetch("version")}}
def ask(question): return "version " + fetch("ask")
"""


def test_all_answers_are_of_the_version_that_is_reported(asking, capsys):
    """The server becomes another after the third answer, in the middle of notebook 03: it stops; run again, all is of the new."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        (asking / "bot.py").write_text(OVER_HTTP.format(port=port))
        (asking / "tiny.yml").write_text(f"run:\n  allow: ['127.0.0.1:{port}']\n")
        with pytest.raises(NotebookError):
            go(capsys)
        go(capsys)
        server.shutdown()
    assert result()["answers"] == result("probes")["answers"] == ["version 2"] * 2
    assert pd.Series(result()["limits"]).empty and os.environ.get("RAGASSAY_RUN") is None


SLOW = """
import time
def ask(question):
    time.sleep(0.3 if question == "q2" else 0)
    return "one " + question
"""
RUN = "from pathlib import Path; from ragassay.run import run; run(Path('tiny.yml'), render=False)"


def left(folder: Path) -> dict[str, bytes]:
    """What a run leaves but its diary, the journal and the sums of both, which hold times."""
    apart = {".state", "journal", "SHA256SUMS"}
    found = [path for path in folder.rglob("*") if path.is_file()]
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return {name: content for name, content in named.items() if name.split("/")[0] not in apart}


@pytest.mark.slow
def test_a_run_killed_while_it_asks_goes_on_to_the_same_bytes(asking):
    """In kernels and processes of their own: killed between two answers, the first is taken up and nothing says so but the terminal."""
    (asking / "bot.py").write_text(SLOW)
    (asking / "notebooks/03_risk_safety.ipynb").unlink()
    path = Path("reports/tiny/journal/answers.jsonl")
    assert kill_when(
        start([sys.executable, "-c", RUN]), lambda: path.exists() and b"\n" in path.read_bytes(), within_s=300
    )
    assert len(journal()) == 1
    resumed = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True)
    assert "1 answers taken up from the interrupted run" in resumed.stderr
    first = left(Path("reports/tiny"))
    Path("reports").rename("before")
    subprocess.run([sys.executable, "-c", RUN], capture_output=True, check=True)
    assert left(Path("reports/tiny")) == first
    policy = json.loads(first["manifest.json"])["network"]
    assert policy["assistant"].startswith("sealed by audit hook") and policy["attempts"] == []
