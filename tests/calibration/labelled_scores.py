"""Scores and labels that go together, made up, for the tests of both stages."""

import numpy as np
import pandas as pd


def scored(n, rng, slope=4.0):
    value = rng.normal(size=n)
    label = (rng.random(n) < 1 / (1 + np.exp(-slope * value))).astype(int)
    return pd.DataFrame(
        {
            "case_id": [f"c{i:04d}" for i in range(n)],
            "system": "bank",
            "value": value,
            "level": label,
            "label": label,
        }
    )


def tables(n, rng):
    rows = scored(n, rng)
    scores = rows[["case_id", "system", "value"]].assign(
        metric="groundedness", state="scored", reason="", detail="[]"
    )
    human = rows[["case_id", "system"]].assign(
        dimension="grounded", rater="m1", label=rows.label.astype(float), scale="0-1"
    )
    return scores, human
