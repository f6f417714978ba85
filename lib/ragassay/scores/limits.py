"""The words and seconds an answer may take, as the engagement says (Lesson sections 1.5 and 12)."""

from dataclasses import dataclass

from ragassay.errors import ParameterError


@dataclass(frozen=True)
class Budgets:
    """Limits of one answer.

    words : the Lesson's section 12 asks for a median of at most 120
    seconds : ours; the Lesson names no figure

    Raises ParameterError if one is not above 0.
    """

    words: int = 120
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if not (self.words > 0 and self.seconds > 0):
            found = f"{self.words} words, {self.seconds} seconds"
            raise ParameterError("a budget is above 0", found=found)
