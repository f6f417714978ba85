"""Which kind of interval stands beside which number: where a table holds several kinds, a note names the rows
of each and says why. One kind for a share of cases counted 0 or 1 that were drawn one by one
(`stats.mean_interval`); another only where that one does not hold.
"""

from collections.abc import Sequence

import pandas as pd

from ragassay.tables import is_blank

KINDS = {  # how a method begins -> its name, and why it is used
    "Clopper-Pearson": ("exact (Clopper-Pearson)", "each case is counted 0 or 1"),
    "BCa": (
        "bootstrap (BCa)",
        "a case may count in part, or several belong together: an exact interval does not hold for these",
    ),
    "constant data": (
        "exact over what was drawn (Clopper-Pearson)",
        "all values are alike, so that resampling would show no spread; it may be wider than beside a lower "
        "value",
    ),
    "Rogan-Gladen": ("bootstrap of the corrected share", "the correction has errors of its own"),
}


def note(names: Sequence[str], methods: Sequence[str]) -> str:
    """`Intervals: exact (Clopper-Pearson) for A and B, as ...; bootstrap (BCa) for C, as ...`; the kind alone
    where there is one; "" where none is known.

    names : what the rows are called, a name may occur more than once; methods : `Interval.method` of each
    """
    rows = pd.DataFrame({"name": list(names), "kind": [_kind(method) for method in methods]})
    rows = rows[rows["kind"] != ""].drop_duplicates()
    found = [(kind, rows.loc[rows["kind"] == kind, "name"].tolist()) for kind in KINDS]
    held = [(*KINDS[kind], named) for kind, named in found if named]
    if len(held) < 2:
        return "".join(f"Intervals: {name}, as {why}." for name, why, _ in held)
    told = [f"{name} for {', '.join(named)}, as {why}" for name, why, named in held]
    return f"Intervals: {'; '.join(told)}."


def _kind(method: object) -> str:
    text = "" if is_blank(method) else str(method)
    return next((kind for kind in KINDS if text.startswith(kind)), "")
