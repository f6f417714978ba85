"""Budgets: is the answer short enough and fast enough? (Lesson sections 1.5 and 12)"""

import math
import re

WORDS = 120  # Lesson section 12: median answer length of at most 120 words
SECONDS = 10.0  # ours: the Lesson names no figure
MOST = 1_000_000  # words counted
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’.,-][^\W_]+)*")


def words(text: str) -> int:
    """Number of words: runs of letters and digits; `1,250.50`, `don't`, `up-to-date` are one; a Chinese, Japanese or Korean sign is one."""
    return sum(1 for _ in _WORD.finditer(text))


def within(amount: float, budget: float) -> float:
    """1 if the amount does not exceed the budget, else 0; higher is better.

    Raises
    ------
    ValueError
        If the amount is negative or not a number, or the budget is not above 0.

    Source
    ------
    Lesson section 1, "Budget-aware" (concise; fits token and latency budgets), and section 12 (120 words; latency within budget).
    """
    if not (budget > 0 and amount >= 0) or math.isinf(amount):
        raise ValueError(f"a budget is above 0 and an amount at least 0; found {amount:g} against {budget:g}")
    return float(amount <= budget)
