"""Each regular expression of the package on a megabyte of the two texts that are worst for it: at most 6.5
times the pace of the machine each (time_of_patterns.py), 5 seconds of the processor where that was set."""

import sys

from bad_texts import bad_text
from regular_expressions import Use, every_use
from time_of_patterns import processor_seconds, slowest, worst_runs

MEGABYTE = 1_000_000  # characters


def too_slow(use: Use, length: int = MEGABYTE) -> list[str]:
    """The texts that take the pattern too long, each with its seconds."""
    timed = {run: processor_seconds(use, bad_text(run, length)) for run in worst_runs(use)}
    return [
        f"{use.where}: {use.pattern.pattern!r} on {run!r}: {taken:.1f} s"
        for run, taken in timed.items()
        if taken > slowest() * length
    ]


def main() -> None:
    """Try them all; say which are too slow, and exit with 1 if any is."""
    tried = every_use()
    found = [line for use in tried for line in too_slow(use)]
    print("\n".join([*found, f"{len(tried)} patterns on two megabytes each, {len(found)} too slow"]))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
