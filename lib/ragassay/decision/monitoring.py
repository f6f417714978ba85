"""The monitoring plan after release: each measure with its baseline, a sample, and the count of bad answers
from which on an alarm is raised (exact binomial bound).

The baseline is the largest share of bad answers that a fit system may have: what a gate's threshold leaves,
or what is tolerated of a kind of error; never what was measured. The alarm is the smallest count that is
reached with probability at most CHANCE at the baseline; the sample the smallest that notices RISE with
probability `defaults.POWER`.
"""

import numpy as np
import pandas as pd
import scipy

from ragassay.analysis import case_scores
from ragassay.analysis.checks import RAISED
from ragassay.cases.case_table import OUTSIDE, PROBE, VARIATION
from ragassay.decision.gates import rated_by_people, worst_rows
from ragassay.defaults import POWER
from ragassay.scores.display_names import display_name

CHANCE, RISE = 0.05, 0.15
MOST_MEASURES = 7
MOST = 5_000  # answers beyond which no sample is planned
EVERY = {"high": "monthly", "medium": "quarterly", "low": "every six months", "unstated": "quarterly"}
RATERS, MACHINE, ASKED_ANEW = "raters", "machine, every answer", "questions asked anew"
# checks of which a case is seen in use: their order in the plan, and by whom
SEEN = {"staff_only": (1, MACHINE), "superseded": (1, MACHINE), "misuse": (3, RATERS)}
COLUMNS = "measure rule baseline sample alarm_from frequency who".split()


def smallest_sample(baseline: float, worse: float) -> tuple[int, int]:
    """The smallest sample, in steps of 5 answers, that notices the worse share with the probability POWER, of
    MOST answers where none does; and from which count an alarm is raised, the smallest that is reached with
    probability at most CHANCE where a share `baseline` is bad.

    Raises
    ------
    ValueError
        If the worse share is not above the baseline, or one of them not in [0, 1].
    """
    if not 0 <= baseline < worse <= 1:
        raise ValueError(f"the share to notice must lie above the baseline; found {baseline=}, {worse=}")
    sizes = np.arange(5, MOST + 1, 5)
    limits = scipy.stats.binom.isf(CHANCE, sizes, baseline) + 1
    notices = scipy.stats.binom.sf(limits - 1, sizes, worse) >= POWER
    at = int(np.argmax(notices)) if notices.any() else -1
    return int(sizes[at]), int(limits[at])


def monitoring_plan(
    gates: pd.DataFrame, errors: pd.DataFrame, checks: pd.DataFrame, tier: str
) -> pd.DataFrame:
    """At most MOST_MEASURES rows, COLUMNS, in this order: kinds of error, by what is tolerated of each;
    raised checks that a machine sees in use; gates on a share that raters read, the clearest failure
    first, by the worst of their origins; the check of the permitted use; other gates on a share, critical
    ones first. Gates passed by design are left out. Where nothing is tolerated one bad answer that raters
    or a machine see is an alarm. A measure names what is bad.

    gates : of `gates.evaluate`; errors : of `error_rates`; tier : high, medium, low or unstated

    Example: `monitoring_plan(judged, errors, run.read("checks"), "high")[["measure", "alarm_from"]]`
    """
    rows = [
        ((0, 0), "error", kind, share, RATERS)
        for kind, share in zip(errors["kind"], errors["threshold"], strict=True)
    ]
    raised = checks[(checks["outcome"] == RAISED) & checks["check"].isin(SEEN)].drop_duplicates("check")
    rows += [
        ((SEEN[check][0], 0), "check", display_name(metric), limit, SEEN[check][1])
        for check, metric, limit in raised[["check", "metric", "limit"]].itertuples(index=False)
    ]
    worst = worst_rows(gates)
    for row in worst[~worst["by_design"].astype(bool)].to_dict("records"):
        if case_scores.is_share(row["metric"]):
            is_rated, is_low = rated_by_people(row["metric"]), row["bound"] == "low"
            bad = 1 - row["threshold"] if is_low else row["threshold"]
            named = ("not " if is_rated else "failures: ") * is_low + display_name(row["gate"])
            is_asked = is_low or row["origin"] in (PROBE, OUTSIDE, VARIATION)
            who = RATERS if is_rated else ASKED_ANEW if is_asked else MACHINE
            margin = (row["low"] - row["threshold"]) if is_low else (row["threshold"] - row["high"])
            order = 2 if is_rated else 4 if row["critical"] else 5
            rows.append(((order, margin), "gate", named, bad, who))
    planned = []
    for _, rule, measure, baseline, who in sorted(rows, key=lambda row: row[0]):
        share = round(baseline, 9)
        found = (0, 1)
        if 0 < share <= 1 - RISE and who != MACHINE:
            found = smallest_sample(share, share + RISE)
        planned.append((measure, rule, share, *found, "continuously" if who == MACHINE else EVERY[tier], who))
    plan = pd.DataFrame(planned, columns=COLUMNS).head(MOST_MEASURES)
    plan.loc[(plan["who"] == RATERS) & (plan["sample"] == 0), "sample"] = plan["sample"].max()
    return plan.astype({"sample": int})
