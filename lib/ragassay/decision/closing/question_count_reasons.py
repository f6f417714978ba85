"""Why a retest takes so many questions, in words: for which system the number is planned, or what it
shows."""

from ragassay.decision.gates.questions_needed import LEVEL, fewest_without
from ragassay.stats import clopper_pearson, percent_text

BOUND, THIS_RUN, FEWER_FAIL = "bound", "this run", "fewer than today"


def planned_for(most: float, by: str) -> str:
    """For which system a number is planned: with half the failures tolerated."""
    return f"plan, for a system at {_exact(1 - most / 2 if by == 'low' else most / 2)}"


def _exact(share: float) -> str:
    """A share in percent with the digits that it was computed with."""
    return f"{round(100 * share, 4):g} %"


def why_so_many(n: int, needed: int, level: float = LEVEL, today: float = 0.0) -> str:
    """That many because fewer show nothing, because this run tried more, or because so many show that fewer
    fail than today; and what none failing shows.

    today : the share that failed when it was raised, in [0, 1]
    """
    if n > needed and 0 < today < 1 and n == fewest_without(today):
        return most_that_may_fail(n, level, FEWER_FAIL)
    told = most_that_may_fail(n, level, THIS_RUN if n > needed else BOUND)
    return f"{told}{chance_of_today(today, n)}"


def chance_of_today(today: float, n: int) -> str:
    """How likely a system that fails as often as today's passes all the same, and on how many questions
    without a failure a smaller share would be shown; "" where it hardly passes (1 - `LEVEL`)."""
    passes = (1 - today) ** n
    if not 0 < today < 1 or passes <= 1 - LEVEL:
        return ""
    fewer = f"{fewest_without(today):,} show fewer than today"
    return f"; today's system passes with {percent_text(passes)}, {fewer}"


def most_that_may_fail(n: int, level: float = LEVEL, why: str = BOUND) -> str:
    """Why so many, and the most that may fail where none of so many does; "" where there is no number."""
    return f"{why}: {_most_left(n, level)}" if n else ""


def _most_left(n: int, level: float) -> str:
    return percent_text(clopper_pearson(0, n, level).high, 1)
