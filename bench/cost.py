"""What each network costs on long real answers (MTRAG's judged answers, ../shared/data): python bench/cost.py
[--answers 40] [--metrics default|all]

All of it over bare encoding of the same sentences, in processor seconds: the median of three rounds, for
another process on the machine changes a round by a fifth. Of every instrument the inputs asked for, those
computed, and the seconds of the median round.
"""

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import models
from ragassay.models import cache
from ragassay.scores import DEFAULT, METRICS, score
from run import ROUNDS, cold, unique_sentences

DATA = Path("../shared/data/mtrag_human/dev.jsonl.gz")
Counted = dict[str, list[float]]  # instrument to inputs seen, computed, and processor seconds


def answers(path: Path, n: int) -> pd.DataFrame:
    """The first n judged answers whose passages are there."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["contexts"]][:n]
    return pd.DataFrame(
        {
            "case_id": [row["id"] for row in rows],
            "system": "mtrag",
            "question": [row["query"] for row in rows],
            "answer": [row["answer"] for row in rows],
            "contexts": [row["contexts"] for row in rows],
        }
    )


@contextmanager
def counting() -> Iterator[Counted]:
    """Of every instrument what is computed inside, by wrapping the one place where networks are asked."""
    counted: Counted = defaultdict(lambda: [0, 0, 0.0])
    real: Callable[..., Any] = cache.cached_compute

    def compute(instrument: str, items: Any, address: Any, new: Any) -> Any:
        def timed(missing: list) -> Iterator:
            counted[instrument][1] += len(missing)
            yield from new(missing)

        before = time.process_time()
        found = real(instrument, items, address, timed)
        counted[instrument][0] += len(items)
        counted[instrument][2] += time.process_time() - before
        return found

    cache.cached_compute = compute
    try:
        yield counted
    finally:
        cache.cached_compute = real


class Round(NamedTuple):
    """Processor seconds of bare encoding and of all metrics, and what each instrument computed for these."""

    bare: float
    whole: float
    counted: Counted

    @property
    def ratio(self) -> float:
        return self.whole / self.bare


def measured(table: pd.DataFrame, chosen: list[str]) -> Round:
    """One round: bare encoding, then the metrics, each with an empty cache."""
    bare = cold(lambda: models.encode(unique_sentences(table)))
    with counting() as counted:
        whole = cold(lambda: score(table, metrics=chosen))
    return Round(bare.cpu, whole.cpu, counted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--metrics", default="default", choices=("default", "all"))
    given = parser.parse_args()
    if not given.data.exists():
        print(f"skipped: needs the user's own copy of MTRAG's judged answers, {given.data}")
        return
    table = answers(given.data, given.answers)
    chosen = list(METRICS if given.metrics == "all" else DEFAULT)
    cold(
        lambda: score(table.head(2), metrics=chosen)
    )  # libraries and networks are loaded before the clock runs
    rounds = sorted((measured(table, chosen) for _ in range(ROUNDS)), key=lambda one: one.ratio)
    bare, whole, counted = rounds[ROUNDS // 2]
    print(f"{len(table)} answers, {len(unique_sentences(table))} sentences; CPU seconds")
    print(
        f"bare encoding {bare:.1f}; {given.metrics} metrics {whole:.1f}: {whole / bare:.2f} "
        f"(rounds: {', '.join(f'{one.ratio:.2f}' for one in rounds)})"
    )
    for name, (seen, computed, seconds) in sorted(counted.items(), key=lambda one: -one[1][2]):
        print(f"  {name:<20} {seen:>8.0f} asked {computed:>8.0f} computed {seconds:>8.1f} s")
    print(f"  outside the networks {whole - sum(one[2] for one in counted.values()):>42.1f} s")


if __name__ == "__main__":
    main()
