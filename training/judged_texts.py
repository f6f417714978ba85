"""Pairs of texts from answers, summaries and claims that people judged, and the sentences of their sources, to be changed by rule.

SummEdits   two summaries of a document: both right: entailment; one with a fact changed: contradiction, with one put in: neutral
WiCE        a claim and the sentences that support it: entailment; and the nearest of the other sentences: neutral
BEGIN       knowledge and reply: entailment if fully attributable, neutral if generic, else only known not to be entailed
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import data
from support import SUMMEDITS

Pair = tuple[str, str, str]
NOT_ENTAILED = "not entailed"  # neutral or contradiction: people did not say which
WORDS, SENTENCES, TEXT, FEWEST = (5, 45), 20, 6_000, 3
PER_SET = 1_500  # sentences of a set
WORD = re.compile(r"\w{4,}")


def pairs(folder: Path, draw: random.Random) -> list[Pair]:
    """All pairs of the three sets, in the order of the files."""
    summaries = (pair for name in SUMMEDITS for pair in _summaries(data.read(folder / f"summedits/{name}.jsonl.gz"), draw))
    claims = (pair for row in data.read(folder / "wice/dev.jsonl.gz") for pair in _claims(row))
    replies = ((row["contexts"][0], row["answer"], _reply(row["label"])) for row in data.read(folder / "begin/dev.jsonl.gz"))
    return [*summaries, *claims, *replies]


def sentences(folder: Path, draw: random.Random) -> Iterator[list[str]]:
    """The whole sentences of each source text, a set at a time, at most PER_SET of a set."""
    from ragassay import documents

    for texts in _sources(folder):
        draw.shuffle(texts)
        count = 0
        for text in texts:
            found = [one for one in documents.sentences(text[:TEXT]) if _whole(one)][:SENTENCES]
            count += len(found)
            if found:
                yield found
            if count > PER_SET:
                break


def _summaries(rows: list[dict], draw: random.Random) -> Iterator[Pair]:
    """Each summary against a right one of the same document."""
    right: dict[str, list[dict]] = {}
    for row in rows:
        right.setdefault(row["contexts"][0], []).extend([row] if int(row["label"]) else [])
    for row in rows:
        others = [other["answer"] for other in right[row["contexts"][0]] if other is not row]
        if others:
            yield draw.choice(others), row["answer"], "entailment" if int(row["label"]) else _edit(row["edit_types"])


def _edit(kinds: list[str]) -> str:
    if any("hallucinated" in kind for kind in kinds):
        return "neutral"
    return "contradiction" if kinds else NOT_ENTAILED


def _claims(row: dict) -> Iterator[Pair]:
    """A claim with what supports it, and with the nearest of what does not."""
    lines, claim = row["sentences"], row["answer"]
    support = sorted({place for places in row["supporting_sentences"] for place in places if place < len(lines)})
    words = set(WORD.findall(claim.lower()))
    rest = [line for place, line in enumerate(lines) if place not in support and len(line.split()) > WORDS[0]]
    rest.sort(key=lambda line: -len(words & set(WORD.findall(line.lower()))))
    if row["label"] == "supported":
        chosen = sorted({tuple(place for place in places if place < len(lines)) for places in row["supporting_sentences"]})
        yield from ((" ".join(lines[place] for place in places), claim, "entailment") for places in chosen)
    elif support:
        yield " ".join(lines[place] for place in support)[:1500], claim, "neutral"
    yield from ((" ".join(rest[:count]), claim, "neutral") for count in (1, 3) if len(rest) >= count)


def _reply(label: str) -> str:
    return {"Fully attributable": "entailment", "Generic": "neutral"}.get(label, NOT_ENTAILED)


def _sources(folder: Path) -> Iterator[list[str]]:
    for name in SUMMEDITS:
        yield sorted({row["contexts"][0] for row in data.read(folder / f"summedits/{name}.jsonl.gz")})
    yield sorted({text for row in data.read(folder / "mtrag_human/dev.jsonl.gz") for text in row["contexts"]})
    yield sorted({row["contexts"][0] for row in data.read(folder / "begin/dev.jsonl.gz")})
    yield [" ".join(row["sentences"]) for row in data.read(folder / "wice/dev.jsonl.gz")]


def _whole(sentence: str) -> bool:
    return WORDS[0] <= len(sentence.split()) <= WORDS[1] and sentence[-1] in ".!?" and re.search("[a-z]{3}", sentence) is not None
