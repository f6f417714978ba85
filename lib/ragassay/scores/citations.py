"""Citations: which passages an answer names, whether they were retrieved, and whether they hold what is said (Lesson sections 2 and 4.1).

Grammar of an id: `doc#p3` (document, passage) or `3` (third passage of the digest, at most three digits). Ids stand in square brackets,
alone or listed: `[a#p1][b#p2]`, `[a#p1, b#p2]`, `[a#p1; b#p2]`. What else stands in brackets, such as `[sic]`, is no citation.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

SUPPORT = 0.6  # least cosine between a sentence and the closest sentence of what it cites
_BRACKET = re.compile(r"\[([^\[\]]{1,400})\]")
_ID = re.compile(r"[^\s\[\],;#]+#p[0-9]+|[0-9]{1,3}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LIST_MARK = re.compile(r"\A\s*\d{1,2}[.)]\s+")  # "2. " before a step is no number of the sentence

Splitter = Callable[[str], Sequence[str]]


def citations_present(cited: Sequence[Collection[str]]) -> float:
    """Share of the answer's sentences that cite anything, in [0, 1]; higher is better. `cited` holds one collection of ids per sentence.

    Raises ValueError if there is no sentence. Source: Lesson sections 3.1 (`citations_present`) and 10.1, here a share instead of yes or no.
    """
    if len(cited) == 0:
        raise ValueError("no sentences: the answer is empty")
    return sum(bool(ids) for ids in cited) / len(cited)


def citations_valid(cited: Sequence[Collection[str]], retrieved: Collection[str]) -> float:
    """Share of the cited ids, counted as often as they stand, that are among the retrieved ones, in [0, 1]; higher is better.

    Nothing cited scores 0 (Lesson 4.1; FORMULAS 6). Source: Lesson section 4.1, where the same formula is called citation correctness.
    """
    ids = [one for sentence in cited for one in sentence]
    return sum(one in retrieved for one in ids) / len(ids) if ids else 0.0


def citation_correctness(supported: Sequence[bool]) -> float:
    """Share of the citing sentences that what they cite supports, in [0, 1]; higher is better; nothing cited scores 0 (FORMULAS 6).

    Source: Lesson section 1 ("citations refer to the correct chunk ids and are sufficient to justify the claim"); the rule is `supports`.
    """
    return sum(supported) / len(supported) if len(supported) else 0.0


def supports(
    similarities: ArrayLike, sentence: str, passages: Sequence[str], *, threshold: float = SUPPORT
) -> bool:
    """Whether the cited passages, taken together, hold the sentence: one of theirs is as close as `threshold` and every number is found.

    `similarities` (n,) are the cosines of the sentence with the passages' sentences; none retrieved (n = 0) is no support.
    """
    similarities = np.asarray(similarities, dtype=float)
    if similarities.size == 0 or similarities.max() < threshold:
        return False
    return not missing_numbers(sentence, passages)


def missing_numbers(sentence: str, passages: Sequence[str]) -> set[str]:
    """The sentence's numbers that stand in none of the passages; the mark of a numbered step ("2. ") is not counted as one."""
    return numbers(_LIST_MARK.sub("", sentence, count=1)) - numbers(*passages)


def numbers(*texts: str) -> set[str]:
    """The numbers written in digits, in one spelling: `1,250.50`, `1.250,50` and `1250.5` are one."""
    return {_plain(found) for text in texts for found in _NUMBER.findall(text)}


def parse(
    answer: str, split: Splitter | None = None, known: Collection[str] = ()
) -> list[tuple[str, tuple[str, ...]]]:
    """The answer's sentences, citations removed, each with the ids it cites in order. A citation belongs to the sentence before it.

    `split` cuts a text into sentences (default `ragassay.documents.sentences`); `known` are ids outside the grammar to accept as well,
    namely those that were retrieved. Sentences without a letter or digit are left out, and their citations go to the sentence before.
    """
    text, found = _separate(answer, known)
    sentences = [one for one in (split or _default_split)(text) if any(map(str.isalnum, one))]
    ids: list[list[str]] = [[] for _ in sentences]
    starts = _starts(text, sentences)
    for place, one in found if sentences else []:
        ids[max(bisect_left(starts, place) - 1, 0)].append(one)
    return [(sentence, tuple(cited)) for sentence, cited in zip(sentences, ids, strict=True)]


def strip(answer: str, known: Collection[str] = ()) -> str:
    """The answer without its citations; `[sic]` and other brackets stay."""
    return _separate(answer, known)[0]


def _ids(inside: str, known: Collection[str]) -> list[str]:
    if inside.strip() in known:
        return [inside.strip()]
    return [one for one in map(str.strip, re.split("[,;]", inside)) if one in known or _ID.fullmatch(one)]


def _separate(answer: str, known: Collection[str]) -> tuple[str, list[tuple[int, str]]]:
    """The text without citations, and each cited id with the number of visible characters before it."""
    kept, cited, seen, end = [], [], 0, 0
    for bracket in _BRACKET.finditer(answer):
        ids = _ids(bracket[1], known)
        if not ids:
            continue
        before = answer[end : bracket.start()].rstrip(" \t")
        kept.append(before)
        seen += _visible(before)
        cited += [(seen, one) for one in ids]
        end = bracket.end()
        if answer[end : end + 1].isalnum():
            kept.append(" ")
    return "".join([*kept, answer[end:]]).strip(), cited


def _starts(text: str, sentences: Sequence[str]) -> list[int]:
    """How many visible characters of the text stand before each sentence; the splitter may have dropped some, such as bullets."""
    compact, place, starts = "".join(text.split()), 0, []
    for sentence in sentences:
        wanted = "".join(sentence.split())
        found = compact.find(wanted, place)
        starts.append(found if found >= 0 else place)
        place = starts[-1] + len(wanted)
    return starts


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _plain(number: str) -> str:
    """One spelling: a last mark before other than three digits is the decimal mark, every other mark groups thousands."""
    digits = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in number)
    parts = re.split("[.,]", digits)
    if len(parts) == 1:
        return parts[0].lstrip("0") or "0"
    whole, last = "".join(parts[:-1]), parts[-1]
    fraction = "" if len(last) == 3 else last.rstrip("0")
    whole = (whole + last if len(last) == 3 else whole).lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole


def _default_split(text: str) -> Sequence[str]:
    from ragassay.documents import sentences

    return sentences(text)
