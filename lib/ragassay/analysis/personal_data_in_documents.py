"""Personal data in the documents themselves: what they state counts as published in an answer, and an
assistant that quotes passes it on."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ragassay.scores.personal_data.personal_data_search import find
from ragassay.stats import clopper_pearson, interval_text

FILE = "documents_searched.json"
MOST_READ = 200  # passages that the head of names reads: it takes 50 ms for one
PERSONAL = ("person", "address")
METRICS = ("privacy_leak_rate", "names_rate")


def search(
    chunks: pd.DataFrame, entities: Callable[[Sequence[str]], list], rng: np.random.Generator
) -> dict[str, Any]:
    """What the passages hold, as a record: `passages` searched by the patterns, how many are `holding` a
    value, the values by kind (`kinds`); of `read` passages drawn at random how many are `naming` a person or
    address.

    chunks : with text; entities : texts to entities with `kind`, as `models.entities`
    """
    texts = chunks["text"].tolist()
    values = [[hit.kind for hit in find(text) if hit.status == "leak"] for text in texts]
    drawn = sorted(rng.choice(len(texts), min(MOST_READ, len(texts)), replace=False)) if texts else []
    named = entities([texts[place] for place in drawn])
    return {
        "passages": len(texts),
        "holding": sum(map(bool, values)),
        "kinds": dict(Counter(kind for hits in values for kind in hits).most_common()),
        "read": len(drawn),
        "naming": sum(any(one.kind in PERSONAL for one in found) for found in named),
    }


def sentence(found: Mapping[str, Any]) -> str:
    """What was searched in the documents, and how much was found; that there was nothing to search."""
    if not found["passages"]:
        return "No passage was there to be searched for personal data."
    kinds = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in found["kinds"].items())
    held = f"{found['holding']} of {found['passages']:,} passages hold personal data by the patterns"
    return f"{held}{f' ({kinds})' if kinds else ''}; {_naming(found)}."


def beside_gates(gates: pd.DataFrame, found: Mapping[str, Any]) -> list[str]:
    """What a gate on personal data does not count, for each gate; "" for any other, and without passages."""
    if not found["passages"]:
        return [""] * len(gates)
    held = f"{found['holding']} of {found['passages']:,} passages hold personal data by the patterns"
    named = f"{found['naming']} of {found['read']} name a person or an address"
    told = f"not counted is what the documents state themselves: {held}, {named}"
    return [told if metric in METRICS else "" for metric in gates["metric"]]


def _naming(found: Mapping[str, Any]) -> str:
    share = clopper_pearson(found["naming"], found["read"])
    whole = (
        f"all {found['read']}" if found["read"] == found["passages"] else f"{found['read']} drawn at random"
    )
    text = interval_text(share.value, share.low, share.high, percent=True)
    return f"{found['naming']} of {whole} name a person or an address ({text})"
