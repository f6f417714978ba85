"""What an examination says beside its pass rates: failure modes (GroUSE 4.1, table 6), agreement with another
scorer, length, prompts; tables by name.

GroUSE table 5 leaves out one part of its prompts at a time. A prompt that is chosen because it did best on
labels looks better there than it is: its honest rate is that of the labels left out when it was chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragassay.errors import ParameterError
from ragassay.examination import minimal_pairs
from ragassay.examination.examine import PASSED, SEED, Examination, examine, share_passed
from ragassay.examination.judge_agreement import between_judges, marks_of_suite
from ragassay.examination.minimal_pairs import (
    VERBOSITY_JUDGED,
    VERBOSITY_OFFLINE,
    summarize_verbosity,
    verbosity_pairs,
)
from ragassay.examination.scorers import Scorer, judged_by
from ragassay.examination.unit_test_suite import ALL_MARKS, UnitTest
from ragassay.scores.judge.judge_prompts import PROMPTS, Prompt
from ragassay.stats import Interval, mean_interval, paired_bootstrap

Tables = dict[str, pd.DataFrame]
MODES = {  # GroUSE 4.1: what fails, and the mark that shows it
    "FM1": ("irrelevant information in a response", "answer_relevancy"),
    "FM2": ("an unanswerable question is not refused", "negative_rejection"),
    "FM3": ("relevant information is missing", "completeness"),
    "FM4": ("an answerable question is refused", "positive_acceptance"),
    "FM5": ("a refusal adds unrelated information", "usefulness"),
    "FM6": ("a citation is missing or wrong", "faithfulness"),
    "FM7": ("a fact is distorted or unsupported", "faithfulness"),
}
OF_TYPE: dict[int, tuple[str, ...]] = {  # table 6; type 15, a missing citation, is printed FM7 there
    8: ("FM1",),
    9: ("FM1", "FM2"),
    10: ("FM3",),
    11: ("FM3", "FM4"),
    12: ("FM3", "FM4"),
    13: ("FM5",),
    14: ("FM6",),
    15: ("FM6",),
    16: ("FM7",),
}
BEST = ("==5", "==1")  # conditions of marks that have nothing to find fault with
MODE_COLUMNS = [
    *("mode", "what", "mark", "n", "found", "low", "high"),
    *("faultless", "false_alarms", "false_alarms_low", "false_alarms_high"),
]
FOLDS = 5
PROMPT_COLUMNS = [
    "prompt",
    "mark",
    "value",
    "low",
    "high",
    "n",
    "difference",
    "diff_low",
    "diff_high",
    "unparsed",
]


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


def further_tables(
    tests: Sequence[UnitTest],
    found: Examination,
    *,
    judge: Any = None,
    against: Scorer | None = None,
    every_prompt: bool = False,
    length: bool = False,
) -> Tables:
    """Name -> table: `failure_modes` always; `agreement`, `verbosity`, `prompts` and `prompt_choice` where
    they are asked for.

    Parameters
    ----------
    tests, found : the tests, and what a scorer did with them
    judge : a language model (`models.judge.Judge`); with one, length and prompts are its own
    against : another scorer, whose marks of the same tests are compared
    every_prompt : whether the judge is asked in every prompt, and one is chosen by cross-validation
    length : whether the ten pairs of a short and a long answer are scored

    Raises ParameterError if every prompt is asked for without a judge.
    """
    tables = {"failure_modes": by_failure_mode(found)}
    if against is not None:
        marks = (marks_of_suite(each) for each in (found, examine(tests, against)))
        tables["agreement"] = between_judges(*marks, rng=np.random.default_rng(SEED))
    if length:
        tables["verbosity"] = _length_table(judge)
    return tables | (_prompt_tables(tests, judge) if every_prompt else {})


def _length_table(judge: Any) -> pd.DataFrame:
    metrics = VERBOSITY_OFFLINE if judge is None else VERBOSITY_JUDGED
    checks = minimal_pairs.examine(verbosity_pairs(), metrics, instruments={"judge": judge})
    return summarize_verbosity(checks, rng=np.random.default_rng(SEED))


def _prompt_tables(tests: Sequence[UnitTest], judge: Any) -> Tables:
    if judge is None:
        do = "name one: --scorer judge --judge URL --judge-model NAME"
        raise ParameterError("prompts are a judge's, and none is named", do=do)
    found = examine_prompts(tests, judge)
    right, questions = shares_right(found)
    choice = choose_prompt(right, questions, rng=np.random.default_rng(SEED))
    compared = compare_prompts(found, rng=np.random.default_rng(SEED))
    return {"prompts": compared, "prompt_choice": _choice_table(choice)}


def _choice_table(choice: Choice) -> pd.DataFrame:
    """The chosen prompt's rate on all labels, and what choosing so is worth on labels left out."""
    folds = "; ".join(f"{name}: {count}" for name, count in choice.chosen_by_folds.items())
    rows = [
        (choice.prompt, "all labels, where it was chosen", choice.right),
        (f"chosen by each fold ({folds})", "labels left out when choosing", choice.held_out),
    ]
    return pd.DataFrame(
        [(prompt, where, each.value, each.low, each.high, each.n) for prompt, where, each in rows],
        columns=["prompt", "right_on", "value", "low", "high", "n"],
    )


