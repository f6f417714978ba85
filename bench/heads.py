"""How well does the head `entities` that ships find names in prose? Span F1 with 95 % intervals on
entity_prose.txt, sentences that we wrote and labelled and that are not in its training. What the other heads
are measured at is in their own files, by the scripts that train them (training/).
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import entities as training  # noqa: E402
from ragassay import models  # noqa: E402

MARKED = re.compile(r"\[([pola]):([^\]]*)\]")
KINDS = {"p": "person", "o": "organisation", "l": "place", "a": "address"}


def main() -> None:
    """Print one line a kind."""
    texts, spans = zip(*map(labelled, data.lines(ROOT / "bench/entity_prose.txt")), strict=True)
    found = [[(one.start, one.end, one.kind) for one in ours] for ours in models.entities(texts)]
    pairs = list(zip(found, spans, strict=True))
    for name, (value, low, high) in training.measured(range(len(pairs)), pairs, "prose of ours,").items():
        print(f"{name:40} {value:.3f} [{low:.3f}, {high:.3f}] n={len(pairs)}")


def labelled(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A line with its marks taken away, and the spans they named."""
    text, spans, last = "", [], 0
    for mark in MARKED.finditer(line):
        text += line[last : mark.start()]
        spans.append((len(text), len(text) + len(mark[2]), KINDS[mark[1]]))
        text, last = text + mark[2], mark.end()
    return text + line[last:], spans


if __name__ == "__main__":
    main()
