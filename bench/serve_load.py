"""`ragassay serve` under load on loopback: python bench/serve_load.py [--requests 1400] [--threads 12]

More threads ask than may wait, each with answers of its own words: what is sent away with 429 is asked again.
Written to bench/serve_load.json: requests a second, replies by status, memory of the server in between.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import workload

METRICS = ["groundedness", "completeness_min", "citations_valid"]
OUT = Path(__file__).with_suffix(".json")
KEY = "a key for the load test alone"
PARTS = 4  # looks at the memory


def resident_mib(process: subprocess.Popen) -> float:
    """What the server holds in memory now."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024


def started(cache: str) -> tuple[subprocess.Popen, str]:
    """A server with an empty cache, and its address."""
    environment = os.environ | {"RAGASSAY_API_KEY": KEY, "RAGASSAY_CACHE": cache}
    command = [sys.executable, "-c", "from ragassay.cli import main; main()", "serve", "--port", "0"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()[-1]


class Load:
    """Requests until each is answered; every status is counted."""

    def __init__(self, address: str):
        self.address, self.statuses, self._lock = address, Counter[int](), threading.Lock()

    def ask(self, answers: tuple[dict, ...]) -> None:
        """Ask until there is room."""
        body = json.dumps({"answers": answers, "metrics": METRICS}).encode()
        while self._status(body) == 429:
            time.sleep(0.5)

    def _status(self, body: bytes) -> int:
        headers = {"X-API-Key": KEY, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/score", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                reply.read()
                status = reply.status
        except urllib.error.HTTPError as refused:
            status = refused.code
        with self._lock:
            self.statuses[status] += 1
        return status


def measure(n: int, threads: int) -> dict:
    """The load in parts, and what it left."""
    rows = list(workload.answers(workload.passages(), 2 * n))
    requests = list(zip(rows[::2], rows[1::2], strict=True))
    part = -(-n // PARTS)
    with tempfile.TemporaryDirectory() as cache:
        process, address = started(cache)
        load, memory, start = Load(address), [resident_mib(process)], time.perf_counter()
        try:
            for first in range(0, n, part):
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(load.ask, requests[first : first + part]))
                memory.append(resident_mib(process))
            seconds = time.perf_counter() - start
        finally:
            process.terminate()
            process.wait(30)
    return {
        "requests": n,
        "answers_of_each": 2,
        "threads": threads,
        "metrics": METRICS,
        "requests_per_second": round(n / seconds, 2),
        "replies_by_status": {str(code): count for code, count in sorted(load.statuses.items())},
        "server_errors": sum(count for code, count in load.statuses.items() if code >= 500),
        "resident_mib_at_start_and_after_each_quarter": [round(each, 1) for each in memory],
        "exit_code": process.returncode,
    }


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("--requests", type=int, default=1400)
    asked.add_argument("--threads", type=int, default=12)
    given = asked.parse_args()
    found = json.dumps(measure(given.requests, given.threads), indent=2)
    OUT.write_text(found + "\n", encoding="utf-8")
    print(found)
