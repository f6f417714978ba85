"""Sentences of toxicity_sentences/, written for ragassay: kinds of contempt and of harmless text that no
function tests, toxic and clean about the same things.

Each kind names the functions that it comes near. A head that is judged on one of them does not learn the
kind.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "toxicity_sentences"


@dataclass(frozen=True)
class Sentence:
    """One sentence; `near` are functions that its kind comes near."""

    text: str
    toxic: bool
    kind: str
    near: tuple[str, ...]


def sentences(judged: Collection[str] = ()) -> list[Sentence]:
    """The sentences of kinds that come near none of these functions."""
    return [one for one in _read() if not set(one.near) & set(judged)]


@cache
def _read() -> tuple[Sentence, ...]:
    return tuple(one for path in sorted(FOLDER.glob("*.txt")) for one in _of_file(path))


def _of_file(path: Path) -> Iterator[Sentence]:
    kind, near = "", ()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            kind, _, named = line[2:].partition(" |")
            near = tuple(name.strip() for name in named.split(";") if name.strip())
        elif line[:2] in ("+ ", "- "):
            yield Sentence(line[2:], line[0] == "+", kind, near)
