"""What an examination says beside its pass rates: failure modes, agreement with another scorer, length,
prompts; tables by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ragassay.errors import ParameterError
from ragassay.examination import judge_agreement, prompt_ablation, verbosity
from ragassay.examination.examine import SEED, Examination, examine
from ragassay.examination.failure_modes import by_failure_mode
from ragassay.examination.prompt_ablation import Choice
from ragassay.examination.scorers import Scorer, judged_by
from ragassay.examination.unit_test_suite import UnitTest

Tables = dict[str, pd.DataFrame]
NO_JUDGE = "Not tested, a language model as judge: none was named."
ONE_PROMPT = "The judge was asked in one prompt alone."


@dataclass(frozen=True)
class JudgeExamined:
    """What a judge did with the tests; without a judge, why there is nothing."""

    examination: Examination
    tables: Tables
    why_not: str = ""

    def table(self, name: str) -> pd.DataFrame:
        """A table of `further_tables`; one without rows where it was not made."""
        return self.tables.get(name, pd.DataFrame())

    def absent(self, name: str) -> str:
        """Why there is no such table; empty where there is."""
        return "" if name in self.tables else self.why_not or ONE_PROMPT


def examine_judge(
    tests: Sequence[UnitTest], judge: Any, *, against: Scorer, every_prompt: bool = False
) -> JudgeExamined:
    """The tests, the pairs of lengths and, if asked for, every prompt by a judge; nothing without one or
    without tests. Parameters as in `further_tables`."""
    if judge is None or not tests:
        return JudgeExamined(examine([], lambda rows: []), {}, NO_JUDGE)
    found = examine(tests, judged_by(judge), name="judge")
    options: dict[str, Any] = {"against": against, "every_prompt": every_prompt, "length": True}
    return JudgeExamined(found, further_tables(tests, found, judge=judge, **options))


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

    Raises
    ------
    ParameterError
        If every prompt is asked for without a judge.
    """
    tables = {"failure_modes": by_failure_mode(found)}
    if against is not None:
        marks = (judge_agreement.marks_of_suite(each) for each in (found, examine(tests, against)))
        tables["agreement"] = judge_agreement.between_judges(*marks, rng=np.random.default_rng(SEED))
    if length:
        tables["verbosity"] = _length_table(judge)
    return tables | (_prompt_tables(tests, judge) if every_prompt else {})


def _length_table(judge: Any) -> pd.DataFrame:
    metrics = verbosity.OFFLINE if judge is None else verbosity.JUDGED
    checks = verbosity.examine(metrics, instruments={"judge": judge})
    return verbosity.summarize(checks, rng=np.random.default_rng(SEED))


def _prompt_tables(tests: Sequence[UnitTest], judge: Any) -> Tables:
    if judge is None:
        do = "name one: --scorer judge --judge URL --judge-model NAME"
        raise ParameterError("prompts are a judge's, and none is named", do=do)
    found = prompt_ablation.examine_prompts(tests, judge)
    right, questions = prompt_ablation.shares_right(found)
    choice = prompt_ablation.choose_prompt(right, questions, rng=np.random.default_rng(SEED))
    compared = prompt_ablation.compare_prompts(found, rng=np.random.default_rng(SEED))
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
