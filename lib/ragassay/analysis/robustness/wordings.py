"""Whether it depends on its wording if a question is answered rightly: a check for each origin of the
questions."""

import numpy as np
import pandas as pd

from ragassay.analysis import origin_slices, scorecard_slices
from ragassay.analysis.blame_tables import NAMES, Wordings, diagnose_wordings, questions_of
from ragassay.analysis.checks import LOW, Check, checks_frame
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE

LEAST = 0.8  # share of the wordings, of questions answered rightly in one, that must be


def wordings_checks(
    judged: pd.DataFrame, cases: pd.DataFrame, least: float = LEAST, *, seed: int
) -> pd.DataFrame:
    """Rows of the table `checks`: one for each origin whose questions were judged in several wordings, with
    an error of `SIGNIFICANCE` over all; one that says why where there is none.

    judged : rows of `failing_answer_facts.judge_answers`; cases : the test set; least : share of the
    wordings, of questions that were answered in one, that must be answered rightly, in [0, 1]
    """
    parts = dict(origin_slices.split_by_origin(judged, questions_of(judged), cases))
    tried = {name: rows for name, rows in parts.items() if _is_known(_diagnosed(rows, seed))}
    if len(tried) < 2:
        return checks_frame([check_wordings(_diagnosed(judged, seed), least)])
    level = 1 - SIGNIFICANCE / len(tried)
    return checks_frame(
        [check_wordings(_diagnosed(rows, seed, level), least, name) for name, rows in tried.items()]
    )


def check_wordings(found: Wordings, least: float, origin: str = scorecard_slices.ALL) -> dict:
    """The row of `checks` on questions that are answered in some wordings only: raised where the upper bound
    of R is below `least`, clear where the lower bound reaches it; origin : of the questions."""
    robust = found.figures["robustness"]
    check = Check("05_robustness", "wordings", origin, NAMES["robustness"], least, LOW)
    if np.isnan(robust.value):
        return check.not_applicable(robust.reason)
    failed = found.results.loc[(found.results["module"] != "") & (found.results["kind"] != "gap"), "case_id"]
    return check.judged(robust, failed.tolist())


def failing_modules(judged: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Of the failing answers to questions that are answered rightly in another wording, the share that each
    module failed: module, value, low, high, n; without a row where none failed so.

    Source: GRAMMAR, section 3.3.
    """
    found = _diagnosed(judged, seed)
    shares = {name: share for name, share in found.defect.shares.items() if share.n}
    rows = [(name, share.value, share.low, share.high, share.n) for name, share in shares.items()]
    columns = ["module", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[1:], float))


def _diagnosed(rows: pd.DataFrame, seed: int, level: float = CONFIDENCE) -> Wordings:
    return diagnose_wordings(rows, rng=np.random.default_rng(seed), level=level)


def _is_known(found: Wordings) -> bool:
    return not np.isnan(found.figures["robustness"].value)
