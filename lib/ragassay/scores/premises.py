"""What a sentence is held against:
the few sentences of another text that are nearest to it, read as one premise.
"""

from collections.abc import Sequence

from numpy.typing import NDArray

from ragassay.scores import vectors
from ragassay.scores.sample import Sentence
from ragassay.scores.tools import Pair, Tools

NEAREST = 3  # sentences in a premise


def premise(cosine: NDArray, candidates: Sequence[str], k: int = NEAREST) -> tuple[str, list[int]]:
    """The `k` candidates with the greatest cosine (n,), joined in the order they stand, and their places;
    a repeated text counts once.
    """
    order = vectors.ranking(cosine)
    first = {candidates[place]: place for place in reversed(order)}
    chosen = sorted([place for place in order if first[candidates[place]] == place][:k])
    return " ".join(candidates[place] for place in chosen), chosen


def choose(
    these: Sequence[str], those: Sequence[str], tools: Tools, k: int = NEAREST
) -> list[tuple[str, list[int]]]:
    """For each of `these` its premise from `those` and the places of the premise's sentences;
    needs at least one of `those`.
    """
    if not these:
        return []
    return [premise(row, those, k) for block in tools.blocks(these, those) for row in block]


def pairs(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, k: int = NEAREST) -> list[Pair]:
    """One (premise from `those`, sentence) per sentence of `these`."""
    texts = [sentence.text for sentence in these]
    return [
        (found, text)
        for text, (found, _) in zip(texts, choose(texts, [one.text for one in those], tools, k), strict=True)
    ]
