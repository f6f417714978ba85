"""What a measure gives: a value and its evidence, one record per sentence, id or hit."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from ragassay.scores.sample import Sentence

Detail = list[dict[str, Any]]
Result = tuple[float, Detail]
SHOWN = 300  # characters of a sentence that are kept as evidence


class NotApplicable(ValueError):
    """There is nothing to judge; the message is the reason."""


def evidence(
    these: Sequence[Sentence], those: Sequence[Sentence], scores: NDArray, places: NDArray, flagged: int
) -> Detail:
    """One record per sentence: text, score, best evidence sentence and its passage; `weakest` marks the one to look at first."""
    return [
        {
            "text": sentence.text[:SHOWN],
            "source": sentence.source,
            "score": round(float(score), 6),
            "evidence": those[place].text[:SHOWN],
            "evidence_id": those[place].source,
            "weakest": i == flagged,
        }
        for i, (sentence, score, place) in enumerate(zip(these, scores, places, strict=True))
    ]


def summarised(detail: Detail, aggregation: str) -> Detail:
    """The evidence to keep: all sentences beside a mean; beside the weighted mean and the minimum, which have the same, the weakest only."""
    return detail if aggregation == "mean" else [record for record in detail if record["weakest"]]
