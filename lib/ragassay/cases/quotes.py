"""From a quoted sentence to the passage that holds it."""

import difflib
import re
from collections import Counter

import pandas as pd

ENOUGH = 0.6  # share of a quote's words that a passage must hold to be taken for its source
MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*_`#|]+|^\s*(?:[-+]|\d+\.)\s+", re.MULTILINE)
SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def resolve(evidence: list[dict], ids: list[str], chunks: pd.DataFrame) -> tuple[list[str], list[dict]]:
    """Passages that hold the quotes, in order of first mention, and what could not be found (doc_id, quote, reason).

    A quote is looked for within its document (in all, if none is named), white space collapsed and markup stripped: in one
    passage, then across two neighbours (both are returned), then by words: the passage that holds most of them, if 60 % or more.
    """
    known = set(chunks["chunk_id"])
    found = [name for name in ids if name in known]
    lost = [
        {"doc_id": name.split("#")[0], "quote": "", "reason": f"there is no passage {name!r}"}
        for name in ids
        if name not in known
    ]
    for item in evidence:
        passages, reason = find(item["quote"], item.get("doc_id"), chunks)
        found += passages
        lost += (
            [{"doc_id": item.get("doc_id") or "", "quote": item["quote"], "reason": reason}] if reason else []
        )
    return list(dict.fromkeys(found)), lost


def find(quote: str, doc_id: str | None, chunks: pd.DataFrame) -> tuple[list[str], str]:
    """The passages that hold one quote, and "" ; or none, and the reason."""
    inside = chunks[chunks["doc_id"] == doc_id] if doc_id else chunks
    if not len(inside):
        near = difflib.get_close_matches(str(doc_id), sorted(set(chunks["doc_id"])), n=1)
        return [], f"there is no document {doc_id!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    names, texts, wanted = inside["chunk_id"].tolist(), [plain(text) for text in inside["text"]], plain(quote)
    if not wanted:
        return [], "the quote is empty"
    for i, text in enumerate(texts):
        if wanted in text:
            return [names[i]], ""
    for i in range(len(texts) - 1):
        if wanted in texts[i] + " " + texts[i + 1]:
            return names[i : i + 2], ""
    overlaps = [_overlap(wanted, text) for text in texts]
    best = max(range(len(texts)), key=lambda i: (overlaps[i], -i))
    return (
        ([names[best]], "")
        if overlaps[best] >= ENOUGH
        else ([], f"no passage holds it; the nearest has {overlaps[best]:.0%} of its words")
    )


def plain(text: str) -> str:
    """Lower case, markup stripped, quotes and dashes made alike, white space collapsed."""
    return " ".join(
        MARKUP.sub(lambda match: f" {match.group(1) or ''} ", text.translate(SAME)).casefold().split()
    )


def _overlap(quote: str, text: str) -> float:
    words, held = Counter(re.findall(r"\w+", quote)), Counter(re.findall(r"\w+", text))
    return sum((words & held).values()) / max(1, sum(words.values()))
