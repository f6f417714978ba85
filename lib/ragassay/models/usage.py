"""What this process asked of each instrument: counted, so that a report can say what a score cost."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Texts (or pairs) seen, unique, computed now (`encoded`), taken from the cache, and seconds spent."""

    seen: int = 0
    unique: int = 0
    encoded: int = 0
    cached: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.seen + other.seen,
            self.unique + other.unique,
            self.encoded + other.encoded,
            self.cached + other.cached,
            self.seconds + other.seconds,
        )


_all: dict[str, Usage] = {}


def usage(instrument: str = "encoder") -> Usage:
    """What this process has asked of one instrument so far."""
    return _all.get(instrument, Usage())


def usages() -> dict[str, Usage]:
    """Usage of every instrument asked so far, by name."""
    return dict(_all)


def add(instrument: str, used: Usage) -> None:
    """Count this as well."""
    _all[instrument] = usage(instrument) + used
