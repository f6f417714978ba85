"""Which words is a judge best asked in? Every prompt on the same tests, and one chosen by cross-validation.

GroUSE table 5 leaves out one part of its prompts at a time. A prompt that is chosen because it did best on
labels looks better there than it is: its honest rate is that of the labels left out when it was chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragassay.errors import ParameterError
from ragassay.examination.examine import PASSED, Examination, examine
from ragassay.examination.scorers import judged_by
from ragassay.examination.unit_test_suite import ALL_MARKS, UnitTest
from ragassay.scores.judge.judge_prompts import PROMPTS, Prompt
from ragassay.stats import Interval, mean_interval, paired_bootstrap

FOLDS = 5
COLUMNS = ["prompt", "mark", "value", "low", "high", "n", "difference", "diff_low", "diff_high", "unparsed"]


@dataclass(frozen=True)
class Choice:
    """The prompt that does best on all labels, and what choosing so is worth.

    right : on all labels, where it was chosen; held_out : on labels left out when each fold chose its own
    chosen_by_folds : prompt -> how many folds chose it
    """

    prompt: str
    right: Interval
    held_out: Interval
    chosen_by_folds: dict[str, int]


def examine_prompts(
    tests: Sequence[UnitTest], judge: Any, prompts: Sequence[Prompt] = PROMPTS
) -> dict[str, Examination]:
    """Name of each prompt -> what the judge, asked in its words, gets right."""
    return {each.name: examine(tests, judged_by(judge, each), name=each.name) for each in prompts}


def compare_prompts(found: Mapping[str, Examination], *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per prompt and mark, COLUMNS, `all six marks` first: pass rate, and its difference from that of
    the first prompt on the same tests (paired bootstrap over questions). Source: GroUSE table 5."""
    first = next(iter(found.values()))
    rows = [
        (name, mark, *_rates(first.checks, each.checks, mark, rng))
        for name, each in found.items()
        for mark in ("", *ALL_MARKS)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.assign(mark=table.mark.replace("", "all six marks"))


def shares_right(found: Mapping[str, Examination]) -> tuple[pd.DataFrame, pd.Series]:
    """Share of the six marks right, in [0, 1], tests by prompts; and the question of each test."""
    shares = {
        name: each.checks.assign(right=each.checks.outcome == PASSED).groupby("test").right.mean()
        for name, each in found.items()
    }
    return pd.DataFrame(shares), next(iter(found.values())).checks.groupby("test").question.first()


def choose_prompt(
    right: pd.DataFrame, clusters: pd.Series, *, folds: int = FOLDS, rng: np.random.Generator
) -> Choice:
    """The prompt that agrees best with labels, by cross-validation over clusters.

    Parameters
    ----------
    right : items by prompts, how far each agrees with the label, in [0, 1]; NaN where there is no mark counts
        as 0
    clusters : of each item what was drawn together; all alike: every item is its own
    folds : parts the clusters are dealt into; each chooses on the others. Equal rates: the first prompt.

    Raises
    ------
    ParameterError
        If there are fewer than two items, or no prompt.
    """
    if len(right) < 2 or right.shape[1] == 0:
        found = f"{len(right)} labels, {right.shape[1]} prompts"
        raise ParameterError("a prompt is chosen on two labels or more", found=found, do="label more answers")
    values = right.fillna(0.0)
    shared = clusters.loc[values.index] if clusters.nunique() > 1 else pd.Series(values.index, values.index)
    fold_of = shared.map(_dealt(shared.unique(), folds, rng))
    chosen = {fold: values[fold_of != fold].mean().idxmax() for fold in sorted(fold_of.unique())}
    held_out = pd.concat([values.loc[fold_of == fold, name] for fold, name in chosen.items()])
    best = values.mean().idxmax()
    counts = pd.Series(list(chosen.values())).value_counts(sort=False).to_dict()
    return Choice(str(best), _mean(values[best], shared, rng), _mean(held_out, shared, rng), counts)


def _dealt(clusters: Sequence[Any] | np.ndarray, folds: int, rng: np.random.Generator) -> dict[Any, int]:
    """Each cluster's fold, at random, as even as can be."""
    order = rng.permutation(len(clusters))
    return {clusters[place]: i % min(folds, len(clusters)) for i, place in enumerate(order)}


def _mean(values: pd.Series, shared: pd.Series, rng: np.random.Generator) -> Interval:
    groups = shared.loc[values.index]
    clusters = groups.to_numpy() if groups.duplicated().any() else None
    return mean_interval(values.to_numpy(dtype=float), clusters=clusters, span=(0.0, 1.0), rng=rng)


def _rates(first: pd.DataFrame, checks: pd.DataFrame, mark: str, rng: np.random.Generator) -> tuple:
    base, own = (part if not mark else part[part.metric == mark] for part in (first, checks))
    before, after = ((part.outcome == PASSED).to_numpy(dtype=float) for part in (base, own))
    clusters = own.question.to_numpy() if own.question.nunique() > 1 else own.test.to_numpy()
    rate = mean_interval(after, clusters=clusters, span=(0.0, 1.0), rng=rng)
    change = paired_bootstrap(before, after, clusters=clusters, span=(-1.0, 1.0), rng=rng)
    unread = int((own.outcome == "unparsed").sum())
    return rate.value, rate.low, rate.high, len(own), change.value, change.low, change.high, unread
