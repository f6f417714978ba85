"""What the comparison of systems says to a reader: table, what it cannot tell, sentence, limits."""

import pandas as pd

from ragassay.analysis.comparison import BETTER, EQUAL, NONE, WORSE
from ragassay.stats import interval_text, number_text

TABLE_COLUMNS = [
    "metric", "challenger", "n", "validated", "challenger mean", "difference [95 %]", "q",
    "won / tied / lost", "outcome",
]  # fmt: skip


def conclusive_rows(compared: pd.DataFrame) -> pd.DataFrame:
    """The rows that can tell two systems apart: those compared, and not the same on every question."""
    return compared[~compared["outcome"].isin([NONE, EQUAL])]


def difference_table(compared: pd.DataFrame) -> pd.DataFrame:
    """`telling` rows as a reader takes them in: the difference with its interval as one text, wins, ties and
    losses as another."""
    rows = conclusive_rows(compared)
    texts = [
        (
            row.metric,
            row.challenger,
            row.n,
            number_text(row.own_mean, 3),
            number_text(row.challenger_mean, 3),
            interval_text(row.difference, row.low, row.high, 3, signed=True),
            number_text(row.q, 3),
            f"{row.wins} / {row.ties} / {row.losses}",
            row.outcome,
        )
        for row in rows.itertuples()
    ]
    return pd.DataFrame(texts, columns=TABLE_COLUMNS)


def inconclusive_note(compared: pd.DataFrame) -> str:
    """The rows that cannot, in words: "support against alpha: not compared (92 challenger not asked)"; empty
    where there is none."""
    rest = compared[compared["outcome"].isin([NONE, EQUAL])]
    why = [f" ({row.reason})" if row.outcome == NONE and row.reason else "" for row in rest.itertuples()]
    return "; ".join(
        f"{row.metric} against {row.challenger}: {row.outcome}{one}"
        for row, one in zip(rest.itertuples(), why, strict=True)
    )


def sentence(compared: pd.DataFrame) -> str:
    """How many comparisons the validated system wins and loses significantly, by challenger; empty where
    there is none."""
    if compared.empty:
        return ""
    parts = [
        f"better in {_counts(rows, BETTER)} and worse in {_counts(rows, WORSE)} of {_done(rows)} comparisons "
        f"with {name}"
        for name, rows in _by_system(compared)
    ]
    return f"Significantly {'; '.join(parts)}."


def limits(compared: pd.DataFrame) -> list[str]:
    """What the comparison leaves open, as sentences for the report."""
    if compared.empty:
        return ["Not tested, another system: the log holds one, or the assistant was asked alone."]
    lost = compared[compared["outcome"] == NONE]
    missing = [
        f"{len(lost)} of {len(compared)} comparisons with other systems could not be made: no question is "
        "scored on both sides."
    ]
    return [
        "A difference that is not significant is no proof that two systems are equal.",
        *(missing if len(lost) else []),
    ]


def _by_system(compared: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(str(name), rows) for name, rows in compared.groupby("challenger", sort=True)]


def _counts(rows: pd.DataFrame, outcome: str) -> int:
    return int((rows["outcome"] == outcome).sum())


def _done(rows: pd.DataFrame) -> int:
    return int((rows["outcome"] != NONE).sum())
