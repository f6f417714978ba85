"""An HTTP assistant of which three replies in ten are none, each in another way, asked by a run that is killed and resumed.

`python -m hostile.http_assistant` is the long campaign; with URL RUN_DIR N SECONDS, the process that is killed.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from assistants.loopback import Handler, Loopback
from assistants.random_faults import FAULTS, RandomFaults, late
from killing import kill_when, start
from ragassay.answers import ask_all, load_system
from ragassay.assistant.process_pool import Several

REASONS = (  # how the error of a row may begin, of these faults
    "HTTP ", "wrong reply: ", "no reply within ", "no answer within ", "another question is answered",
    "the connection ended before", "the assistant returned nothing", "not asked: ",
)  # fmt: skip


def answer_to(question: str) -> str:
    return f"The answer to {question}"


def good(handler: Handler, asked: dict) -> None:
    handler.reply({"answer": answer_to(asked["question"]), "id": asked["id"], "cost": 1})


THESE = FAULTS | {
    "429 for long": lambda handler, asked: handler.reply(b"", 429, Retry_After="600"),
    "no answer": lambda handler, asked: handler.reply({"answer": "", "id": asked["id"]}),
    "another": lambda handler, asked: handler.reply({"answer": "The answer", "id": "other"}),
    "redirect": lambda handler, asked: handler.reply(b"", 302, Location="http://elsewhere.example/"),
    "late": late(4),
}


def description(url: str) -> str:
    reply = {"answer": "answer", "cost": "cost", "request_id": "id"}
    body = {"question": "{question}", "id": "{request_id}"}
    return json.dumps({"url": url, "body": body, "reply": reply, "retries": 1})


def ask(url: str, run_dir: Path, n: int, seconds: float, at_a_time: int = 4) -> pd.DataFrame:
    """The answers to n questions."""
    cases = pd.DataFrame(
        {"case_id": [f"c{i:03}" for i in range(n)], "question": [f"question {i}?" for i in range(n)]}
    )
    with load_system(description(url), allow=()) as first:
        several = Several(first, at_a_time)
        try:
            return ask_all(cases, several, name="s", run_dir=run_dir, timeout_s=seconds)
        finally:
            several.close()


def journal(run_dir: Path) -> list[dict]:
    """The whole lines of the journal."""
    path, found = run_dir / "journal" / "answers.jsonl", []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:  # cut short by the kill
            continue
    return found


def answered(run_dir: Path) -> Counter:
    """How often each case has an answer in the journal."""
    return Counter(entry["key"][0] for entry in journal(run_dir) if not entry["row"]["error"])


def kill_after(n: int, url: str, run_dir: Path, of: int, seconds: float) -> bool:
    """Ask in a process of its own, which is killed with the nth line more of the journal; whether it was."""
    command = [sys.executable, "-m", "hostile.http_assistant", url, str(run_dir), str(of), str(seconds)]
    n += len(journal(run_dir))
    asking = start(command, stderr=None, cwd=Path(__file__).parents[1])
    return kill_when(asking, lambda: len(journal(run_dir)) >= n, within_s=120)


def flaws(found: pd.DataFrame, run_dir: Path) -> list[str]:
    """What is wrong with the table and the journal, in words."""
    wrong = []
    for row in found.itertuples():
        right = row.answer == answer_to(row.question) and not row.error
        marked = not row.answer and row.error.startswith(REASONS)
        wrong += [] if right or marked else [f"{row.case_id}: {row.answer[:80]!r}, {row.error!r}"]
    wrong += [f"{case}: {n} answers in the journal" for case, n in answered(run_dir).items() if n != 1]
    return wrong


def campaign(
    run_dir: Path, *, n: int, kills: tuple[int, ...], seconds: float, seed: int = 0
) -> dict[str, Any]:
    """Killed after so many lines of the journal each, then finished and asked once more; what came of it."""
    assistant = RandomFaults(good, THESE, seed)
    with Loopback(assistant) as server:
        killed = sum(kill_after(lines, server.url, run_dir, n, seconds) for lines in kills)
        found = ask(server.url, run_dir, n, seconds)
        wrong = flaws(found, run_dir)
        assistant.share = 0.0
        whole = ask(server.url, run_dir, n, seconds)
    lost = sum(assistant.answered.values()) - sum(
        answered(run_dir).values()
    )  # answered to a process that was killed
    return {
        "first": found,
        "whole": whole,
        "flaws": [*wrong, *flaws(whole, run_dir)],
        "lost": lost,
        "killed": killed,
    }


def main() -> int:
    """The long campaign, in words; 0 if nothing is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        found = campaign(Path(folder), n=300, kills=(30, 40, 50), seconds=3.0)
    first, whole = found["first"], found["whole"]
    print(f"{len(first)} cases, 30 % of the replies failing, killed {found['killed']} times, resumed:")
    print(
        f"  {int((first.error == '').sum())} answered, {int((first.error != '').sum())} marked with a reason"
    )
    for reason, n in first.error[first.error != ""].str.slice(0, 60).value_counts().items():
        print(f"    {n:3} {reason}")
    print(f"  asked once more without faults: {int((whole.error == '').sum())} answered")
    print(f"  {found['lost']} answers given to a process that was killed or no longer waited")
    print("\n".join(found["flaws"]) or "  nothing wrong")
    return bool(found["flaws"]) or found["killed"] != 3 or bool((whole.error != "").any())


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    address, place, number, limit = sys.argv[1:]
    ask(address, Path(place), int(number), float(limit))
