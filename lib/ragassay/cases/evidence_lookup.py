"""Where a question belongs: the passages that hold its quoted evidence, and its topic."""

import difflib
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd

ENOUGH = 0.6  # share of a quote's words that a passage must hold to be taken for its source
MARKUP = re.compile(r"\[([^\]]{0,300})\]\([^)]{0,600}\)|[*_`#|]+|^[^\S\n]*(?:[-+]|\d+\.)\s+", re.MULTILINE)
SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def find_evidence(evidence: list[dict], ids: list[str], chunks: pd.DataFrame) -> tuple[list[str], list[dict]]:
    """Passages that hold the quotes, in order of first mention, and what could not be found (doc_id, quote,
    reason)."""
    known = set(chunks["chunk_id"])
    found = [name for name in ids if name in known]
    lost = [
        {"doc_id": name.split("#")[0], "quote": "", "reason": f"there is no passage {name!r}"}
        for name in ids
        if name not in known
    ]
    for item in evidence:
        passages, reason = find_quote(item["quote"], item.get("doc_id"), chunks)
        found += passages
        if reason:
            lost.append({"doc_id": item.get("doc_id") or "", "quote": item["quote"], "reason": reason})
    return list(dict.fromkeys(found)), lost


def find_quote(quote: str, doc_id: str | None, chunks: pd.DataFrame) -> tuple[list[str], str]:
    """The passages that hold one quote, and "" ; or none, and the reason.

    It is looked for within its document (in all, if none is named), white space collapsed and markup
    stripped: in one passage, then across two neighbours (both are returned), then by words: the passage that
    holds most of them, if 60 % or more.
    """
    inside = chunks[chunks["doc_id"] == doc_id] if doc_id else chunks
    if not len(inside):
        near = difflib.get_close_matches(str(doc_id), sorted(set(chunks["doc_id"])), n=1)
        return [], f"there is no document {doc_id!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    names, wanted = inside["chunk_id"].tolist(), _normalize(quote)
    texts = [_normalize(text) for text in inside["text"]]
    if not wanted:
        return [], "the quote is empty"
    for i, text in enumerate(texts):
        if wanted in text:
            return [names[i]], ""
    for i in range(len(texts) - 1):
        if wanted in f"{texts[i]} {texts[i + 1]}":
            return names[i : i + 2], ""
    words = Counter(re.findall(r"\w+", wanted))
    held = [(words & Counter(re.findall(r"\w+", text))).total() / max(1, words.total()) for text in texts]
    best = int(np.argmax(held))
    if held[best] >= ENOUGH:
        return [names[best]], ""
    return [], f"no passage holds it; the nearest has {held[best]:.0%} of its words"


def _normalize(text: str) -> str:
    """Lower case, markup stripped, quotes and dashes made alike, white space collapsed."""
    plain = MARKUP.sub(lambda match: f" {match.group(1) or ''} ", text.translate(SAME))
    return " ".join(plain.casefold().split())


def fill_topics(cases: pd.DataFrame, chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """Topic and language, where absent, from the first passage referred to;
    the topic else from the nearest topic."""
    place = chunks.set_index("chunk_id")
    first = [
        next((name for name in ids if name in place.index), None) for ids in cases["reference_chunk_ids"]
    ]
    spoken = [place["language"][name] if name and "language" in chunks else "en" for name in first]
    cases["language"] = [own or other for own, other in zip(_texts(cases["language"]), spoken, strict=True)]
    if "topic" in chunks:
        lone = [question for question, name in zip(cases["question"], first, strict=True) if not name]
        nearest = iter(nearest_topics(lone, chunks, encode))
        topics = [place["topic"][name] if name else next(nearest) for name in first]
        cases["topic"] = [own or topic for own, topic in zip(_texts(cases["topic"]), topics, strict=True)]
    return cases


def _texts(values: pd.Series) -> list:
    return [value if isinstance(value, str) and value else None for value in values]


def nearest_topics(questions: list[str], chunks: pd.DataFrame, encode: Callable) -> list[str]:
    """The topic of each question: the one whose mean vector is nearest."""
    if not questions:
        return []
    vectors = encode(chunks["text"].tolist())
    names = sorted(chunks["topic"].unique())
    means = np.stack([vectors[(chunks["topic"] == name).to_numpy()].mean(axis=0) for name in names])
    return [names[i] for i in (encode(questions) @ means.T).argmax(axis=1)]
