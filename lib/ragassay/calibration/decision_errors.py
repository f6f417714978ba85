"""How often the machine's decisions are wrong, by class, and what is left to people: what conditions of use
rest on. The coverage of prediction sets is no such rate: sets that hold the rater's verdict nine times of ten
hold both verdicts for many answers, and the few that decide may be wrong more often.
"""

import numpy as np
import pandas as pd

from ragassay.calibration.calibration_pipeline import Calibration
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.stats import clopper_pearson

ACCEPT, REJECT, EITHER, REVIEW = "accept", "reject", "accept or reject", "review"
RIGHT = {ACCEPT: 1, REJECT: 0}  # the rater's verdict that makes a decision right
COLUMNS = ["decision", "n", "wrong", "value", "low", "high", "allowed", "alone", "share", "reason"]


def decision_errors(calibration: Calibration, decided: pd.DataFrame) -> pd.DataFrame:
    """The table `decision_errors`: accept, reject, either, and review, a row each.

    n, wrong : held-out labelled answers with that decision, and those whose rater says otherwise; value, low,
        high : the share of wrong ones (Clopper-Pearson, 95 %), lower is better; NaN with a reason where no
        held-out answer was so decided
    alone : whether the machine may take this decision without a person: the upper end is at most `allowed`,
        the error rate of the prediction sets
    share : of the answers that users are like to get (`decided`, of `calibrated_verdicts.like_users`)
    """
    rows = [_row(name, calibration, decided) for name in (ACCEPT, REJECT, EITHER, REVIEW)]
    table = pd.DataFrame(rows, columns=COLUMNS).assign(allowed=calibration.alpha)
    alone = (table["high"] <= calibration.alpha) & table["decision"].isin(RIGHT)
    return table.assign(alone=alone).astype({"n": int, "wrong": int, "alone": bool})


def _row(name: str, calibration: Calibration, decided: pd.DataFrame) -> dict:
    held = calibration.held_out
    own = {EITHER: [ACCEPT, REJECT]}.get(name, [name])
    mine = held[held["decision"].isin(own)]
    judged = mine if name != REVIEW else mine.head(0)
    wrong = int((judged["label"] != judged["decision"].map(RIGHT)).sum())
    found = clopper_pearson(wrong, len(judged))
    reason = (
        "left to people"
        if name == REVIEW
        else calibration.why_not or f"none held out was decided so ({name})"
    )
    nobody = 1.0 if name == REVIEW else np.nan
    return {
        "decision": name,
        "n": len(mine),
        "wrong": wrong,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "share": float(decided["decision"].isin(own).mean()) if len(decided) else nobody,
        "reason": "" if found.n else reason,
    }


def restricted(errors: pd.DataFrame, respects: pd.DataFrame) -> pd.DataFrame:
    """The table with `alone` also asking that the upper end of the share wrong in every respect
    (`respect_errors`) is within the error rate allowed; what raters judged nowhere is left to people.
    """
    whole = respects[respects["respect"] == IN_EVERY_RESPECT].set_index("decision")["high"]
    bound = errors["decision"].map(whole).astype(float)
    return errors.assign(alone=errors["alone"] & (bound <= errors["allowed"]))
