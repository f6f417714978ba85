"""What scoring costs here and on a Ray cluster of this machine: python bench/scale.py [--answers 100000]
[--encoded 4000] [--workers 2] [--part 1024] [--out bench/scale.json]

Answers are scored by rules alone, and fewer of them by a metric of the encoder, each time with an empty
cache: first here, by as many processes side by side as the cluster has workers, each with its share of the
answers and one thread, then by the workers of a cluster. Both load the machine alike, so that their seconds
of a processor can be compared. Both tables of scores must be equal to the bit.

Kept: seconds by the clock and of the processors, what a start takes apart; what Ray's own processes take;
peak memory of each worker after its first part, half-way and at its end; bytes moved and network passes for
an answer.
The speed of a core on the cluster over that of a core here counts whatever was used: by the process that
reads and packs the answers, by the workers and by Ray's own processes; once without the starts, once with
them.

With --out bench/scale.json docs/scale.md is renewed too (scale_page.py): nothing of it is typed.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import psutil
import scale_page
import workload

import ragassay
from ragassay import provenance
from ragassay.api import ray_cluster, scoring
from ragassay.api.parallel_scoring import Cluster, Work
from ragassay.api.scoring_progress import Progress

RULES, ENCODED = ("citations_valid", "privacy_leaks"), ("groundedness",)
NOTES = "RAGASSAY_BENCH_NOTES"  # the folder where workers note what they used


class Noted(Work):
    """Work that notes after every part what its process has used, and the bytes that came and went."""

    def score(self, part: bytes) -> bytes:
        """The scores of a packed part, packed."""
        before = time.process_time()
        scores = super().score(part)
        line = {
            "before": before,
            "cpu": time.process_time(),
            "peak": peak_mb(),
            "bytes": len(part) + len(scores),
        }
        with (Path(os.environ[NOTES]) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        return scores


def peak_mb() -> float:
    """Peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Timed(ray_cluster.RayPool):
    """A pool that notes what its process and those below it took until the workers were asked for, and in the
    end."""

    start = 0.0
    begun: ClassVar[dict[int, float]] = {}
    ended: ClassVar[dict[int, float]] = {}

    def _start(self) -> None:
        before = time.process_time()
        super()._start()
        Timed.start, Timed.begun = time.process_time() - before, below()

    def close(self) -> None:
        """As the pool's, what was used noted."""
        Timed.ended = below()
        super().close()


def below() -> dict[int, float]:
    """Seconds of the processors that each process started from this one took, by its number."""
    found = {}
    for one in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found[one.pid] = sum(one.cpu_times()[:2])
    return found


def rays_own(workers: set[int]) -> dict[str, float]:
    """What Ray's own processes took to start, and since."""
    own = {number: taken for number, taken in Timed.ended.items() if number not in workers}
    start = sum(taken for number, taken in Timed.begun.items() if number in own)
    return {"start": start, "scoring": sum(own.values()) - start}


