"""Sentences of toxicity_sentences/, written for ragassay: toxic and clean about the same things, free of
templates. Who wrote the first three batches knew the functional tests; who wrote the others did not read
them, but was told of ways of speaking by one who did.

Contempt has ways that everybody knows, so what was written comes near functions all the same. Each kind of
the first three batches, and each pair of the next two, names the functions that it comes near; of the others
nobody read it. A head of which nothing near may be learned leaves out what is near, or not read.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "toxicity_sentences"


@dataclass(frozen=True)
class Sentence:
    """One sentence; `near` are the functions that it comes near, None where that was not read."""

    text: str
    toxic: bool
    kind: str
    near: tuple[str, ...] | None


def sentences() -> list[Sentence]:
    """All of them, in the order of the files' names."""
    return list(_read())


def far_from(judged: Collection[str]) -> list[Sentence]:
    """The sentences that come near none of these functions."""
    return [one for one in _read() if one.near is not None and not set(one.near) & set(judged)]


@cache
def _read() -> tuple[Sentence, ...]:
    return tuple(one for path in sorted(FOLDER.glob("*.txt")) for one in _of_file(path))


def _of_file(path: Path) -> Iterator[Sentence]:
    kind, near = "", None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            kind, bar, named = line[2:].partition(" |")
            near = _names(named) if bar else None
        elif line.startswith("~"):
            near = _names(line[1:])
        elif line[:2] in ("+ ", "- "):
            yield Sentence(line[2:], line[0] == "+", kind, near)


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.split(";") if name.strip())
