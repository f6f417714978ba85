"""The weak slices as notebook 06 shows them: by level, in a figure's cells, and what could not be tested."""

from collections.abc import Sequence

import pandas as pd

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.slicing.slice_search import FALSE_SLICES
from ragassay.analysis.slicing.slice_units import FACTOR
from ragassay.analysis.slicing.unexamined_slices import NOT_TESTED
from ragassay.analysis.slicing.weak_slices import MADE
from ragassay.scores.display_names import display_name, with_names
from ragassay.stats import interval_text

NOTE = (
    "Rest: the mean of all other questions. Gain: by how much the mean of all questions would improve if the "
    "slice were as good as the rest: its part of all questions, times the rest less its mean. q: p value "
    "adjusted for all comparisons. Confirmed: it stood out in one random half of the questions and was "
    "significantly worse in the other."
)
SIZES = (10, 20, 40, 80)  # questions


def by_level(slices: pd.DataFrame, dimensions: Sequence[str]) -> pd.DataFrame:
    """A row for each level of these factors, a column for each metric that half of them have: mean, interval
    and n in words; a level that has too few cases of a metric says so."""
    tested = slices[slices["state"] != NOT_TESTED]
    mine = tested[tested["dimension"].isin(list(dimensions)) & (tested["kind"] == FACTOR)]
    named = with_names(mine)
    shares = mine["metric"].map(is_share)
    told = [
        f"{interval_text(row.mean, row.low, row.high, percent=share)}, n={row.n}{' *' if row.flagged else ''}"
        for row, share in zip(mine.itertuples(), shares, strict=True)
    ]
    rows = pd.DataFrame(
        {"factor": named["dimension"], "level": named["level"], "metric": mine["metric"], "told": told}
    )
    wide = rows.pivot(index=["factor", "level"], columns="metric", values="told")
    known = wide.columns[wide.notna().mean() >= 0.5]
    order = [name for name in dict.fromkeys(slices["metric"]) if name in known]
    return wide[order].fillna("too few").rename(columns=display_name).reset_index()


def count_marked(slices: pd.DataFrame, dimensions: Sequence[str]) -> tuple[int, int]:
    """How many levels of these factors are significantly worse in a measure, and how many were tested."""
    tested = slices[slices["state"] != NOT_TESTED]
    mine = tested[tested["dimension"].isin(list(dimensions)) & (tested["kind"] == FACTOR)]
    worse = mine.groupby(["dimension", "level"])["flagged"].any() if len(mine) else mine["flagged"]
    return int(worse.sum()), len(worse)


def counted_in_words(slices: pd.DataFrame, level: float) -> str:
    """How many slices of the table `weakness` are significantly worse, how often chance alone makes one, and
    how many are no findings and why."""
    flagged, left = int(slices["flagged"].sum()), int((slices["flagged"] & ~slices["finding"]).sum())
    made = int((slices["state"] == MADE).sum())
    worse = {0: "No slice is", 1: "1 slice is"}.get(flagged, f"{flagged} slices are")
    said = [
        f"{worse} significantly worse than the rest, at a level of {100 * level:.3g} % over all comparisons.",
        FALSE_SLICES,
        f"Of the slices worse than the rest {left} restate another." if left else "",
        f"Of the slices shown {made} follow from how they are made and are never findings." if made else "",
    ]
    return " ".join(filter(None, said))


def as_found(cells: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Cells of `weakness.bivariate` or levels of `.marginal`, flagged as the search flagged them: one
    judgement of what is weak, whatever shows it."""
    flagged = slices[slices["flagged"]]
    names = set(zip(flagged["metric"], flagged["dimension"], flagged["level"], strict=True))
    mine = zip(cells["metric"], cells["dimension"], cells["level"], strict=True)
    return cells.assign(flagged=[name in names for name in mine])


def found_with_power(slices: pd.DataFrame, metric: str, sizes: Sequence[int] = SIZES) -> str:
    """How large a weakness of a metric the search finds with 80 % power, in slices of about these sizes: what
    its silence means; "" where it tested none."""
    tested = slices[(slices["metric"] == metric) & slices["q"].notna()]
    near = [(tested["n"] - size).abs().sort_values(kind="stable").index[0] for size in sizes if len(tested)]
    rows = tested.loc[list(dict.fromkeys(near))].drop_duplicates("n").sort_values("n")
    seen, blind = rows[rows["detectable"].notna()], rows[rows["detectable"].isna()]
    told = ", ".join(f"{row.detectable:.2f} (n={row.n})" for row in seen.itertuples())
    none = ", ".join(f"n={n}" for n in blind["n"])
    said = [f"a slice worse than the rest by {told}"] if told else []
    said += [f"nothing in slices of {none}, however weak"] if none else []
    unseen = "; a smaller weakness may be there unseen" if told else ""
    return (
        f"Of “{display_name(metric)}” the search finds, with 80 % power, {', and '.join(said)}{unseen}."
        if said
        else ""
    )
