"""What scoring costs here and on a Ray cluster of this machine: python bench/scale.py [--answers 100000]
[--encoded 4000] [--workers 2] [--part 1024] [--out bench/scale.json]

Answers are scored by rules alone, and fewer of them by a metric of the encoder, with an empty cache, in a
process of its own: first here, on one thread, then by the workers of a cluster. Printed and kept: seconds by
the clock and of the processors, peak memory of each worker, bytes moved and network passes for an answer, and
the speed of a core on the cluster over that here, what a process needs to start (workers_start_cpu) left out
of both. Both tables of scores must be equal to the bit.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
import workload

import ragassay
from ragassay import evidence
from ragassay.api import scoring
from ragassay.api.cluster import Cluster, Work

RULES, ENCODED = ("citations_valid", "privacy_leaks"), ("groundedness",)
PRICE, SIZES = 0.05, (100_000, 1_000_000, 100_000_000)  # an hour of a core, in any one currency; answers
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


def one(answers: Path, out: Path, metrics: str, workers: int, part: int) -> dict[str, Any]:
    """Score here (no workers) or on a cluster; what it used, that of Ray's own processes left out."""
    cluster = Cluster(workers=workers, part=part) if workers else None
    if cluster:
        import ray

        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        scoring.Work = Noted  # type: ignore[misc]
    wall, cpu = time.perf_counter(), time.process_time()
    ragassay.score(answers, metrics=metrics, out=out, cluster=cluster)
    used = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak_mb": peak_mb()}
    notes = [_lines(path) for path in Path(os.environ[NOTES]).glob("*.jsonl")]
    return used | {
        "workers_start_cpu": [lines[0]["before"] for lines in notes],
        "workers_cpu": [lines[-1]["cpu"] - lines[0]["before"] for lines in notes],
        "workers_peak_mb": [[lines[0]["peak"], lines[-1]["peak"]] for lines in notes],
        "bytes": sum(line["bytes"] for lines in notes for line in lines),
        "encoded": sum(line.get("encoded", 0) for line in _lines(Path(os.environ[evidence.TRACE]))),
    }


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def compare(n: int, metrics: tuple[str, ...], workers: int, part: int) -> dict[str, Any]:
    """The same answers here and on the cluster."""
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.jsonl"
        with answers.open("w", encoding="utf-8") as file:
            rows = workload.answers(workload.passages(), n)
            file.writelines(json.dumps(row) + "\n" for row in rows)
        used = {
            name: _in_process(Path(folder), name, answers, metrics, number, part)
            for name, number in (("local", 0), ("ray", workers))
        }
        tables = [pd.read_parquet(Path(folder) / name / "scores.parquet") for name in used]
        pd.testing.assert_frame_equal(*tables, check_exact=True)
    here, there = used["local"]["cpu"], used["ray"]["cpu"] + sum(used["ray"]["workers_cpu"])
    return {
        "answers": n,
        "metrics": list(metrics),
        "workers": workers,
        **used,
        "cpu_per_answer": {"local": here / n, "ray": there / n},
        "passes_per_answer": used["ray"]["encoded"] / n,
        "bytes_per_answer": used["ray"]["bytes"] / n,
        "speed_per_core": here / there,
    }


def _in_process(
    folder: Path, name: str, answers: Path, metrics: tuple[str, ...], workers: int, part: int
) -> dict[str, Any]:
    """What one way used, in a process of its own with an empty cache."""
    own = folder / name
    own.mkdir()
    command = [
        sys.executable,
        __file__,
        "--one",
        str(answers),
        str(own / "scores.parquet"),
        ",".join(metrics),
    ]
    surroundings = os.environ | {
        "RAGASSAY_CACHE": str(own),
        NOTES: str(own),
        evidence.TRACE: str(own / "trace.txt"),
        "RAGASSAY_WORKERS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command += [str(workers), str(part)]
    ran = subprocess.run(command, env=surroundings, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout.splitlines()[-1])


def cost_rows(found: dict[str, Any], sizes: tuple[int, ...] = SIZES, price: float = PRICE) -> list[str]:
    """The rows of the table in docs/scale.md: what so many answers take at the price of an hour of a core."""
    return [
        f"| {name} | {n:,} | {n * one['cpu_per_answer']['ray'] / 3600:,.1f} "
        f"| {n * one['cpu_per_answer']['ray'] / 3600 * price:,.2f} "
        f"| {n * one['passes_per_answer'] / 1e6:,.1f} | {n * one['bytes_per_answer'] / 1e9:,.2f} |"
        for name, one in found.items()
        for n in sizes
    ]


def measured_rows(found: dict[str, Any]) -> list[str]:
    """The rows of the table of what was measured."""
    return [
        f"| {name}: {', '.join(one['metrics'])} | {one['answers']:,} "
        f"| {one['cpu_per_answer']['local'] * 1000:.2f} | {one['cpu_per_answer']['ray'] * 1000:.2f} "
        f"| {one['speed_per_core']:.2f} | {max(last for _, last in one['ray']['workers_peak_mb']):.0f} "
        f"| {one['bytes_per_answer']:,.0f} |"
        for name, one in found.items()
    ]


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
        "rules": compare(given.answers, RULES, given.workers, given.part),
        "encoder": compare(given.encoded, ENCODED, given.workers, given.part),
    }
    print(json.dumps(found, indent=1))
    print("\n".join([*measured_rows(found), *cost_rows(found)]))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
