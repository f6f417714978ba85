"""What is asked again, what is reused and said to be, and what `--fresh` does: two notebooks that ask a tiny assistant."""

import json
import sys
from pathlib import Path

import pytest

from killing import kill_when, start
from ragassay.errors import NotebookError
from ragassay.run import run
from run.conftest import PARAMETERS, notebook

BOT = """
from pathlib import Path
HERE = Path(__file__).parent
def ask(question):
    if (HERE / "down").exists(): raise ConnectionError("the server is down")
    return "{version} " + question
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
    "answers": given["answer"].tolist(), "errors": given["error"].tolist(),
}})
"""

DECIDE = """
from ragassay import provenance
provenance.save(run_dir, "decision.json", {"rating": "r", "exit_code": 0, "reasons": []})
"""
NOW = {"answers": ["one q1", "one q2"], "errors": ["", ""]}


def asks(folder: Path) -> Path:
    """The engagement in a folder, made one that asks."""
    notebook(folder / "notebooks/00_scope.ipynb", PARAMETERS + '\nversion: str = "1"  # version', SCOPE)
    notebook(folder / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"))
    notebook(folder / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes"))
    notebook(folder / "notebooks/07_conclusion.ipynb", PARAMETERS, DECIDE)
    (folder / "bot.py").write_text(BOT.replace("{version}", "one"))
    (folder / "tiny.yml").write_text("00_scope:\n  version: '1'\n")
    return folder


@pytest.fixture
def asking(quick):
    return asks(quick)


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


def test_nothing_is_asked_twice(asking, capsys):
    assert set(go(capsys)[0].values()) == {"done"}
    assert result() == NOW
    outcomes, said = go(capsys)
    assert set(outcomes.values()) == {"unchanged"} and "reused" not in said and len(journal()) == 2


def test_answers_of_an_earlier_run_are_said_to_be(asking, capsys):
    go(capsys)
    today = journal()[0]["asked"][:10]
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers"), "1")
    _, said = go(capsys)
    assert f"2 answers reused, the last asked on {today}" in said
    assert result()["answers"] == ["one q1", "one q2"] and len(journal()) == 2


def test_it_is_said_how_many_references_and_passages_were_found(asking, capsys):
    event = {"event": "references", "named": 4, "found": 3, "of": "questions"}
    found = f"from ragassay import provenance\nprovenance.append({event})\nprovenance.append({event})"
    notebook(asking / "notebooks/02_functionality.ipynb", PARAMETERS, found)
    assert "6 of the 8 " in go(capsys)[1]


def test_a_new_version_in_the_parameters_is_asked_anew(asking, capsys):
    go(capsys)
    (asking / "bot.py").write_text(BOT.replace("{version}", "one") + "# the same answers\n")
    (asking / "tiny.yml").write_text("00_scope:\n  version: '2'\n")
    go(capsys)
    assert len(journal()) == 4 and journal()[0]["key"][2] != journal()[3]["key"][2]


def test_other_endpoints_are_asked_anew(asking, capsys):
    go(capsys)
    (asking / "tiny.yml").write_text("run:\n  allow: ['localhost:9']\n00_scope:\n  version: '1'\n")
    assert go(capsys)[0] == {"00": "unchanged", "02": "done", "03": "done", "07": "unchanged"}
    assert len(journal()) == 4


def test_failed_answers_are_asked_again(asking, capsys):
    (asking / "down").touch()
    _, said = go(capsys)
    assert "2 question(s) failed; the next run asks them again" in said
    assert "  2 of them: ConnectionError: the server is down" in said
    assert result()["errors"] == ["ConnectionError: the server is down"] * 2
    outcomes, _ = go(capsys)
    assert outcomes["02"] == outcomes["03"] == "done"
    (asking / "down").unlink()
    assert go(capsys)[0]["02"] == "done"
    assert result() == NOW
    assert set(go(capsys)[0].values()) == {"unchanged"}


def test_fresh_asks_everything_again_and_loses_nothing(asking, capsys):
    go(capsys)
    before = journal()
    outcomes, said = go(capsys, fresh=True)
    assert outcomes == {"00": "unchanged", "02": "done", "03": "done", "07": "unchanged"}
    assert "reused" not in said and result() == NOW and journal() != before
    (aside,) = Path("reports/tiny/journal").glob("answers.*.set_aside")
    assert [json.loads(line) for line in aside.read_text().splitlines()] == before


def test_a_fresh_run_that_was_stopped_goes_on(asking, capsys):
    go(capsys)
    first = journal()
    notebook(asking / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes"), "1 / 0")
    with pytest.raises(NotebookError):
        go(capsys, fresh=True)
    fresh = journal()
    notebook(asking / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes"))
    outcomes, _ = go(capsys)
    assert (outcomes["02"], outcomes["03"]) == ("unchanged", "done") and journal() == fresh != first


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
def test_a_run_killed_while_it_asks_goes_on_to_the_same_bytes(engagement, capsys):
    """In kernels and processes of their own: killed between two answers, the first is taken up."""
    (asks(engagement) / "bot.py").write_text(SLOW)
    (engagement / "notebooks/03_risk_safety.ipynb").unlink()
    path = Path("reports/tiny/journal/answers.jsonl")
    assert kill_when(
        start([sys.executable, "-c", RUN]), lambda: path.exists() and b"\n" in path.read_bytes(), within_s=300
    )
    assert len(journal()) == 1
    assert "1 answers reused, the last asked on" in go(capsys)[1]
    first = left(Path("reports/tiny"))
    Path("reports").rename("before")
    go(capsys)
    assert left(Path("reports/tiny")) == first
    policy = json.loads(first["manifest.json"])["network"]
    assert policy["assistant"].startswith("sealed by audit hook") and policy["attempts"] == []
