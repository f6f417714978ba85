"""How far the scoring is, and how long it may still take, on the terminal."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from ragassay.sanitized_text import clean

EVERY = 15.0  # seconds between lines where the output is no terminal


@dataclass
class Progress:
    """One changing line on a terminal; elsewhere a line now and then.

    Nothing is said of what takes less than a second.

    Parameters
    ----------
    stream : where it is said
    clock : seconds, for tests
    """

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic
    _started: float = -1.0
    _said: float = 0.0
    _shown: bool = False

    def start(self, *lines: str) -> None:
        """The work begins; the lines stay on the terminal."""
        self.stream.writelines(f"{clean(line, 0)}\n" for line in lines)
        self._started = self.clock()

    def update(self, n: int, share: float) -> None:
        """So many answers are scored, which is this share of the input (0 if unknown)."""
        now = self.clock()
        self._started = now if self._started < 0 else self._started
        pause = 0.5 if self.stream.isatty() else EVERY
        if now - max(self._said, self._started) >= pause:
            self._said = now
            self._write(f"{n:,} answers scored{self._left(now - self._started, share)}")

    def end(self) -> None:
        """Clear the line."""
        if self._shown and self.stream.isatty():
            self.stream.write("\r\x1b[2K")
            self.stream.flush()

    def _left(self, spent: float, share: float) -> str:
        if not 0 < share <= 1:
            return ""
        seconds = spent * (1 / share - 1)
        left = f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"
        return f" ({share:.0%}), about {left} left"

    def _write(self, text: str) -> None:
        terminal = self.stream.isatty()
        self.stream.write(f"\r\x1b[2K{text}" if terminal else text + "\n")
        self.stream.flush()
        self._shown = True
