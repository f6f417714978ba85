"""A hundred kills at random moments of whole runs of the small bank, each resumed: at the end, equal bytes.

    PYTHONPATH=tests python -m hostile.kills [--kills N] [--seed S]

Tables, figures, executed notebooks, manifest and both reports are compared with those of a run that nothing disturbed.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import click

from killing import kill_when
from kit.conftest import engagement, files, run, start_run

MOST_KILLS = 12  # in one run, before it is let go on to its end
REPORTS = Path("reports/small")


def undisturbed(store: Path) -> tuple[dict[str, bytes], float]:
    """What a run leaves that nothing disturbs, and the seconds that it takes with a warm cache."""
    folder = engagement(store / "undisturbed")
    done = run(folder, folder / "cache")
    assert done.returncode in (0, 2, 3), done.stderr[-2000:]
    kept = files(folder / REPORTS)
    shutil.rmtree(folder / "reports")
    begun = time.monotonic()
    run(folder, folder / "cache")
    assert files(folder / REPORTS) == kept, "two runs that nothing disturbed differ"
    return kept, time.monotonic() - begun


def differing(kept: dict[str, bytes], folder: Path) -> list[str]:
    """The files that differ, are missing or are too many."""
    found = files(folder / REPORTS)
    return sorted(name for name in kept.keys() | found.keys() if kept.get(name) != found.get(name))


def one_run(store: Path, most: int, lasts_s: float, random: Random) -> tuple[Path, int]:
    """A run killed up to `most` times at moments drawn over its length, then let go on; its folder, and the kills."""
    folder = engagement(store / f"killed-{random.randrange(10**9)}")
    shutil.copytree(store / "undisturbed" / "cache", folder / "cache")
    kills = 0
    while kills < most and kill_when(start_run(folder), lambda: False, random.uniform(0.2, lasts_s / 4)):
        kills += 1
    done = run(folder, folder / "cache")
    assert done.returncode in (0, 2, 3), done.stderr[-2000:]
    return folder, kills


@click.command()
@click.option("--kills", default=100, show_default=True, help="how many in all")
@click.option("--seed", default=0, show_default=True, help="of the moments")
def main(kills: int, seed: int) -> None:
    """Kill, resume, compare; exit 1 at the first difference."""
    store, random, done, runs = Path(tempfile.mkdtemp(prefix="kills-")), Random(seed), 0, 0
    begun = time.monotonic()
    kept, lasts_s = undisturbed(store)
    print(f"seed {seed}: {len(kept)} files, {lasts_s:.0f} s a run, in {store}", flush=True)
    while done < kills:
        folder, more = one_run(store, min(MOST_KILLS, kills - done), lasts_s, random)
        done, runs = done + more, runs + 1
        unequal = differing(kept, folder)
        print(
            f"{done} kills in {runs} runs, {time.monotonic() - begun:.0f} s: {unequal or 'equal bytes'}",
            flush=True,
        )
        if unequal:
            sys.exit(f"kept for a look: {folder}")
        shutil.rmtree(folder)
    shutil.rmtree(store)


if __name__ == "__main__":
    main()
