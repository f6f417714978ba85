"""Whether it depends on its wording if a question is answered rightly, and which module fails then: GRAMMAR's
modular evaluation of the questions of a run that were asked in several wordings."""

import numpy as np
import pandas as pd

from ragassay.analysis import diagnosis, origin_slices, scorecard
from ragassay.analysis.checks import LOW, Check, checks_frame
from ragassay.analysis.diagnosis import QUANTITIES
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


def measure_wordings(judged: pd.DataFrame, *, seed: int, level: float = CONFIDENCE) -> dict[str, Interval]:
    """`diagnosis.measure_groups` of the rows of `failing_answer_facts.judge_answers`; not available where no
    question was answered in several wordings."""
    assigned = _assigned(judged)
    if assigned.empty:
        return dict.fromkeys(QUANTITIES, not_available(NO_GROUP))
    return diagnosis.measure_groups(assigned, rng=np.random.default_rng(seed), level=level)


def summarize_wordings(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the scorecard, wordings_accuracy, wordings_robustness and their like: of all these answers, and
    of the questions of each origin by themselves."""

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        figures = measure_wordings(rows, seed=seed)
        return pd.DataFrame([scorecard.row(NAMES[name], "all", each) for name, each in figures.items()])

    return origin_slices.summarize_each_origin(judged, _questions_of(judged), cases, summarize)


def wordings_checks(judged: pd.DataFrame, cases: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the table `checks`: one for each origin whose questions were judged in several wordings, with
    an error of `SIGNIFICANCE` over all; one that says why where there is none.

    Raised where the upper bound of R is below LEAST, clear where the lower bound reaches it.

    judged : rows of `failing_answer_facts.judge_answers`; cases : the test set
    """
    parts = {
        name: rows
        for name, rows in origin_slices.split_by_origin(judged, _questions_of(judged), cases)
        if measure_wordings(rows, seed=seed)["robustness"].n
    }
    parts = parts if len(parts) > 1 else {"all": judged}
    found = []
    for origin, rows in parts.items():
        robust = measure_wordings(rows, seed=seed, level=1 - SIGNIFICANCE / len(parts))["robustness"]
        check = Check("05_robustness", "wordings", origin, NAMES["robustness"], LEAST, LOW)
        assigned, failed = _assigned(rows), []
        if robust.n:
            failed = assigned.loc[
                (assigned["module"] != "") & (assigned["kind"] != "gap"), "case_id"
            ].tolist()
        found.append(check.judge(robust, failed))
    return checks_frame(found)


def failing_modules(judged: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Of the failing answers to questions that are answered rightly in another wording, the share that each
    module failed: module, value, low, high, n; without a row where none failed so.

    Source: GRAMMAR, section 3.3.
    """
    assigned, rng = _assigned(judged), np.random.default_rng(seed)
    shares = {} if assigned.empty else diagnosis.defective_module(assigned, rng=rng).shares
    rows = [(name, share.value, share.low, share.high, share.n) for name, share in shares.items() if share.n]
    columns = ["module", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[1:], float))


def _assigned(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows of `diagnosis.assign_modules`; empty where no question was answered in several wordings."""
    rows = groups_of(judged)
    return rows if rows.empty else diagnosis.assign_modules(diagnosis.read_results(rows))


def _questions_of(judged: pd.DataFrame) -> pd.Series:
    """The question of the test set that each row goes back to, by its id."""
    return judged["parent_id"].where(~judged["parent_id"].map(is_blank).astype(bool), judged["case_id"])
