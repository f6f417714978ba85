"""What an accuracy over all wordings owes to the wordings, and what to the draw of the questions: it stands
beside that of the first wordings of the same questions, and that of all questions they were drawn from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from ragassay import cases as questions
from ragassay.analysis import origin_slices
from ragassay.analysis.blame_tables import NAMES, questions_of
from ragassay.analysis.failing_answer_facts import groups_of
from ragassay.analysis.resampling_clusters import case_clusters, cluster_ids
from ragassay.analysis.slicing import scorecard_slices
from ragassay.scores.display_names import level_name
from ragassay.stats import Interval, interval_text, mean_interval

DRAWN = (
    "Accuracy beside that of all questions: {told}. The questions were drawn at random, whatever their "
    "answers: the first wording differs from all questions by the draw alone (p: chance of one at least as "
    "far off), all wordings from the first by the wording and by who judged it."
)
WORSE = (
    "Right in the first wording and over all wordings of the same questions: {worse}. No difference is "
    "shown, as none was tested; who words such a question otherwise may be served worse than "
    "[chapter](#quality) says, or as well. Instruments judged most of these wordings "
    "([annex](#annex-results))."
)


@dataclass(frozen=True)
class OfOrigin:
    """Of the questions of one origin, the share answered rightly: in the first wording of those judged in
    several, over all their wordings, of all questions they were drawn from.

    p : the chance, in [0, 1], of a draw whose first wordings are at least as far from all questions (Fisher's
        exact test of the drawn against the others); 1 where all were drawn
    """

    origin: str
    first: Interval
    wordings: Interval
    every: Interval
    p: float

    def shares(self) -> str:
        """The three shares, each with its interval and n."""
        every = f"{_percent(self.every)} of all {self.every.n} answerable questions"
        return (
            f"{level_name('origin', self.origin)} {_percent(self.first)} of {self.first.n} in the first "
            f"wording, {_percent(self.wordings)} of {self.wordings.n} over all wordings, {every}"
        )

    def __str__(self) -> str:
        drawn = f" (p = {self.p:.2f})" if self.first.n < self.every.n else ", which were all drawn"
        return self.shares() + drawn


def of_origins(
    judged: pd.DataFrame, cases: pd.DataFrame, grouped: pd.DataFrame, *, seed: int
) -> list[OfOrigin]:
    """One for each origin with questions that were judged in several wordings.

    judged : rows of `failing_answer_facts.judge_answers`; cases : the test set; grouped : of
        `blame_tables.summarize_by_origin`; seed : of the intervals over questions of one group
    """
    return list(_of_origins(judged, cases, grouped, seed))


def beside_all(found: list[OfOrigin]) -> str:
    """The accuracies of each origin beside each other, as sentences; "" where nothing was judged in several
    wordings."""
    return DRAWN.format(told="; ".join(map(str, found))) if found else ""


def worse_than_first(found: list[OfOrigin]) -> str:
    """Of each origin whose questions are answered rightly less often over all wordings than in the first:
    the accuracies, in words for `WORSE`; "" where none is."""
    return "; ".join(each.shares() for each in found if each.wordings.value < each.first.value)


def _of_origins(
    judged: pd.DataFrame, cases: pd.DataFrame, grouped: pd.DataFrame, seed: int
) -> Iterator[OfOrigin]:
    card = grouped[grouped["metric"] == NAMES["accuracy"]].set_index("slice")
    for name, rows in origin_slices.rows_of_origins(judged, questions_of(judged), cases):
        place = origin_slices.slice_name(scorecard_slices.ALL, name)
        every = _drawn_from(rows)
        drawn = every["case_id"].isin(groups_of(rows)["case_id"]) if len(every) else every["correct"]
        if place in card.index and drawn.any():
            yield OfOrigin(
                name,
                _accuracy(every[drawn], seed),
                _interval(card.loc[place]),
                _accuracy(every, seed),
                _chance_of_draw(every["correct"], drawn),
            )


def _drawn_from(rows: pd.DataFrame) -> pd.DataFrame:
    """The judged questions, as first worded, that might have been drawn."""
    is_first = questions_of(rows) == rows["case_id"]
    return rows[is_first & rows["correct"].notna() & questions.may_be_parents(rows)]


def _accuracy(rows: pd.DataFrame, seed: int) -> Interval:
    clusters = cluster_ids(case_clusters(rows))
    return mean_interval(rows["correct"], clusters=clusters, span=(0.0, 1.0), rng=np.random.default_rng(seed))


def _interval(row: pd.Series) -> Interval:
    return Interval(row["value"], row["low"], row["high"], int(row["n"]))


def _chance_of_draw(correct: pd.Series, drawn: pd.Series) -> float:
    right = correct == 1
    counts = [[int((right & part).sum()), int((~right & part).sum())] for part in (drawn, ~drawn)]
    return float(scipy.stats.fisher_exact(counts).pvalue)


def _percent(found: Interval) -> str:
    return interval_text(found.value, found.low, found.high, percent=True)
