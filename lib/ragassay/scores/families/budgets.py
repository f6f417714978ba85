"""Budgets: is the answer short enough and fast enough? (Lesson sections 1.5 and 12)"""

import math
import re

from ragassay.scores.metric import Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

MOST = 1_000_000  # words counted
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’.,-][^\W_]+)*")


def count_words(text: str) -> int:
    """Number of words: `1,250.50`, `don't`, `up-to-date` are one; a Chinese or Japanese sign is one."""
    return sum(1 for _ in _WORD.finditer(text))


def is_within(amount: float, budget: float) -> bool:
    """Whether the amount does not exceed the budget.

    Raises ValueError if the amount is negative or not a number, or the budget is not above 0. Source: Lesson
    section 1, "Budget-aware" (concise; fits token and latency budgets), and section 12 (120 words; latency
    within budget).
    """
    if not (budget > 0 and amount >= 0) or math.isinf(amount):
        raise ValueError(f"a budget is above 0 and an amount at least 0; found {amount:g} against {budget:g}")
    return amount <= budget


def length_within_budget(sample: Sample, tools: Tools, budget: float | None = None) -> Result:
    """1 if the answer has at most so many words, citations apart, else 0; higher is better."""
    words, budget = count_words(sample.uncited), budget or tools.budgets.words
    return float(is_within(words, budget)), [{"words": words, "budget": budget}]


def answer_words(sample: Sample, tools: Tools) -> Result:
    """Number of words of the answer, citations apart, a million at most."""
    return float(min(count_words(sample.uncited), MOST)), []


def latency_within_budget(sample: Sample, tools: Tools, budget: float | None = None) -> Result:
    """1 if the answer came within so many seconds, else 0; higher is better."""
    seconds, budget = sample.latency_s or 0.0, budget or tools.budgets.seconds
    return float(is_within(seconds, budget)), [{"seconds": seconds, "budget": budget}]
