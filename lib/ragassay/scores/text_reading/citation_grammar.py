"""The grammar of citations: which ids a sentence cites, and the text without them (Lesson section 2).

An id is `doc#p3` (document, passage) or `3` (third passage retrieved, at most three digits). Ids stand in
square brackets, alone or listed: `[a#p1][b#p2]`, `[a#p1, b#p2]`, `[a#p1; b#p2]`. What else stands in
brackets, such as `[sic]`, is no citation.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence

_BRACKET = re.compile(r"\[([^\[\]]{1,400})\]")
_ID = re.compile(r"[^\s\[\],;#]+#p[0-9]+|[0-9]{1,3}")


def parse(
    answer: str, split: Callable[[str], Sequence[str]] | None = None, known: Collection[str] = ()
) -> list[tuple[str, tuple[str, ...]]]:
    """The answer's sentences without citations, each with the ids cited up to the next sentence.

    `split` cuts a text into sentences (default `ragassay.documents.sentences`); `known` are ids outside the
    grammar to accept as well, namely those that were retrieved. Sentences without a letter or digit are left
    out, and their citations go to the sentence before.
    """
    from ragassay.documents import sentences as split_sentences

    text, found = _separate(answer, known)
    sentences = [one for one in (split or split_sentences)(text) if any(map(str.isalnum, one))]
    ids: list[list[str]] = [[] for _ in sentences]
    # how many visible characters stand before each sentence; the splitter may have dropped some
    compact, at, starts = "".join(text.split()), 0, list[int]()
    for sentence in sentences:
        wanted = "".join(sentence.split())
        starts.append(max(compact.find(wanted, at), at))
        at = starts[-1] + len(wanted)
    for place, one in found if sentences else []:
        ids[max(bisect_left(starts, place) - 1, 0)].append(one)
    return [(sentence, tuple(cited)) for sentence, cited in zip(sentences, ids, strict=True)]


def strip(answer: str, known: Collection[str] = ()) -> str:
    """The answer without its citations; `[sic]` and other brackets stay."""
    return _separate(answer, known)[0]


def _separate(answer: str, known: Collection[str]) -> tuple[str, list[tuple[int, str]]]:
    """The text without citations, and each cited id with the number of visible characters before it."""
    kept, cited, seen, end = [], [], 0, 0
    for bracket in _BRACKET.finditer(answer):
        inside = bracket[1].strip()
        parts = [inside] if inside in known else map(str.strip, re.split("[,;]", inside))
        ids = [one for one in parts if one in known or _ID.fullmatch(one)]
        if not ids:
            continue
        before = answer[end : bracket.start()].rstrip(" \t")
        kept.append(before)
        seen += len("".join(before.split()))
        cited += [(seen, one) for one in ids]
        end = bracket.end()
        if answer[end : end + 1].isalnum():
            kept.append(" ")
    return "".join([*kept, answer[end:]]).strip(), cited
