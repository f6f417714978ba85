"""By which ids reference passages are named, and whether a system names its passages by such: ids of two
kinds are never compared."""

import numpy as np
import pandas as pd

from ragassay.tables import is_missing


def of_references(chunks: pd.DataFrame | None, cases: pd.DataFrame | None) -> set[str]:
    """The ids by which reference passages are named: those of our passages; those of the cases where none of
    them is one of ours, as in a log with passage ids of its own."""
    own = set() if chunks is None or "chunk_id" not in chunks else set(chunks["chunk_id"])
    lists = () if cases is None else cases.get("reference_chunk_ids", ())
    named = {str(name) for each in lists if not is_missing(each) for name in each}
    return own if named & own or not named or not own else named


def mark_foreign(rows: pd.DataFrame, own: set[str], ours: set[str]) -> pd.DataFrame:
    """The rows, marked where the system has named no passage by one of these ids, here or before:
    retrieval cannot be judged against the reference passages.

    `ours` holds the systems that have, and gains those that do here.
    """
    if "foreign_ids" in rows:
        return rows
    systems = rows["system"].map(str)
    lists = rows.get("context_ids", pd.Series(dtype=object))
    ours |= {
        system
        for system, ids in zip(systems, lists, strict=False)
        if isinstance(ids, (list, tuple, np.ndarray)) and own & set(map(str, ids))
    }
    return rows.assign(foreign_ids=bool(own) & ~systems.isin(ours))
