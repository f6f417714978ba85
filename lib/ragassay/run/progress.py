"""Progress on the terminal: which notebook, which cell, how long it may still take."""

import sys
import time
from dataclasses import dataclass, field
from typing import TextIO

from ragassay.plain_text import clean

USUAL_SECONDS = {
    "00_scope": 6,
    "01_test_generation": 60,
    "02_functionality": 60,
    "03_risk_safety": 8,
    "04_calibration": 12,
    "05_robustness": 30,
    "06_weakness": 12,
    "07_conclusion": 6,
}


@dataclass
class Progress:
    """Writes one changing line on a terminal, one line per notebook elsewhere.

    Parameters
    ----------
    names : the notebooks of this run, in order
    usual : seconds each took last time, where known
    """

    names: list[str]
    usual: dict[str, float] = field(default_factory=dict)
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    _started: float = 0.0

    def start(self, name: str) -> None:
        """A notebook begins."""
        self._started = time.monotonic()
        self._line(name, "starting", 0.0)

    def cell(self, name: str, number: int, of: int) -> None:
        """A cell of it begins (number counts from 1)."""
        self._line(name, f"cell {number}/{of}", (number - 1) / max(of, 1))

    def end(self, name: str, outcome: str) -> None:
        """A notebook ends; the outcome stays on the terminal."""
        spent = f"{time.monotonic() - self._started:.0f} s" if outcome != "unchanged" else "skipped"
        self._write(f"  {name:<20} {outcome} ({spent})", keep=True)

    def say(self, text: str) -> None:
        """A line that stays."""
        self._write(text, keep=True)

    def _line(self, name: str, what: str, share: float) -> None:
        if self.stream.isatty():
            self._write(f"  {name:<20} {what:<14} about {self._left(name, share)} left", keep=False)

    def _left(self, name: str, share: float) -> str:
        expected = {
            n: self.usual.get(n, USUAL_SECONDS.get(n, 30.0)) for n in self.names[self.names.index(name) :]
        }
        spent = time.monotonic() - self._started
        here = max(expected.pop(name) - spent, spent * (1 / max(share, 0.2) - 1) if share else 0.0)
        seconds = here + sum(expected.values())
        return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"

    def _write(self, line: str, keep: bool) -> None:
        text = clean(line, 0)
        if self.stream.isatty():
            self.stream.write(f"\r\x1b[2K{text}" + ("\n" if keep else ""))
        elif keep:
            self.stream.write(text + "\n")
        self.stream.flush()
