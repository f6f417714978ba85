"""Figures of questions in several wordings, and what failing answers are attributed to, counted."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay.analysis import diagnosis, origin_slices, scorecard
from ragassay.analysis.case_scores import case_clusters, cluster_ids
from ragassay.analysis.diagnosis import Defect
from ragassay.analysis.diagnosis.groups import QUANTITIES
from ragassay.analysis.diagnosis.modules import NONE
from ragassay.analysis.failing_answer_facts import groups_of
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.tables import GOLD_RETRIEVED, is_blank

NAMES = dict(zip(QUANTITIES, (
    "wordings_accuracy", "wordings_robustness", "wordings_gap_share", "wordings_accuracy_retrieval",
    "wordings_robustness_retrieval",
), strict=True))  # fmt: skip
NO_GROUP = "no question was answered, and judged, in several wordings"


@dataclass(frozen=True)
class Wordings:
    """Questions asked in several wordings: rows of `diagnosis.assign_modules`, figures, kinds of groups,
    defect."""

    results: pd.DataFrame
    figures: Mapping[str, Interval]
    kinds: Mapping[str, int]
    defect: Defect


def diagnose_wordings(
    judged: pd.DataFrame, *, rng: np.random.Generator, level: float = CONFIDENCE
) -> Wordings:
    """GRAMMAR's modular evaluation of the rows of `failing_answer_facts.judge_answers`, its intervals at this
    level; without figures where no question was answered in several wordings."""
    rows = groups_of(judged)
    if rows.empty:
        nothing = not_available(NO_GROUP)
        kinds = dict.fromkeys(("gap", "robust", "non_robust", "of_one"), 0)
        return Wordings(rows, dict.fromkeys(QUANTITIES, nothing), kinds, Defect(NONE, {}, NO_GROUP))
    read = diagnosis.read_results(rows)
    assigned = diagnosis.assign_modules(read)
    kinds = diagnosis.count_kinds(diagnosis.group_table(read))
    defect = diagnosis.defective_module(assigned, rng=rng)
    return Wordings(assigned, diagnosis.measure_groups(read, rng=rng, level=level), kinds, defect)


def summarize_by_origin(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the scorecard, wordings_accuracy, wordings_robustness and their like: of all these judged
    answers, and of the questions of each origin by themselves."""

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        found = diagnose_wordings(rows, rng=np.random.default_rng(seed)).figures
        return pd.DataFrame([scorecard.row(NAMES[name], "all", each) for name, each in found.items()])

    return origin_slices.summarize_each_origin(judged, questions_of(judged), cases, summarize)


def questions_of(judged: pd.DataFrame) -> pd.Series:
    """The question of the test set that each row goes back to, by its id."""
    return judged["parent_id"].where(~judged["parent_id"].map(is_blank).astype(bool), judged["case_id"])


def causes(blamed: pd.DataFrame, cases: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """What the failing answers to these questions are attributed to, the most frequent first: blamed, cases,
    share with its 95 % interval low, high, n; how many had all, part or none of their reference passages
    retrieved (`GOLD_RETRIEVED`). Empty where no answer failed.

    blamed : the table `blame`; cases : the questions, whose groups and conversations stay together

    Example: `blame_tables.causes(run.read("blame"), run.cases())`
    """
    clusters = case_clusters(cases)
    rows, rng = blamed[blamed["case_id"].isin(cases["case_id"])], np.random.default_rng(seed)
    ids = cluster_ids(rows["case_id"].map(clusters))
    found = []
    for name, own in rows.groupby("blamed"):
        share = mean_interval((rows["blamed"] == name).astype(float), clusters=ids, span=(0.0, 1.0), rng=rng)
        retrieved = [int((own["gold_retrieved"] == which).sum()) for which in GOLD_RETRIEVED]
        found.append([name, len(own), share.value, share.low, share.high, share.n, *retrieved])
    columns = ["blamed", "cases", "share", "low", "high", "n", *GOLD_RETRIEVED]
    return pd.DataFrame(found, columns=columns).sort_values("cases", ascending=False, ignore_index=True)