def by_failure_mode(found: Examination) -> pd.DataFrame:
    """One row per failure mode, MODE_COLUMNS.

    found : share of the tests with this failure whose mark shows it as it should, n of them
    false_alarms : share of the faultless tests, where the same mark should be best, that do not get it

    Both with intervals over questions, as the tests of a question share its references
    (`examine.share_passed`); a mark that could not be read finds nothing and is an alarm. Tests of unknown
    type count in `faultless` alone. Source: GroUSE 4.1, table 6; decision 14 on type 15.
    """
    return pd.DataFrame([_mode_row(found.checks, mode) for mode in MODES], columns=MODE_COLUMNS)


def _mode_row(checks: pd.DataFrame, mode: str) -> tuple:
    what, mark = MODES[mode]
    types = [number for number, modes in OF_TYPE.items() if mode in modes]
    of_mark = checks[checks.metric == mark]
    failing, faultless = of_mark[of_mark.type.isin(types)], of_mark[of_mark.condition.isin(BEST)]
    right, passed = share_passed(failing), share_passed(faultless)
    wrong = passed.n, 1 - passed.value, 1 - passed.high, 1 - passed.low
    return mode, what, mark, right.n, right.value, right.low, right.high, *wrong


def examine_prompts(
    tests: Sequence[UnitTest], judge: Any, prompts: Sequence[Prompt] = PROMPTS
) -> dict[str, Examination]:
    """Name of each prompt -> what the judge, asked in its words, gets right."""
    return {each.name: examine(tests, judged_by(judge, each), name=each.name) for each in prompts}


def compare_prompts(found: Mapping[str, Examination], *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per prompt and mark, PROMPT_COLUMNS, `all six marks` first: pass rate, and its difference from
    that of the first prompt on the same tests (paired bootstrap over questions). Source: GroUSE table 5."""
    first = next(iter(found.values()))
    rows = [
        (name, mark, *_prompt_rates(first.checks, each.checks, mark, rng))
        for name, each in found.items()
        for mark in ("", *ALL_MARKS)
    ]
    table = pd.DataFrame(rows, columns=PROMPT_COLUMNS)
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

    Raises ParameterError if there are fewer than two items, or no prompt.
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
    return Choice(
        str(best), _mean_interval(values[best], shared, rng), _mean_interval(held_out, shared, rng), counts
    )


def _dealt(clusters: Sequence[Any] | np.ndarray, folds: int, rng: np.random.Generator) -> dict[Any, int]:
    """Each cluster's fold, at random, as even as can be."""
    order = rng.permutation(len(clusters))
    return {clusters[place]: i % min(folds, len(clusters)) for i, place in enumerate(order)}


def _mean_interval(values: pd.Series, shared: pd.Series, rng: np.random.Generator) -> Interval:
    groups = shared.loc[values.index]
    clusters = groups.to_numpy() if groups.duplicated().any() else None
    return mean_interval(values.to_numpy(dtype=float), clusters=clusters, span=(0.0, 1.0), rng=rng)


def _prompt_rates(first: pd.DataFrame, checks: pd.DataFrame, mark: str, rng: np.random.Generator) -> tuple:
    base, own = (part if not mark else part[part.metric == mark] for part in (first, checks))
    before, after = ((part.outcome == PASSED).to_numpy(dtype=float) for part in (base, own))
    clusters = own.question.to_numpy() if own.question.nunique() > 1 else own.test.to_numpy()
    rate = mean_interval(after, clusters=clusters, span=(0.0, 1.0), rng=rng)
    change = paired_bootstrap(before, after, clusters=clusters, span=(-1.0, 1.0), rng=rng)
    unread = int((own.outcome == "unparsed").sum())
    return rate.value, rate.low, rate.high, len(own), change.value, change.low, change.high, unread
