"""Progress on the terminal: which notebook, which cell, how far its loops are, how long they still take."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from tqdm import tqdm

from ragassay import loop_progress
from ragassay.sanitized_text import clean

LOOK_S, SAY_S = 1.0, 60.0  # seconds between two looks at the loops; between two lines of one elsewhere


@dataclass
class Progress:
    """One changing line on a terminal; elsewhere a line per notebook, and one a minute of a long loop.

    verbosity : -1 writes nothing, 1 a line for every cell
    """

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    verbosity: int = 0
    _name: str = ""
    _cell: str = ""
    _started: float = 0.0
    _said: float = 0.0
    _bar: Any = None

    def start(self, name: str) -> None:
        """A notebook begins."""
        self._name, self._cell, self._started, self._said = name, "", time.monotonic(), time.monotonic()
        quiet = True if self.verbosity < 0 else None  # None: no changing line where there is no terminal
        shown = {"bar_format": "{desc}", "leave": False, "dynamic_ncols": True}
        self._bar = tqdm(desc=f"  {name:<20} starting", file=self.stream, disable=quiet, **shown)

    def cell(self, number: int, of: int) -> None:
        """A cell of it begins (number counts from 1)."""
        self._cell = f"cell {number}/{of}"
        self._bar.set_description_str(f"  {self._name:<20} {self._cell}")
        self.detail(f"  {self._name:<20} {self._cell} begins ({time.monotonic() - self._started:.0f} s)")

    def end(self, name: str, outcome: str) -> None:
        """A notebook ends, or is passed over; the outcome stays on the terminal."""
        spent = "skipped"
        if self._bar is not None:
            self._bar.close()
            self._bar, spent = None, f"{time.monotonic() - self._started:.0f} s"
        self.say(f"  {name:<20} {outcome} ({spent})")

    def say(self, text: str) -> None:
        """A line that stays."""
        if self.verbosity >= 0:
            tqdm.write(clean(text, 0), file=self.stream)

    def detail(self, text: str) -> None:
        """A line that stays, for those who want to know more."""
        if self.verbosity > 0:
            self.say(text)

    @contextlib.contextmanager
    def watching(self, file: Path) -> Iterator[None]:
        """While this lasts, what the kernel tells of its loops in the file is said."""
        done = threading.Event()

        def look() -> None:
            while not done.wait(LOOK_S):
                self.look(loop_progress.read(file))

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def look(self, loops: list[dict[str, Any]]) -> None:
        """Say how far the outermost loop of a notebook is; nothing where there is none."""
        if not loops:
            return
        outer = loops[0]
        words = f"{outer['what']} {outer['done']:,} of {outer['total']:,}"
        if 0 < outer["done"] < outer["total"]:
            left_s = (time.time() - outer["since"]) * (outer["total"] / outer["done"] - 1)
            words += f", about {left_s / 60:.1f} min left"
        self._bar.set_description_str(f"  {self._name:<20} {self._cell:<10} {clean(words, 0)}")
        if self._bar.disable and time.monotonic() - self._said >= SAY_S:
            self._said = time.monotonic()
            self.say(f"  {self._name:<20} {words}")
