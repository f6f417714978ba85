"""What words show of a question and an answer: type of answer, parts, terms, steps (Lesson section 5).

Words are those of `cue_words.txt`; they and the thresholds are ours and not calibrated.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from ragassay.scores.text_reading import cue_words

IN_ORDER = 0.75  # least share of neighbouring steps in the passage's order
_STEP = re.compile(
    r"^[ \t]*(?:\(?(\d{1,2})[.)]|(?:step|paso|passo) (\d{1,2})[.:)])[ \t]", re.IGNORECASE | re.MULTILINE
)
_BULLET = re.compile(r"^[ \t]*[-*•‣–][ \t]+\S", re.MULTILINE)
_ONE = r"[^?.,;\n]{2,60}"
_TERMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[\"“«]([^\"”»?\n]{2,60})[\"”»]",
        rf"\bdifferences? between ({_ONE}?) and ({_ONE})",
        rf"\bcompare ({_ONE}?) (?:and|with|to) ({_ONE})",
        rf"\bwhat do(?:es)? ({_ONE}?) mean\b",
        rf"\bwhat (?:exactly )?(?:is|are|counts as) (?:an? |the )?({_ONE})",
        rf"\b(?:qué (?:es|significa)|o que (?:é|significa)) (?:una?\s|uma?\s|el\s|la\s|o\s|a\s)?({_ONE})",
    )
)


def answer_type(question: str, answerable: bool | None = None) -> str:
    """The type of answer a question wants, where its case does not say.

    Measured on the bundled bank's 217 answerable questions, whose authors say the type: 158 are named as they
    say.
    """
    if answerable is False:
        return "no_answer"
    if cue_words.has_sign("procedure", question):
        return "instruction"
    if cue_words.has_sign("meaning", question) or cue_words.has_sign("comparison", question):
        return "definition"
    return "multi_step" if len(parts(question)) > 1 else "short_fact"


def parts(question: str) -> list[str]:
    """The questions within a question, cut at `?`, `;`, and at "and" before a word that asks."""
    return [part.strip(" ,;") for part in _joint().split(question) if sum(map(str.isalpha, part)) > 5]


def terms(question: str) -> list[str]:
    """What a question wants defined or compared; the first wording that fits decides; empty if none does."""
    found = next((list(pattern.finditer(question)) for pattern in _TERMS if pattern.search(question)), [])
    return list(dict.fromkeys(term.strip() for match in found for term in match.groups()))


def is_stepwise(answer: str) -> bool:
    """Whether an answer is told in steps: numbered upwards, two points, or two words of sequence."""
    numbers = [int(found[1] or found[2]) for found in _STEP.finditer(answer)]
    if len(numbers) > 1:
        return numbers == sorted(set(numbers))
    return len(_BULLET.findall(answer)) > 1 or cue_words.count("sequence", answer) > 1


def is_in_order(places: Sequence[int], *, share: float = IN_ORDER) -> bool:
    """Whether at least `share` of neighbouring steps follow each other as in their passage.

    places : the position of each step in the passage; one step is in order
    """
    kept = [before <= after for before, after in pairwise(places)]
    return sum(kept) >= share * len(kept)


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(
        rf"(?<=\?)\s+|;\s+|(?:,|(?<![\s,]))\s++(?:and|y|e)\s++(?=(?:{cue_words.alternatives('asks')})\b)",
        re.IGNORECASE,
    )
