"""What the gate on the choice to answer or decline counts together: questions with an answer in the documents
that were declined, and questions without one that were answered."""

import pandas as pd

from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases.case_origins import COLUMN, with_origin

CHOICE = "abstention_correct"
MIX = (
    "of {without:,} without an answer {answered:,} were answered, of {given:,} with one {declined:,} declined"
)


def beside_gates(gates: pd.DataFrame, scores: pd.DataFrame, cases: pd.DataFrame) -> list[str]:
    """For each gate on the choice, over the questions of its origin, how both kinds fared; "" of any other,
    and where questions of one kind alone were scored.

    scores : case_id, metric, value; cases : case_id, origin, answerable
    """
    known = scores[scores["metric"] == CHOICE].dropna(subset=["value"])
    put = with_origin(cases)[["case_id", COLUMN, "answerable"]].drop_duplicates("case_id").dropna()
    rows = known.merge(put, on="case_id")
    return [
        _told(rows, origin) if (metric, part) == (CHOICE, scorecard_slices.ALL) else ""
        for metric, part, origin in zip(gates["metric"], gates["slice"], gates["origin"], strict=True)
    ]


def _told(rows: pd.DataFrame, origin: str) -> str:
    own = rows if origin == scorecard_slices.ALL else rows[rows[COLUMN] == origin]
    given = own["answerable"].astype(bool)
    wrong = own["value"] < 1
    if given.all() or not given.any():
        return ""
    return MIX.format(
        without=int((~given).sum()),
        answered=int((wrong & ~given).sum()),
        given=int(given.sum()),
        declined=int((wrong & given).sum()),
    )
