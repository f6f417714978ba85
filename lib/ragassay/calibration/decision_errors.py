"""How often the machine's decisions are wrong, by class, and what is left to people: what conditions of use
rest on. The coverage of prediction sets is no such rate: sets that hold the rater's verdict nine times of ten
hold both verdicts for many answers, and the few that decide may be wrong more often.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ragassay.calibration.calibration_pipeline import Calibration, Uncalibrated
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.stats import clopper_pearson

ACCEPT, REJECT, EITHER, REVIEW = "accept", "reject", "accept or reject", "review"
RIGHT = {ACCEPT: 1, REJECT: 0}  # the rater's verdict that makes a decision right
COLUMNS = [
    "decision", "n", "wrong", "value", "low", "high", "allowed", "alone", "share", "answers_a_week",
    "hours_a_week", "reason",
]  # fmt: skip


def decision_errors(
    calibration: Calibration | Uncalibrated, decided: pd.DataFrame, *, per_week: float, minutes: float
) -> pd.DataFrame:
    """The table `decision_errors`: accept, reject, either, and review, a row each.

    n, wrong : held-out labelled answers with that decision, and those whose rater says otherwise; value, low,
        high : the share of wrong ones (Clopper-Pearson, 95 %), lower is better; NaN with a reason where no
        held-out answer was so decided
    alone : whether the machine may take this decision without a person: the upper end is at most `allowed`,
        the error rate of the prediction sets
    share, answers_a_week, hours_a_week : of the answers that users are like to get (`decided`, of
        `calibrated_verdicts.like_users`), and what people would spend if they read them, at `minutes` each
    """
    rows = [_row(name, calibration, decided) for name in (ACCEPT, REJECT, EITHER, REVIEW)]
    table = pd.DataFrame(rows, columns=COLUMNS).assign(allowed=calibration.alpha)
    answers = table["share"] * per_week
    return table.assign(
        alone=(table["high"] <= calibration.alpha) & table["decision"].isin(RIGHT),
        answers_a_week=answers,
        hours_a_week=answers * minutes / 60,
    ).astype({"n": int, "wrong": int, "alone": bool})


def _row(name: str, calibration: Calibration | Uncalibrated, decided: pd.DataFrame) -> dict:
    held = calibration.held_out
    own = {EITHER: [ACCEPT, REJECT]}.get(name, [name])
    mine = held[held["decision"].isin(own)]
    wrong = (
        int(sum(int(row.label) != RIGHT[row.decision] for row in mine.itertuples())) if name != REVIEW else 0
    )
    found = clopper_pearson(wrong, len(mine) if name != REVIEW else 0)
    none = calibration.why_not or f"no held-out labelled answer was decided so ({name})"
    return {
        "decision": name,
        "n": len(mine),
        "wrong": wrong,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "share": float(decided["decision"].isin(own).mean())
        if len(decided)
        else (np.nan, 1.0)[name == REVIEW],
        "reason": "" if found.n else "left to people" if name == REVIEW else none,
    }


def restricted(errors: pd.DataFrame, respects: pd.DataFrame) -> pd.DataFrame:
    """The table with `alone` also asking that the upper end of the share wrong in every respect
    (`respect_errors`) is within the error rate allowed; what raters judged nowhere is left to people.
    """
    whole = respects[respects["respect"] == IN_EVERY_RESPECT].set_index("decision")["high"]
    bound = errors["decision"].map(whole).astype(float)
    return errors.assign(alone=errors["alone"] & (bound <= errors["allowed"]))


def errors_display_table(errors: pd.DataFrame) -> pd.DataFrame:
    """The table as notebook 07 prints it: what was wrong in words, answers and hours in whole numbers."""
    rows = errors.to_dict("records")
    return pd.DataFrame(
        {
            "decision": errors["decision"],
            "wrong on held-out labels": [_count(row) if is_held_out_decision(row) else "—" for row in rows],
            "share wrong": [_share(row) if is_held_out_decision(row) else row["reason"] for row in rows],
            "the rule alone": ["yes" if row["alone"] else "no" for row in rows],
            "answers a week": [_whole(row["answers_a_week"]) for row in rows],
            "hours to read them": [_whole(row["hours_a_week"]) for row in rows],
        }
    )


def is_held_out_decision(row: Mapping) -> bool:
    """Whether a held-out rated answer was so decided."""
    return bool(row["value"] == row["value"])


def _count(row: Mapping) -> str:
    return f"{row['wrong']} of {row['n']}"


def _share(row: Mapping) -> str:
    return f"{100 * row['value']:.0f} % [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"


def _whole(value: float) -> str:
    return f"{value:,.0f}" if value == value else "—"
