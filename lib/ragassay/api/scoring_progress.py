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
        now, terminal = self.clock(), self.stream.isatty()
        self._started = now if self._started < 0 else self._started
        if now - max(self._said, self._started) < (0.5 if terminal else EVERY):
            return
        self._said, self._shown, text = now, True, f"{n:,} answers scored"
        if 0 < share <= 1:
            seconds = (now - self._started) * (1 / share - 1)
            left = f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"
            text += f" ({share:.0%}), about {left} left"
        self.stream.write(f"\r\x1b[2K{text}" if terminal else text + "\n")
        self.stream.flush()

    def end(self) -> None:
        """Clear the line."""
        if self._shown and self.stream.isatty():
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
