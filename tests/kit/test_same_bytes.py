"""Equal inputs, equal bytes: in two folders, after three kills, and when nothing changed; nothing over the network."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kit.conftest import COMMAND, engagement, files, run
from ragassay.run import notebooks, sums
from ragassay.run.verification import verify

pytestmark = pytest.mark.slow

KILLED_AT = (  # what is there when the run is killed: at the same moments on a fast machine and on a slow one
    "tables/chunks.strata.parquet",
    "tables/answers.parquet",
    "tables/weakness.parquet",
)


def test_a_run_in_another_folder_killed_three_times_ends_with_the_same_bytes(undisturbed, tmp_path):
    """The first ran with nothing in its cache, this one with all: it makes no difference either."""
    other = engagement(tmp_path / "killed")
    shutil.copytree(undisturbed / "cache", other / "cache")
    for landmark in KILLED_AT:
        killed_at(other, other / "reports/small" / landmark)
    done = run(other, other / "cache")
    assert done.returncode in (0, 2, 3), done.stderr[-2000:]
    ours, theirs = files(undisturbed / "reports/small"), files(other / "reports/small")
    assert ours.keys() == theirs.keys()
    assert differing(ours, theirs) == {}
    listed = sums.read(undisturbed / "reports/small"), sums.read(other / "reports/small")
    timed = [name for name in listed[0] if listed[0][name] != listed[1].get(name)]
    assert listed[0].keys() == listed[1].keys() and {name.split("/")[0] for name in timed} <= {
        ".state",
        "journal",
    }


def killed_at(folder: Path, landmark: Path) -> None:
    """Start the run, and kill it and all it started as soon as the file is there."""
    started = subprocess.Popen(
        COMMAND,
        cwd=folder,
        env=os.environ | {"RAGASSAY_CACHE": str(folder / "cache")},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not landmark.exists() and started.poll() is None:
        time.sleep(0.02)
    assert started.poll() is None, f"the run ended before {landmark.name} was there"
    os.killpg(started.pid, signal.SIGKILL)
    started.wait(30)


def differing(ours: dict[str, bytes], theirs: dict[str, bytes]) -> dict[str, object]:
    """The files that differ; of the manifest, which on its own changes the report, what differs in it."""
    found: dict[str, object] = {name: "differs" for name in ours if ours[name] != theirs.get(name)}
    if "manifest.json" in found and "manifest.json" in theirs:
        one, other = json.loads(ours["manifest.json"]), json.loads(theirs["manifest.json"])
        found["manifest.json"] = {
            key: (one[key], other.get(key)) for key in one if one[key] != other.get(key)
        }
    return found


def test_an_unchanged_run_executes_nothing(undisturbed):
    before = files(undisturbed / "reports/small")
    done = run(undisturbed, undisturbed / "cache")
    assert done.stderr.count("unchanged (skipped)") == len(notebooks())
    assert files(undisturbed / "reports/small") == before


def test_the_manifest_holds(undisturbed, monkeypatch):
    monkeypatch.chdir("/")
    verdict = verify(undisturbed / "reports" / "small")
    assert (verdict.flaws, verdict.notes) == ([], []) and len(verdict.unchecked) == 2


def test_nothing_was_tried_over_the_network(undisturbed):
    content = json.loads((undisturbed / "reports/small/manifest.json").read_text())
    assert content["network"]["attempts"] == [] and content["network"]["policy"].startswith("sealed")
