"""Progress on the terminal: which notebook, which cell, how far its loops are, how long they still take."""

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ragassay import loop_progress
from ragassay.sanitized_text import clean

LOOK_S, SAY_S = 1.0, 60.0  # seconds between two looks at the loops; between two lines of one elsewhere


@dataclass
class Progress:
    """One changing line on a terminal; elsewhere a line per notebook, and one a minute of a long loop.

    Parameters
    ----------
    names : the notebooks of this run, in order
    verbosity : -1 writes nothing, 1 a line for every cell
    """

    names: list[str]
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    verbosity: int = 0
    _started: float = 0.0
    _said: float = 0.0
    _cell: tuple[str, str] = ("", "")
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def start(self, name: str) -> None:
        """A notebook begins."""
        self._started = self._said = time.monotonic()
        self._line(name, "starting")

    def cell(self, name: str, number: int, of: int) -> None:
        """A cell of it begins (number counts from 1)."""
        self._line(name, f"cell {number}/{of}")
        if not self._is_terminal():
            self.detail(f"  {name:<20} cell {number}/{of} begins ({time.monotonic() - self._started:.0f} s)")

    def end(self, name: str, outcome: str) -> None:
        """A notebook ends; the outcome stays on the terminal."""
        spent = f"{time.monotonic() - self._started:.0f} s" if outcome != "unchanged" else "skipped"
        self.say(f"  {name:<20} {outcome} ({spent})")

    def say(self, text: str) -> None:
        """A line that stays."""
        self._write(text, keep=True)

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
        """Say how far the loops of a notebook are, the outermost first; nothing where there is none."""
        name, cell = self._cell
        if not (loops and name):
            return
        words = "; ".join(f"{loop['what']} {loop['done']:,} of {loop['total']:,}" for loop in loops)
        outer = loops[0]
        if 0 < outer["done"] < outer["total"]:
            left_s = (time.time() - outer["since"]) * (outer["total"] / outer["done"] - 1)
            words += f", about {left_s:.0f} s left" if left_s < 120 else f", about {left_s / 60:.0f} min left"
        if self._is_terminal():
            self._write(f"  {name:<20} {cell:<10} {words}", keep=False)
        elif time.monotonic() - self._said >= SAY_S:
            self._said = time.monotonic()
            self.say(f"  {name:<20} {words}")

    def _line(self, name: str, what: str) -> None:
        self._cell = name, what
        if self._is_terminal():
            self._write(f"  {name:<20} {what}", keep=False)

    def _is_terminal(self) -> bool:
        return self.stream.isatty() and os.environ.get("TERM") != "dumb"

    def _write(self, line: str, keep: bool) -> None:
        if self.verbosity < 0:
            return
        text = clean(line, 0)
        with self._writing:
            if self._is_terminal():
                shown = text if keep else text[: shutil.get_terminal_size().columns - 1]
                self.stream.write(f"\r\x1b[2K{shown}" + ("\n" if keep else ""))
            elif keep:
                self.stream.write(text + "\n")
            self.stream.flush()
