"""What a family of metrics says of itself, and what a measure gives: a value and its evidence.

A family is one file: its formulas (arrays or texts in, numbers out) and its measures (`(sample, tools) ->
Result`), which families/metrics.csv names, one row a metric. A measure raises NotApplicable where there is
nothing to judge, and another ValueError where the value does not exist.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.prepared_answer import Sentence

# the answer key of a case
KEY = frozenset({"answerable", "answer_type", "reference_answer", "reference_chunk_ids"})
Detail = list[dict[str, Any]]
Result = tuple[float, Detail]


class NotApplicable(ValueError):
    """There is nothing to judge; the message is the reason."""


@dataclass(frozen=True)
class Metric:
    """What a metric is, what it needs, how to read it; `measure` computes it for one answer.

    reads : columns of the case beside `needs` by which it judges where they are given
    of_content, of_silence : whether it applies to an answer that declines only if False, to an empty one
        only if True
    grades_quality : it estimates how good an answer is, so that one value for nearly all answers means that
        it told none apart: it is then barred from gates. False for a harm, a refusal, a check, a count
    derived : names of the metrics it is computed from, over the whole table; `measure` then takes their
        values (n, m)
    use : gate, calibration, finding or diagnosis; or on request: computed only where it is named, or asked
        for with "all"
    options : what it can be named with, `min: weakest sentence`; option_of : the metric of which it is one
    own_call : its judge is asked in a call of its own, and so only where it is named
    headline : its place, from 1, in the first table of notebook 02, which compares systems; 0 for none
    display : its name for readers, in lower case
    """

    name: str
    family: str
    needs: tuple[str, ...]
    low: float
    high: float
    higher_is_better: bool
    models: tuple[str, ...]
    measure: Callable[..., Any]
    reads: tuple[str, ...] = ()
    of_content: bool = True
    of_silence: bool = False
    source: str = ""
    meaning: str = ""
    formula: str = ""
    cost: str = ""
    derived: tuple[str, ...] = ()
    use: str = "on request"
    options: tuple[str, ...] = field(default=(), repr=False)
    option_of: str = field(default="", repr=False)
    headline: int = field(default=0, repr=False)
    grades_quality: bool = field(default=True, repr=False)
    own_call: bool = field(default=False, repr=False)
    display: str = field(default="", repr=False)

    @property
    def on_request(self) -> bool:
        """Whether it is computed only where it is named."""
        return self.use == "on request"

    @property
    def reads_key(self) -> bool:
        """Whether it reads the answer key, which an answer in production has none of: no instrument there."""
        return not KEY.isdisjoint((*self.needs, *self.reads))


@dataclass(frozen=True)
class Method:
    """How metrics are computed, for the annex of methods: a formula in TeX or none, what it means, its
    source, our departures from it, its limits; the families of metrics that compute so, separated by
    spaces."""

    name: str
    tex: str
    meaning: str
    source: str
    departure: str
    limits: str
    families: str = ""


def evidence(
    these: Sequence[Sentence],
    those: Sequence[Sentence],
    scores: NDArray,
    places: NDArray,
    lowest: bool = True,
) -> Detail:
    """One record per sentence: text, score, best evidence sentence and its passage."""
    found = sentence_scores(these, scores, lowest)
    for record, one, place in zip(found, these, places, strict=True):
        beside = those[place]
        record |= {"source": one.source, "evidence": beside.text, "evidence_id": beside.source}
    return found


def sentence_scores(these: Sequence[Sentence], scores: NDArray, lowest: bool = True) -> Detail:
    """One record per sentence with its score; `weakest` marks the lowest, or the highest."""
    weakest = int(np.argmin(scores) if lowest else np.argmax(scores))
    pairs = enumerate(zip(these, scores, strict=True))
    return [{"text": one.text, "score": score, "weakest": i == weakest} for i, (one, score) in pairs]
