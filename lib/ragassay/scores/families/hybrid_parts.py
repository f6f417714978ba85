"""What the parts of the hybrid assessment share:
their mean, the side an answer is compared with, evidence per sentence.

The source names each part and gives no formula: ours are stated with each. Cosines below 0 count as 0, so
that every part is in [0, 1]; the parts of one metric have equal weights.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ragassay.models import Entity
from ragassay.scores.metric import Detail, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools

NAMES = ("entities",)  # the instrument that most parts need beside the encoder
SIDES = ("question", "contexts")
LISTED = 20  # concepts or facts named as evidence
REMEMBERED = 64  # texts whose graphs and facts are kept: the metrics of one answer come one after the other
Part = Callable[[Sample, Tools], Result]
NamedTexts = tuple[tuple[str, tuple[Entity, ...]], ...]  # texts with their entities


def combine(sample: Sample, tools: Tools, **named: Part) -> Result:
    """Mean of the parts; one with nothing to judge is left out and its reason kept.

    The evidence names the weakest sentence of each part.

    Raises NotApplicable if all of them are left out.
    """
    records: Detail = []
    for name, part in named.items():
        try:
            value, detail = part(sample, tools)
            records.append(
                {
                    "part": name,
                    "score": round(value, 6),
                    "weakest": next((one for one in detail if one.get("weakest")), None),
                }
            )
        except NotApplicable as why:
            records.append({"part": name, "score": None, "reason": str(why)})
    scores = [record["score"] for record in records if record["score"] is not None]
    if not scores:
        raise NotApplicable("; ".join(record["reason"] for record in records))
    return mean_of_parts(scores), records


def mean_of_parts(parts: Sequence[float]) -> float:
    """Mean of the parts, in [0, 1]. Raises ValueError if there is none."""
    if len(parts) == 0:
        raise ValueError("no part to combine")
    return float(np.mean(parts))


def with_entities(sentences: Sequence[Sentence], tools: Tools) -> NamedTexts:
    """The sentences' texts, each with the entities it names."""
    texts = [one.text for one in sentences]
    return tuple((text, tuple(found)) for text, found in zip(texts, tools.entities(texts), strict=True))


def embed(sentences: Sequence[Sentence], tools: Tools) -> NDArray:
    """The sentences' vectors (n, d), of length 1."""
    return tools.embed([one.text for one in sentences])
