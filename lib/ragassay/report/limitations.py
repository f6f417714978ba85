"""The limits that each notebook states of itself: as the notebook of the decision shows them, and where it
does not."""

import pandas as pd

from ragassay.decision.not_tested.untested_points import BEGINS
from ragassay.report.block_builders import bullets, gap, words
from ragassay.report.blocks import Block, Heading
from ragassay.report.chapters import CHAPTERS, HOMES
from ragassay.report.run_folder import Run
from ragassay.show import clean

MOST_SIGNS = 260  # of a limit in print; the whole is among the attached files


def by_chapter(limits: pd.DataFrame) -> pd.DataFrame:
    """The limits of `provenance.limits` with the titles of the document's chapters, in its order, each once;
    what was not tested is left to the table of that (`decision.not_tested`)."""
    order = [place.notebook for place in CHAPTERS.values()]
    rank = limits["chapter"].map(lambda name: order.index(name) if name in order else len(order))
    kept = limits.assign(rank=rank)[~limits["limit"].str.startswith(BEGINS)]
    kept = kept.drop_duplicates("limit").sort_values("rank", kind="stable", ignore_index=True)
    titles = kept["chapter"].map(lambda name: CHAPTERS[HOMES[name]].title if name in HOMES else name)
    return kept.assign(chapter=titles, limit=kept["limit"].map(_short))[["chapter", "limit"]]


def in_rows(limits: pd.DataFrame) -> pd.DataFrame:
    """The limits of `by_chapter`, a row a chapter, each limit on a line of its own."""
    joined = by_chapter(limits).groupby("chapter", sort=False)["limit"].agg("\n".join)
    return joined.rename("limits").reset_index()


def _short(limit: str) -> str:
    return limit if len(limit) <= MOST_SIGNS else f"{limit[:MOST_SIGNS].rsplit(' ', 1)[0]} … (sections.csv)"


def limitations(run: Run) -> list[Block]:
    """Every limit that a notebook states, below the title of its chapter."""
    blocks: list[Block] = []
    for name, walked in run.notebooks.items():
        limits = [clean(limit) for limit in run.sections.get(name, {}).get("limits", [])]
        if limits:
            title = f"Stated by {walked.chapter.title}"
            blocks += [Heading(3, words(title), f"limits-{name}"), bullets(limits)]
    none = gap("No section states a limit, which is itself a reason to doubt the report.")
    return [Heading(2, words("Limitations"), "limitations"), *(blocks or [none])]
