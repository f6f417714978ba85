"""Peak memory of `ragassay.score` from file to file, each size in a process of its own that starts with an
empty cache."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import workload

SIZES = (1_000, 10_000, 100_000)
METRICS = ("groundedness", "completeness_min", "citations_valid")
CHILD = """
import resource, sys
from pathlib import Path
import ragassay
ragassay.score(sys.argv[1], metrics=sys.argv[3], out=sys.argv[2])
status = Path("/proc/self/status")
if status.exists():  # of this program alone; ru_maxrss also counts what its parent was before it started
    print(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory(chunks: pd.DataFrame) -> None:
    """Print the peak at each size over that at the one before; answers quote, so that the passages' sentences
    are all there is to encode."""
    print(f"peak memory, {', '.join(METRICS)}, jsonl to parquet:")
    peaks: list[float] = []
    for size in SIZES:
        peaks.append(peak(chunks, size))
        over = (
            f", {peaks[-1] / peaks[-2]:.2f} times that at {SIZES[len(peaks) - 2]:,}" if len(peaks) > 1 else ""
        )
        print(
            f"  {size:>7,} answers: {peaks[-1]:.0f} "
            f"MB{over}{'; target at most 1.30' if size == SIZES[-1] else ''}",
            flush=True,
        )


def peak(chunks: pd.DataFrame, size: int) -> float:
    """Peak resident memory in MB while so many answers are scored."""
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "answers.jsonl", Path(folder) / "scores.parquet"
        with given.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in workload.answers(chunks, size, own_words=False))
        command = [sys.executable, "-c", CHILD, str(given), str(out), ",".join(METRICS)]
        ran = subprocess.run(
            command, env=os.environ | {"RAGASSAY_CACHE": folder}, check=True, capture_output=True, text=True
        )
        assert len(pd.read_parquet(out, columns=["metric"])) == size * len(METRICS)
        return int(ran.stdout.split()[-1]) / 1024
