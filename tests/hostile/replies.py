"""Every kind of reply an assistant can give, good questions between them: every row is there, and the good answers are right."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

from hostile.replying import REPLIES
from hostile.sandbox import Sandbox

ASSISTANT = Path(__file__).with_name("replying.py")
TIMEOUT_S = 2
ASKED = """
import json, sys
import pandas as pd
from ragassay.answers import collect_answers
cases = pd.DataFrame(json.load(open("cases.json")))
engagement = {"assistant": "assistant.py:ask", "documents": "documents", "answers_log": "", "system": "s", "map": {}}
engagement["answer_timeout_s"] = float(sys.argv[1])
found = collect_answers(engagement, cases, run_dir="run")
found.to_json("found.json", orient="records")
"""
LATE = (
    "exit in a thread",
    "signals",
)  # what ends the process a moment later: the row then in flight is lost, with a reason


def questions(kinds: list[str], random: Random) -> list[str]:
    """The kinds in a drawn order, two good questions after each."""
    mixed, found = random.sample(kinds, len(kinds)), ["good 0"]
    for number, kind in enumerate(mixed):
        found += [f"{kind} {number}", f"good {2 * number + 1}", f"good {2 * number + 2}"]
    return found


def flaws(kinds: list[str], seed: int, sandbox: Sandbox, bound_s: float = 300) -> list[str]:
    """Ask all of them in the sandbox's project; what is wrong with the rows that come back, in words."""
    asked = questions(kinds, Random(seed))
    (sandbox.work / "assistant.py").write_bytes(ASSISTANT.read_bytes())
    cases = [{"case_id": f"c{place}", "question": question} for place, question in enumerate(asked)]
    (sandbox.work / "cases.json").write_text(json.dumps(cases))
    before = sandbox.listing()
    done = subprocess.run(
        [sys.executable, "-c", ASKED, str(TIMEOUT_S)],
        cwd=sandbox.work,
        env=os.environ | sandbox.environment,
        capture_output=True,
        timeout=bound_s,
        check=False,
    )
    if done.returncode:
        return [f"asking ended with {done.returncode}: {done.stderr[-500:]!r}"]
    rows = json.loads((sandbox.work / "found.json").read_text())
    beside = [
        name
        for name in sandbox.listing()
        if name not in before and not name.startswith(("above/work/run", "above/work/found"))
    ]
    return [*_of_rows(asked, rows), *(f"written beside: {name}" for name in beside)]


def _of_rows(asked: list[str], rows: list[dict]) -> list[str]:
    if [row["question"] for row in rows] != asked:
        return [f"{len(asked)} questions asked, {len(rows)} rows back, or in another order"]
    found, before = [], ""
    for row in rows:
        kind, _, number = row["question"].rpartition(" ")
        in_flight, before = before in LATE and bool(row["error"]), kind
        if in_flight:
            continue
        if kind == "good" and (row["answer"], row["error"] or "") != (f"answer {number}", ""):
            found.append(f"{row['question']}: {row['answer'][:40]!r}, {row['error']!r}")
        elif kind != "good" and not (row["answer"] or "").strip() and not (row["error"] or "").strip():
            found.append(f"{row['question']}: neither an answer nor a reason")
        elif "forged" in (row["answer"] or ""):
            found.append(f"{row['question']}: a forged reply was taken")
    return found


def every() -> list[str]:
    """The names of all kinds."""
    return list(REPLIES)
