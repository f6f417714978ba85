"""The words and seconds an answer may take, as the engagement says (Lesson sections 1.5 and 12)."""

from dataclasses import dataclass

from ragassay import parameter_ranges
from ragassay.defaults import LATENCY_BUDGET, LENGTH_BUDGET


@dataclass(frozen=True)
class Budgets:
    """Limits of one answer.

    words : the Lesson's section 12 asks for a median of at most 120
    seconds : ours; the Lesson names no figure

    Raises ParameterError if one is outside its range.
    """

    words: int = LENGTH_BUDGET
    seconds: float = LATENCY_BUDGET

    def __post_init__(self) -> None:
        parameter_ranges.check("length_budget", self.words, "in [1, inf)")
        parameter_ranges.check("latency_budget", self.seconds, "in (0, inf)")
