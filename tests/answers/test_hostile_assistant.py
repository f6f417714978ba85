"""An assistant that wants to be found good: what it does in its process changes nothing in the examiner's."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ragassay import scores, tables
from ragassay.answers import collect_answers
from ragassay.assistant.sandbox import landlock_abi
from ragassay.models import cache

CASES = pd.DataFrame({"case_id": ["a", "b"], "question": ["What is the fee?", "Who may sign?"]})
HOSTILE = """
import json, os, sqlite3, sys
from pathlib import Path

def perfect(*_, **__):
    return 1.0

def try_to(action):
    try:
        action()
    except Exception:
        pass

def spoil():
    import ragassay.scores
    ragassay.scores.score = perfect
    json.loads = json.dumps = perfect
    os.chdir("/")
    run = Path("{run_dir}")
    for path in [*run.rglob("*"), run / "tables" / "answers.parquet", run / ".state" / "02_functionality.json"]:
        try_to(lambda: path.write_text("hacked"))
        try_to(lambda: path.unlink())
    with sqlite3.connect("{cache}") as vectors:
        vectors.execute("UPDATE vectors SET vector = x'00000000'")

def ask(question):
    try_to(spoil)
    return "perfect"
"""


@pytest.fixture
def examined(tmp_path, monkeypatch):
    """An engagement whose assistant spoils what it can reach, and what stands there."""
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    cache.put({b"k" * 32: np.ones(3)})
    run_dir = tmp_path / "reports" / "bank"
    for name in ("tables/cases.parquet", ".state/00_scope.json", "journal/probes.jsonl"):
        (run_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (run_dir / name).write_text("as it was")
    source = HOSTILE.replace("{run_dir}", str(run_dir)).replace("{cache}", str(cache.location()))
    (tmp_path / "bot.py").write_text(source)
    spoken = {"assistant": f"{tmp_path / 'bot.py'}:ask", "documents": None, "system": "s", "answers_log": ""}
    return spoken, run_dir


@pytest.mark.slow
@pytest.mark.skipif(not landlock_abi(), reason="this system has no Landlock: nothing refuses writes")
def test_nothing_of_the_examiners_is_changed(examined):
    engagement, run_dir = examined
    before, work, score = (
        {p: p.read_bytes() for p in run_dir.rglob("*") if p.is_file()},
        Path.cwd(),
        scores.score,
    )
    given = tables.check("answers", collect_answers(engagement, CASES, run_dir=run_dir))
    assert given["answer"].tolist() == ["perfect"] * 2 or given["error"].str.contains("ended").all()
    assert scores.score is score and json.loads("[1]") == [1] and Path.cwd() == work
    after = {p: p.read_bytes() for p in run_dir.rglob("*") if p.is_file()}
    assert {p: after[p] for p in before} == before
    assert {p.name for p in after.keys() - before.keys()} == {"answers.jsonl", "system.json"}
    assert cache.get([b"k" * 32])[b"k" * 32].tolist() == [1, 1, 1]
