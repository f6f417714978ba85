"""Budgets: is the answer short enough and fast enough? (Lesson sections 1.5 and 12)"""

import math
import re

from ragassay.scores.answer_limits import Budgets
from ragassay.scores.metric import NO_MODEL, Family, Metric, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

WORDS, SECONDS = Budgets().words, Budgets().seconds
MOST = 1_000_000  # words counted
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’.,-][^\W_]+)*")


def count_words(text: str) -> int:
    """Number of words: `1,250.50`, `don't`, `up-to-date` are one; a Chinese or Japanese sign is one."""
    return sum(1 for _ in _WORD.finditer(text))


def is_within(amount: float, budget: float) -> bool:
    """Whether the amount does not exceed the budget.

    Raises
    ------
    ValueError
        If the amount is negative or not a number, or the budget is not above 0.

    Source
    ------
    Lesson section 1, "Budget-aware" (concise; fits token and latency budgets), and section 12 (120 words;
    latency within budget).
    """
    if not (budget > 0 and amount >= 0) or math.isinf(amount):
        raise ValueError(f"a budget is above 0 and an amount at least 0; found {amount:g} against {budget:g}")
    return amount <= budget


def length_within_budget(sample: Sample, tools: Tools, budget: int | None = None) -> Result:
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


# fmt: off
FAMILY = Family(
    name="budgets",
    source="Lesson",
    metrics=(
        Metric("length_within_budget", "budgets", ("answer",), 0, 1, True, "Lesson 1.5 and 12", NO_MODEL,
               "1 if the answer has at most as many words as its budget",
               f"words <= budget, {WORDS} unless notebook 02 says otherwise, citations apart; the Lesson's "
               "gate is on the median of answers, which notebook 02 shows.",
               length_within_budget, of_content=False, grades_quality=False,
               display="within the length budget"),
        Metric("answer_words", "budgets", ("answer",), 0, 1_000_000, False, "Lesson 1.5 and 12", NO_MODEL,
               "number of words of the answer",
               "Runs of letters and digits, citations apart; a Chinese, Japanese or Korean sign is a word; "
               "counted to a million. "
               "Shorter is better only among good answers.",
               answer_words, of_content=False, grades_quality=False, display="length in words"),
        Metric("latency_within_budget", "budgets", ("latency_s",), 0, 1, True, "Lesson 1.5 and 12", NO_MODEL,
               "1 if the answer came within its budget of seconds",
               f"latency_s <= budget, {SECONDS:g} unless notebook 02 says otherwise, as the assistant "
               "reports it; the Lesson names no figure, this one is ours.",
               latency_within_budget, of_content=False, grades_quality=False,
               display="within the time budget"),
    ),
)
# fmt: on
