"""Which of the seven failure modes does a scorer find, and how often does it cry wolf?
(GroUSE 4.1, table 6)
"""

import pandas as pd

from ragassay.examination.examine import Examination, share_passed

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
COLUMNS = [
    "mode",
    "what",
    "mark",
    "found",
    "low",
    "high",
    "n",
    "false_alarms",
    "alarm_low",
    "alarm_high",
    "alarm_n",
]


def by_failure_mode(found: Examination) -> pd.DataFrame:
    """One row per failure mode, COLUMNS.

    found : share of the tests with this failure whose mark shows it as it should, n of them
    false_alarms : share of the tests where the same mark should be best, alarm_n of them, that do not get it

    Both with intervals over questions, as the tests of a question share its references
    (`examine.share_passed`); a mark that could not be read finds
    nothing and is an alarm. Tests of unknown type count in `alarm_n` alone. Source: GroUSE 4.1, table 6;
    decision 14 on type 15.
    """
    return pd.DataFrame([_row(found.checks, mode) for mode in MODES], columns=COLUMNS)


def _row(checks: pd.DataFrame, mode: str) -> tuple:
    what, mark = MODES[mode]
    types = [number for number, modes in OF_TYPE.items() if mode in modes]
    of_mark = checks[checks.metric == mark]
    failing, faultless = of_mark[of_mark.type.isin(types)], of_mark[of_mark.condition.isin(BEST)]
    right, passed = share_passed(failing), share_passed(faultless)
    wrong = 1 - passed.value, 1 - passed.high, 1 - passed.low, passed.n
    return mode, what, mark, right.value, right.low, right.high, right.n, *wrong
