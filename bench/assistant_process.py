"""What the assistant's own process costs: seconds to start it, and milliseconds an answer above the same
function asked in a thread of the examiner's process."""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ragassay.answers import load_system
from ragassay.answers.asking import InThread

ANSWERS, ROUNDS, PASSAGES, PASSAGE = 500, 5, 5, "A passage of some forty words, as they are found. " * 5
BOT = f"""
def ask(question):
    return {{"answer": "You asked: " + question, "contexts": [{PASSAGE!r}] * {PASSAGES}}}
"""


def overhead() -> None:
    """Print the median of five rounds of 500 answers with five passages each."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bot.py").write_text(BOT)
        names: dict = {}
        exec(BOT, names)
        started = time.perf_counter()
        with load_system(f"{folder}/bot.py:ask", allow=()) as apart:
            start = time.perf_counter() - started
            beside = InThread(names["ask"])
            spent = [_milliseconds(apart.ask) - _milliseconds(beside.ask) for _ in range(ROUNDS)]
            beside.close()
    print(
        f"the assistant's own process: {start:.2f} s to start, {statistics.median(spent):.2f} ms an answer "
        f"(from {min(spent):.2f} to {max(spent):.2f}); target at most 2 ms",
        flush=True,
    )


def _milliseconds(ask: Callable[[str, float], object]) -> float:
    started = time.perf_counter()
    for number in range(ANSWERS):
        ask(f"question {number}", 10)
    return 1000 * (time.perf_counter() - started) / ANSWERS


if __name__ == "__main__":
    overhead()
