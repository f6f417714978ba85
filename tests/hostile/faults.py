"""The fault campaign: an assistant over HTTP that fails three times in ten, killed three times, its version changed in the middle.

At the end every answer in the table is of the version reported, and no question is without a row.

    PYTHONPATH=tests python -m hostile.faults [--questions N] [--seed S]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import click

import ragassay
from assistants.loopback import Handler, Loopback
from assistants.random_faults import FAULTS, RandomFaults, late
from killing import kill_when, start

COLLECT = """
import json, sys
import pandas as pd
from ragassay.answers import collect_answers
cases = pd.DataFrame(json.load(open("cases.json")))
engagement = {"assistant": "asked.py:ask", "documents": "documents", "answers_log": "", "system": "s", "map": {}}
engagement["answer_timeout_s"] = 3
found = collect_answers(engagement, cases, run_dir="run")
found.to_json("found.json.draft", orient="records")
import os; os.replace("found.json.draft", "found.json")
"""
ASSISTANT = """
import json
import urllib.request


def _post(path, body):
    request = urllib.request.Request("http://{host}" + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=1) as reply:
        return json.loads(reply.read(1_000_000))


def identity():
    return _post("/identity", {{}})["version"]


def ask(question):
    return _post("/ask", {{"question": question, "id": ""}})
"""
NAN = b'{"answer": "a", "latency_s": NaN, "cost": -1}'
THESE = FAULTS | {"late": late(1.2), "NaN": lambda handler, asked: handler.reply(NAN)}
MOST_ROUNDS = 60


class Versioned(RandomFaults):
    """Answers that fail at random; another version gives them after so many requests. Asking for the version
    never fails."""

    def __init__(self, seed: int, change_after: int):
        super().__init__(self.answer, THESE, seed)
        self.change_after = change_after

    @property
    def version(self) -> str:
        return "v1" if self.replies < self.change_after else "v2"

    def answer(self, handler: Handler, asked: dict) -> None:
        handler.reply({"answer": f"{self.version} answers {asked['question']}", "contexts": ["a passage"]})

    def __call__(self, handler: Handler, asked: dict) -> None:
        if handler.path == "/identity":
            handler.reply({"version": self.version})
            return
        super().__call__(handler, asked)


def prepare(folder: Path, host: str, n: int) -> None:
    """The assistant's file, its one document and n cases."""
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "a.md").write_text("# A\n\nThe fee is $3.00.")
    (folder / "asked.py").write_text(ASSISTANT.format(host=host))
    cases = [{"case_id": f"c{i}", "question": f"question {i}?"} for i in range(n)]
    (folder / "cases.json").write_text(json.dumps(cases))


def start_asking(folder: Path) -> subprocess.Popen:
    """Begin to collect the answers."""
    library = str(Path(ragassay.__file__).parents[1])
    return start(
        [sys.executable, "-c", COLLECT],
        stderr=(folder / "err.txt").open("ab"),
        cwd=folder,
        env=os.environ | {"PYTHONPATH": library},
    )


def kill_after(folder: Path, assistant: Versioned, requests: int) -> bool:
    """Start, and kill when the assistant has had so many more requests; whether it was still running."""
    goal = assistant.replies + requests
    return kill_when(start_asking(folder), lambda: assistant.replies >= goal, within_s=120)


def collect(folder: Path, bound_s: float = 300) -> list[dict]:
    """Run to the end, again where the version changed on the way; the rows."""
    code = start_asking(folder).wait(bound_s)
    if code and "became another version" in (folder / "err.txt").read_text():
        code = start_asking(folder).wait(bound_s)
    assert code == 0, f"collecting ended with {code}: {(folder / 'err.txt').read_text()[-1500:]}"
    return json.loads((folder / "found.json").read_text())


def campaign(folder: Path, n: int, seed: int) -> dict[str, int | str]:
    """Killed three times, resumed, the version changed after a third of the answers, run on until nothing fails; figures.

    Raises
    ------
    AssertionError
        If a row is missing, an answer is not of the version the server now has, or failures are never mended.
    """
    random, assistant = Random(seed), Versioned(seed, change_after=max(n // 2, 2))
    with Loopback(assistant) as server:
        prepare(folder, server.host, n)
        kills = sum(kill_after(folder, assistant, random.randrange(2, max(n // 4, 3))) for _ in range(3))
        rounds = 0
        while rounds < MOST_ROUNDS:
            rounds += 1
            rows = collect(folder)
            check(rows, n, assistant.version)
            failed = sum(bool(row["error"]) for row in rows)
            if not failed:
                break
        assert failed == 0, f"{failed} of {n} still without an answer after {rounds} rounds"
        return {
            "asked": assistant.replies,
            "failed": assistant.failed,
            "kills": kills,
            "rounds": rounds,
            "version": assistant.version,
        }


def check(rows: list[dict], n: int, version: str) -> None:
    """A row for every question, in order; an answer of the version, or a reason."""
    assert [row["question"] for row in rows] == [f"question {i}?" for i in range(n)]
    for row in rows:
        if row["error"]:
            assert not row["answer"], row
        elif row["answer"] != "a":  # what "NaN" says where its numbers are let pass
            assert row["answer"] == f"{version} answers {row['question']}", (version, row["answer"][:80])


@click.command()
@click.option("--questions", default=300, show_default=True, help="how many")
@click.option("--seed", default=0, show_default=True, help="of failures and kills")
def main(questions: int, seed: int) -> None:
    """Ask, kill, resume, until every question has an answer of one version."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        figures = campaign(Path(folder) / "engagement", questions, seed)
    print(f"seed {seed}: {questions} questions, every answer of the version reported; {figures}")


if __name__ == "__main__":
    main()
