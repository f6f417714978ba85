"""Whether two answers say the same: to the same question asked again, asked in other words, or by another
customer.

A difference is found where one declines and the other answers, where each states a figure that the other
does not, or where most sentences of both have no like in the other. Where none is found, entailment both ways
says whether it is established that they say the same (`retold`); else they are `not told apart`: a fact
distorted in words alike is not found (bench/same_answers.json says how often).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragassay.scores import answer_state, citation_grammar
from ragassay.scores.amounts import find_amounts
from ragassay.scores.families.inference import premise_pairs
from ragassay.scores.sample import Sentence
from ragassay.scores.tools import Tools

HELD = 0.16  # probability of entailment from which a sentence is held by the other answer
LIKE = 0.45  # cosine from which a sentence has its like in the other answer
MOST = 0.5  # share of the sentences of both without a like from which the content is another
_WORD = re.compile(r"\w+", re.UNICODE)


class Agreement(NamedTuple):
    """Whether no difference was found between two answers, `score` in [0, 1] (share of the sentences of both
    that the other entails; 1 or 0 where that is not asked), and why: same text, both decline, retold, not
    told apart; one declines, figures differ, other content."""

    same: bool
    score: float
    why: str


def compare_answers(
    pairs: Sequence[tuple[str, str]], languages: Sequence[str] = (), *, tools: Tools | None = None
) -> list[Agreement]:
    """What is found of each pair of answers; symmetric in the two.

    languages : of each pair, ISO 639-1; English where none are given
    """
    spoken = list(languages) or ["en"] * len(pairs)
    decided = [_at_once(a, b, language) for (a, b), language in zip(pairs, spoken, strict=True)]
    rest = [
        (_sentences(a, language), _sentences(b, language))
        for (a, b), language, known in zip(pairs, spoken, decided, strict=True)
        if known is None
    ]
    read = iter(_by_networks(rest, tools or Tools()) if rest else [])
    return [known or next(read) for known in decided]


def _at_once(a: str, b: str, language: str) -> Agreement | None:
    """What needs no network; None where one is needed."""
    if _folded(a, language) == _folded(b, language):
        return Agreement(True, 1.0, "same text")
    declined = [answer_state.read(text, language).state == answer_state.DECLINED for text in (a, b)]
    if all(declined):
        return Agreement(True, 1.0, "both decline")
    if any(declined):
        return Agreement(False, 0.0, "one declines")
    these, those = _figures(a), _figures(b)
    if these - those and those - these:
        return Agreement(False, 0.0, "figures differ")
    return None


def _by_networks(pairs: Sequence[tuple[list[Sentence], list[Sentence]]], tools: Tools) -> list[Agreement]:
    tools.embed(sorted({one.text for a, b in pairs for one in (*a, *b)}))
    asked = [premise_pairs(a, b, tools) + premise_pairs(b, a, tools) for a, b in pairs]
    held = iter(tools.entail([pair for part in asked for pair in part]).probabilities[:, 0].tolist())
    shares = [sum(next(held) >= HELD for _ in part) / len(part) for part in asked]
    return [_told(a, b, share, tools) for (a, b), share in zip(pairs, shares, strict=True)]


def _told(a: list[Sentence], b: list[Sentence], entailed: float, tools: Tools) -> Agreement:
    cosines = tools.cosines([one.text for one in a], [one.text for one in b])
    best = np.concatenate([cosines.max(axis=1), cosines.max(axis=0)])
    if np.mean(best < LIKE) > MOST:
        return Agreement(False, entailed, "other content")
    return Agreement(True, entailed, "retold" if entailed == 1 else "not told apart")


def _sentences(text: str, language: str) -> list[Sentence]:
    found = [Sentence(sentence) for sentence in _parsed(text, language)]
    return found or [Sentence(text)]


def _folded(text: str, language: str) -> str:
    return " ".join(_WORD.findall(" ".join(_parsed(text, language)).casefold()))


def _parsed(text: str, language: str) -> list[str]:
    """The sentences without their citations."""
    from ragassay.documents import sentences

    cited = citation_grammar.parse(text, lambda each: sentences(each, language), frozenset())
    return [sentence for sentence, _ in cited]


def _figures(text: str) -> set[tuple[float, str]]:
    """The amounts that it states, each with its unit."""
    return {
        (round(amount.value * (-1 if amount.negative else 1), 6), str(amount.unit or ""))
        for amount in find_amounts(text)
    }
