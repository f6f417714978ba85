"""How far a long loop of a notebook is: in a small file that the runner names in RAGASSAY_PROGRESS and reads
now and then; in Jupyter, without a runner, in a bar with the time left."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

FILE = "RAGASSAY_PROGRESS"  # in the environment of a kernel: the file that its runner reads
EVERY_S = 0.3  # seconds between two states of the file
Item = TypeVar("Item")
_loops: list[dict[str, object]] = []  # those under way, the outermost first
_written = [0.0]


@contextlib.contextmanager
def track_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """While this lasts a loop over `what` is under way; it gets a function to tell how many are done."""
    silent = FILE in os.environ or "ipykernel" not in sys.modules
    bar = tqdm(total=total, desc=what, leave=False, delay=1, disable=silent)
    loop: dict[str, object] = {"what": what, "done": 0, "total": total, "since": time.time()}
    _loops.append(loop)

    def tell(done: int) -> None:
        loop["done"] = done
        bar.update(done - bar.n)
        _write()

    try:
        yield tell
    finally:
        _loops.remove(loop)
        bar.close()
        _write()


def track_items(what: str, items: Iterable[Item], total: int, sizes: bool = False) -> Iterator[Item]:
    """The items, one after the other, told as they are done; with `sizes` one counts for what it holds."""
    with track_progress(what, total) as tell:
        done = 0
        for item in items:
            yield item
            done += len(item) if sizes and isinstance(item, Sized) else 1
            tell(done)


def _write() -> None:
    """The loops under way, into the runner's file; what the system refuses is of no account."""
    file, now = os.environ.get(FILE), time.monotonic()
    if file and now - _written[0] >= EVERY_S:
        _written[0] = now
        with contextlib.suppress(OSError):
            Path(file).write_text(json.dumps(_loops), encoding="utf-8")


def read(file: Path) -> list[dict[str, object]]:
    """The loops that the file tells of, the outermost first; none where it tells of none."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads(file.read_text(encoding="utf-8"))
    return []
