"""The weak slices as notebook 06 shows them: by level, in a figure's cells, and what could not be tested."""

from collections.abc import Sequence

import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.slice_search import FACTOR
from ragassay.scores.names import display_name, with_names
from ragassay.stats import interval_text

NOTE = (
    "Rest: the mean of all other questions. Gain: by how much the mean of all questions would improve if the "
    "slice were as good as the rest. q: p value adjusted for all comparisons. Pairs of factors were chosen "
    "on one half of the questions and tested on the other."
)


def by_level(slices: pd.DataFrame, dimensions: Sequence[str]) -> pd.DataFrame:
    """A row for each level of these factors, a column for each metric that half of them have: mean, interval
    and n in words; a level that has too few cases of a metric says so."""
    mine = slices[slices["dimension"].isin(list(dimensions)) & (slices["kind"] == FACTOR)]
    named = with_names(mine)
    told = [
        f"{interval_text(row.mean, row.low, row.high)}, n={row.n}{' *' if row.flagged else ''}"
        for row in mine.itertuples()
    ]
    rows = pd.DataFrame(
        {"factor": named["dimension"], "level": named["level"], "metric": mine["metric"], "told": told}
    )
    wide = rows.pivot(index=["factor", "level"], columns="metric", values="told")
    known = wide.columns[wide.notna().mean() >= 0.5]
    order = [name for name in dict.fromkeys(slices["metric"]) if name in known]
    return wide[order].fillna("too few").rename(columns=display_name).reset_index()


def as_found(cells: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Cells of `weakness.bivariate` or levels of `.marginal`, flagged as the search flagged them: one
    judgement of what is weak, whatever shows it."""
    flagged = slices[slices["flagged"]]
    names = set(zip(flagged["metric"], flagged["dimension"], flagged["level"], strict=True))
    mine = zip(cells["metric"], cells["dimension"], cells["level"], strict=True)
    return cells.assign(flagged=[name in names for name in mine])


def limits(cases: pd.DataFrame, dimensions: Sequence[str], minimum: int) -> list[str]:
    """What the search could not test, as sentences for the report."""
    thin = []
    for name in dimensions:
        counts = case_scores.levels(cases, name).value_counts().drop(case_scores.NO_LEVEL, errors="ignore")
        few = with_names(pd.DataFrame({"dimension": name, "level": counts.index[counts < minimum]}))
        thin += few["level"].tolist()
    told = f"Not tested, for fewer than {minimum} questions: {', '.join(map(str, sorted(thin)))}."
    return [told] if thin else []
