"""Small made-up tables for the tests of findings."""

import numpy as np
import pandas as pd


def scores_of(values, metric="groundedness", system="bank", states=None, prefix="c") -> pd.DataFrame:
    """One row per value; NaN is `not_measured` unless `states` says otherwise."""
    values = np.asarray(values, dtype=float)
    states = states or ["not_measured" if np.isnan(value) else "scored" for value in values]
    ids = [f"{prefix}{row:03d}" for row in range(len(values))]
    rows = pd.DataFrame(
        {"case_id": ids, "system": system, "metric": metric, "value": values, "state": states}
    )
    return rows.assign(reason="", detail="[]")


def cases_of(topics, **columns) -> pd.DataFrame:
    """One case per topic given, c000, c001, ..."""
    ids = [f"c{row:03d}" for row in range(len(topics))]
    questions = [f"question {each}" for each in ids]
    return pd.DataFrame({"case_id": ids, "question": questions, "topic": list(topics), **columns})


def answers_of(cases: pd.DataFrame, answer, error="") -> pd.DataFrame:
    """The answers table: one answer, or a list of them, to these cases."""
    return cases[["case_id"]].assign(system="bank", repeat=0, answer=answer, error=error)
