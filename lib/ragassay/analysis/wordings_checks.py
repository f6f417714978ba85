"""Whether it depends on its wording if a question is answered rightly: a check for each origin of the
questions, and for each figure of wordings whether it is a finding, or why it is none."""

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import origin_slices
from ragassay.analysis.blame_tables import NAMES, Wordings, diagnose_wordings, questions_of
from ragassay.analysis.checks import Check, as_finding, checks_frame
from ragassay.analysis.slicing import scorecard_slices
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.scores.display_names import level_name
from ragassay.stats import percent_text

STEP, CHECK = "05_robustness", "wordings"
OF_EACH = "no: each origin is tested by itself"
WHY_NONE = {  # figures of which none is tested -> why a low one is no finding
    "wordings_accuracy": "no: what changes with the wording is the row on robustness",
    "wordings_gap_share": "no: wrong in the first wording too, counted in [chapter](#quality)",
    "wordings_accuracy_retrieval": "no: part of the row on answers",
    "wordings_robustness_retrieval": "no: tells which module fails",
}
NOTE = (
    f"Finding: R is tested for each origin, with an error of {percent_text(SIGNIFICANCE)} over all. Raters "
    "judged the questions, mostly the instruments their wordings: so the two are no pair, and their "
    "difference is not tested here; that of scores is ([chapter](#robustness)). All origins together: "
    "scorecard.wordings.csv."
)


def wordings_checks(judged: pd.DataFrame, cases: pd.DataFrame, least: float, *, seed: int) -> pd.DataFrame:
    """Rows of the table `checks`: one for each origin whose questions were judged in several wordings, with
    an error of `SIGNIFICANCE` over all; one that says why where there is none.

    judged : rows of `failing_answer_facts.judge_answers`; cases : the test set; least : share of the
    wordings, of questions that were answered in one, that must be answered rightly, in [0, 1]
    """
    parts = dict(origin_slices.rows_of_origins(judged, questions_of(judged), cases))
    tried = {name: rows for name, rows in parts.items() if _is_known(_diagnosed(rows, seed))}
    if len(tried) < 2:
        return checks_frame([check_wordings(_diagnosed(judged, seed), least)])
    level = 1 - SIGNIFICANCE / len(tried)
    return checks_frame(
        [check_wordings(_diagnosed(rows, seed, level), least, name, level) for name, rows in tried.items()]
    )


def check_wordings(
    found: Wordings, least: float, origin: str = scorecard_slices.ALL, level: float = CONFIDENCE
) -> dict:
    """The row of `checks` on questions that are answered in some wordings only: raised where the upper bound
    of R is below `least`, clear where the lower bound reaches it.

    origin : of the questions; level : of the interval in `found`
    """
    parameter_ranges.check("least_wordings", least, "in [0, 1]")
    robust = found.figures["robustness"]
    check = _check(found, least, origin, level)
    if np.isnan(robust.value):
        return check.not_applicable(robust.reason)
    raised = True if robust.high < least else False if robust.low >= least else None
    failed = found.results.loc[(found.results["module"] != "") & (found.results["kind"] != "gap"), "case_id"]
    why = f"{robust.n} wordings do not decide it" if raised is None else ""
    said = _statement(found, origin)
    return check.found(robust, raised=raised, statement=said, case_ids=failed.tolist(), reason=why)


def with_finding(grouped: pd.DataFrame, checked: pd.DataFrame) -> pd.DataFrame:
    """The figures with `finding`: whether each is one, or why it is none.

    grouped : of `blame_tables.summarize_by_origin`; checked : of `wordings_checks`
    """
    told = dict(zip(checked["aspect"], as_finding(checked), strict=True))
    of_slice = {scorecard_slices.ALL: told.get(scorecard_slices.ALL, OF_EACH)}
    of_slice |= {origin_slices.slice_name(scorecard_slices.ALL, name): said for name, said in told.items()
                 if name != scorecard_slices.ALL}  # fmt: skip
    said = [WHY_NONE.get(row.metric) or of_slice.get(row.slice, OF_EACH) for row in grouped.itertuples()]
    return grouped.assign(finding=said)


def rows_to_print(figures: pd.DataFrame) -> pd.DataFrame:
    """The rows that a page shows: of several origins each by itself, without the pool of them."""
    is_pool = figures["slice"] == scorecard_slices.ALL
    return figures if figures["slice"].nunique() < 3 else figures[~is_pool].reset_index(drop=True)


def _diagnosed(rows: pd.DataFrame, seed: int, level: float = CONFIDENCE) -> Wordings:
    return diagnose_wordings(rows, rng=np.random.default_rng(seed), level=level)


def _is_known(found: Wordings) -> bool:
    return not np.isnan(found.figures["robustness"].value)


def _check(found: Wordings, least: float, origin: str, level: float) -> Check:
    return Check(
        STEP,
        CHECK,
        origin,
        NAMES["robustness"],
        f"Of questions answered in some wording, at least {percent_text(least)} of the wordings must be "
        f"answered rightly (bounds of a {percent_text(level, 1)} interval over questions).",
        advice=f"Look first at the module at fault: {found.defect.module.replace('_', ' ')}.",
    )


def _statement(found: Wordings, origin: str) -> str:
    which = "questions" if origin == scorecard_slices.ALL else level_name("origin", origin)
    n = sum(found.kinds.values()) - found.kinds["of_one"]
    return (
        f"{found.kinds['non_robust']} of {n} {which} were answered rightly in some wordings only, "
        f"{found.kinds['gap']} in none; {found.defect.why}."
    )
