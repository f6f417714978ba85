"""How many new questions the start of a pilot takes: so many that they give the rejected and the accepted
answers that the test of reading lacks with a chance of `POWER`, and one more for each refusal that the test
of a control lacks, shown as refused whatever the assistant replies."""

from bisect import bisect_left
from math import ceil, nan
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from ragassay.decision.pilot.pilot_staff_reading_test import Rated
from ragassay.defaults import POWER

NEVER = 1e-12  # counts that are rarer are left out of the sum


class NewQuestions(NamedTuple):
    """How many questions the answers take, how many of their answers assert something, as expected, and how
    many more are shown as refused; NaN where raters found one kind alone."""

    of_answers: float = 0
    asserting: float = 0
    refused: float = 0

    @property
    def all(self) -> float:
        """All of them."""
        return self.of_answers + self.refused


NONE = NewQuestions()


def new_questions(rated: Rated, bad: int, good: int, refusals: int) -> NewQuestions:
    """The questions that give so many rejected and accepted answers, and refusals, where answers fall out as
    raters found them.

    bad, good, refusals : that are missing; 0 or less where none is
    """
    read = max(rated.read, rated.n)
    if max(bad, good) <= 0:
        return NewQuestions(refused=max(0, refusals))
    if not 0 < rated.bad < rated.n:
        return NewQuestions(nan, nan, nan)
    on_average = max(bad * read / rated.bad, good * read / (rated.n - rated.bad))
    sizes = range(ceil(4 * on_average) + 1)  # the rarest, one of a kind, are met with 80 % in 1.6 of these
    asked = bisect_left(sizes, POWER, key=lambda n: chance_of_enough(n, rated, bad, good))
    given = int(binom.ppf(1 - POWER, asked, 1 - rated.n / read))
    return NewQuestions(asked, ceil(asked * rated.n / read), max(0, refusals - given))


def chance_of_enough(asked: int, rated: Rated, bad: int, good: int) -> float:
    """The chance, in [0, 1], that the answers to so many questions hold so many rejected and accepted ones:
    trinomial, at the shares that raters found."""
    read = max(rated.read, rated.n)
    least, most = binom.ppf([NEVER, 1 - NEVER], asked, rated.bad / read)
    rejected = np.arange(max(bad, int(least), 0), int(most) + 1)
    of_others = (rated.n - rated.bad) / (read - rated.bad)
    return float(
        np.sum(binom.pmf(rejected, asked, rated.bad / read) * binom.sf(good - 1, asked - rejected, of_others))
    )
