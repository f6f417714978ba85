"""Personal data in the documents themselves: what they state counts as published in an answer, and an
assistant that quotes passes it on."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.scores.personal_data.personal_data_search import find

MOST_READ = 200  # passages that the head of names reads: it takes 50 ms for one
PERSONAL = ("person", "address")


def search(
    chunks: pd.DataFrame,
    rng: np.random.Generator,
    entities: Callable[[Sequence[str]], list] = models.entities,
) -> dict[str, Any]:
    """What the passages hold, as a record: `passages` searched by the patterns, how many are `holding` a
    value; of `read` passages drawn at random how many are `naming` a person or
    address.

    chunks : with text; entities : texts to entities with `kind`
    """
    texts = chunks["text"].tolist()
    drawn = sorted(rng.choice(len(texts), min(MOST_READ, len(texts)), replace=False)) if texts else []
    named = entities([texts[place] for place in drawn])
    return {
        "passages": len(texts),
        "holding": sum(any(hit.status == "leak" for hit in find(text)) for text in texts),
        "read": len(drawn),
        "naming": sum(any(one.kind in PERSONAL for one in found) for found in named),
    }