def one(answers: Path, out: Path, metrics: str, workers: int, part: int) -> dict[str, Any]:
    """Score here (no workers) or on a cluster: what it used."""
    cluster = Cluster(workers=workers, part=part) if workers else None
    if cluster:
        _watch()
    wall, start = time.perf_counter(), time.process_time()
    ragassay.score(answers, metrics=metrics, out=out, cluster=cluster, progress=Progress())
    used = {
        "wall": time.perf_counter() - wall,
        "start": start + Timed.start,
        "scoring": time.process_time() - start - Timed.start,
        "peak_mb": peak_mb(),
        "encoded": sum(line.get("encoded", 0) for line in _lines(Path(os.environ[provenance.TRACE]))),
    }
    if not cluster:
        return used
    files = sorted(Path(os.environ[NOTES]).glob("*.jsonl"))
    notes = [_lines(path) for path in files]
    return used | {
        "workers": [
            {
                "start": lines[0]["before"],
                "scoring": lines[-1]["cpu"] - lines[0]["before"],
                "peak_mb": [lines[at]["peak"] for at in (0, len(lines) // 2, -1)],
                "parts": len(lines),
            }
            for lines in notes
        ],
        "rays_own": rays_own({int(path.stem) for path in files}),
        "bytes": sum(line["bytes"] for lines in notes for line in lines),
    }


def _watch() -> None:
    """Have workers, the pool and Ray's own processes watched."""
    import ray

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    scoring.Work = Noted  # type: ignore[misc]
    ray_cluster.RayPool = Timed  # type: ignore[misc]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def compare(name: str, n: int, metrics: tuple[str, ...], workers: int, part: int) -> dict[str, Any]:
    """The same answers here and on the cluster, where every worker has four parts at least."""
    part = max(1, min(part, n // (4 * workers)))
    with tempfile.TemporaryDirectory() as folder:
        answers, here, there = (Path(folder) / each for each in ("answers", "local", "ray"))
        shares = write_answers(answers, n, workers)
        say(f"{name}: {n:,} answers here, {workers} processes side by side")
        local = side_by_side(here, [[str(share), metrics, 0, part] for share in shares])
        say(f"{name}: {n:,} answers on a cluster of {workers} workers")
        (ray,) = side_by_side(there, [[str(answers / "all.jsonl"), metrics, workers, part]])
        tables = [
            pd.concat([pd.read_parquet(path) for path in sorted(each.glob("*.parquet"))])
            for each in (here, there)
        ]
        pd.testing.assert_frame_equal(*(table.reset_index(drop=True) for table in tables), check_exact=True)
    found = {"answers": n, "metrics": list(metrics), "local": local, "ray": ray}
    say(f"{name}: equal to the bit; speed of a core {scale_page.speed(found, scale_page.SCORING):.2f}")
    return found


def write_answers(folder: Path, n: int, shares: int) -> list[Path]:
    """The answers in one file, all.jsonl, and in as many others as they are shared among, in order."""
    folder.mkdir()
    paths = [folder / f"{i}.jsonl" for i in range(shares)]
    with contextlib.ExitStack() as stack:
        every, *files = [stack.enter_context(path.open("w")) for path in (folder / "all.jsonl", *paths)]
        for i, row in enumerate(workload.answers(workload.passages(), n)):
            line = json.dumps(row) + "\n"
            every.write(line)
            files[i * shares // n].write(line)
    return paths


def side_by_side(own: Path, calls: list[list[Any]]) -> list[dict[str, Any]]:
    """What each of these calls of `one` used, in processes at the same time that share an empty cache."""
    own.mkdir()
    running = []
    for i, (answers, metrics, workers, part) in enumerate(calls):
        surroundings = os.environ | {
            "RAGASSAY_CACHE": str(own),
            NOTES: str(own),
            provenance.TRACE: str(own / f"{i}.trace"),
            "RAGASSAY_WORKERS": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        told = [answers, str(own / f"{i}.parquet"), ",".join(metrics), str(workers), str(part)]
        command = [sys.executable, __file__, "--one", *told]
        running.append(subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, text=True))
    said = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        raise SystemExit("a process failed: see above")
    return [json.loads(lines.splitlines()[-1]) for lines in said]


def say(line: str) -> None:
    """A line of progress."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--encoded", type=int, default=4_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part", type=int, default=1024)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        answers, out, metrics, workers, part = given.one
        print(json.dumps(one(Path(answers), Path(out), metrics, int(workers), int(part))))
        return
    found = {
        name: compare(name, n, metrics, given.workers, given.part)
        for name, n, metrics in (("rules", given.answers, RULES), ("encoder", given.encoded, ENCODED))
    }
    print(scale_page.measured(found))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        if given.out.resolve() == scale_page.FOUND:
            scale_page.renew()


if __name__ == "__main__":
    main()
