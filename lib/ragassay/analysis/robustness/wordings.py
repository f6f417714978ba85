"""Whether it depends on its wording if a question is answered rightly, and which module fails then: GRAMMAR's
modular evaluation of the questions of a run that were asked in several wordings."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay.analysis import diagnosis, origin_slices, scorecard
from ragassay.analysis.checks import LOW, Check, checks_frame
from ragassay.analysis.diagnosis import NO_FAILURE, QUANTITIES, Defect
from ragassay.analysis.failing_answer_facts import groups_of
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.stats import Interval, not_available
from ragassay.tables import is_blank

NAMES = dict(zip(QUANTITIES, (
    "wordings_accuracy", "wordings_robustness", "wordings_gap_share", "wordings_accuracy_retrieval",
    "wordings_robustness_retrieval",
), strict=True))  # fmt: skip
NO_GROUP = "no question was answered, and judged, in several wordings"
LEAST = 0.8  # share of the wordings, of questions answered rightly in one, that must be


@dataclass(frozen=True)
class Wordings:
    """Questions asked in several wordings: rows of `diagnosis.assign_modules`, figures, defect."""

    results: pd.DataFrame
    figures: Mapping[str, Interval]
    defect: Defect


def diagnose_wordings(judged: pd.DataFrame, *, seed: int, level: float = CONFIDENCE) -> Wordings:
    """GRAMMAR's modular evaluation of the rows of `failing_answer_facts.judge_answers`, its intervals at this
    level; without figures where no question was answered in several wordings."""
    rows, rng = groups_of(judged), np.random.default_rng(seed)
    if rows.empty:
        nothing = dict.fromkeys(QUANTITIES, not_available(NO_GROUP))
        return Wordings(rows, nothing, Defect(NO_FAILURE, {}, NO_GROUP))
    read = diagnosis.read_results(rows)
    assigned = diagnosis.assign_modules(read)
    defect = diagnosis.defective_module(assigned, rng=rng)
    return Wordings(assigned, diagnosis.measure_groups(read, rng=rng, level=level), defect)


def summarize_wordings(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the scorecard, wordings_accuracy, wordings_robustness and their like: of all these judged
    answers, and of the questions of each origin by themselves."""

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        found = diagnose_wordings(rows, seed=seed).figures
        return pd.DataFrame([scorecard.row(NAMES[name], "all", each) for name, each in found.items()])

    return origin_slices.summarize_each_origin(judged, _questions_of(judged), cases, summarize)


def wordings_checks(
    judged: pd.DataFrame, cases: pd.DataFrame, least: float = LEAST, *, seed: int
) -> pd.DataFrame:
    """Rows of the table `checks`: one for each origin whose questions were judged in several wordings, with
    an error of `SIGNIFICANCE` over all; one that says why where there is none.

    Raised where the upper bound of R is below `least`, clear where the lower bound reaches it.

    judged : rows of `failing_answer_facts.judge_answers`; cases : the test set; least : share of the
    wordings, of questions that were answered in one, that must be answered rightly, in [0, 1]
    """
    parts = {
        name: rows
        for name, rows in origin_slices.split_by_origin(judged, _questions_of(judged), cases)
        if not np.isnan(diagnose_wordings(rows, seed=seed).figures["robustness"].value)
    }
    if len(parts) < 2:
        parts = {"all": judged}
    level = 1 - SIGNIFICANCE / len(parts)
    found = []
    for origin, rows in parts.items():
        wordings = diagnose_wordings(rows, seed=seed, level=level)
        robust, results = wordings.figures["robustness"], wordings.results
        check = Check("05_robustness", "wordings", origin, NAMES["robustness"], least, LOW)
        if np.isnan(robust.value):
            found.append(check.not_applicable(robust.reason))
        else:
            failed = (results["module"] != "") & (results["kind"] != "gap")
            found.append(check.judge(robust, results.loc[failed, "case_id"].tolist()))
    return checks_frame(found)


def failing_modules(judged: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Of the failing answers to questions that are answered rightly in another wording, the share that each
    module failed: module, value, low, high, n; without a row where none failed so.

    Source: GRAMMAR, section 3.3.
    """
    shares = diagnose_wordings(judged, seed=seed).defect.shares
    rows = [(name, share.value, share.low, share.high, share.n) for name, share in shares.items() if share.n]
    columns = ["module", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[1:], float))


def _questions_of(judged: pd.DataFrame) -> pd.Series:
    """The question of the test set that each row goes back to, by its id."""
    return judged["parent_id"].where(~judged["parent_id"].map(is_blank).astype(bool), judged["case_id"])
