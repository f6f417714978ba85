"""What staff of a pilot must be able to do: read an answer, use it where it is good and not where it is bad.

One ceiling rules the start and the end of a pilot: the largest share of the answers that staff use that may
be bad in any respect. Of the answers that raters read a share q was bad and a share m misleads; staff who use
a share g of the good answers and let through a share r of the bad ones use answers of which
q r / (q r + (1 - q) g) are bad. Of misleading ones the worst case counts: what is let through misleads first,
min(m, q r) in place of q r above the line. Both must keep to what the bank states, at the upper ends of q and
m and the lower end of g (Clopper-Pearson, 95 %): that is the largest r, which a test of reading has to show,
with g, before the pilot starts. Each of the four bounds fails in at most 2.5 % of samples, so that all hold
in at least 90 %. The same ceiling is what the stop numbers of the pilot hold the used answers to.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis.error_taxonomy import ASTRAY
from ragassay.decision.pilot import pilot_reading_plans
from ragassay.decision.pilot.pilot_reading_plans import ALL, LEAST_USED, Limits, ReadingPlan
from ragassay.stats import clopper_pearson, percent_text

BAD = ("partial", *ASTRAY)  # a needless refusal is not used, and neither is one that is right


@dataclass(frozen=True)
class Rated:
    """How many answers that assert something raters read, of the worst origin; how many of them they reject,
    and how many of these mislead; and how many answers of that origin they read in all, refusals too."""

    n: int = 0
    bad: int = 0
    misleading: int = 0
    read: int = 0


def rated_answers(taxonomy: pd.DataFrame | None, cases: pd.DataFrame) -> Rated:
    """What raters made of the answers that staff would use, of the origin whose upper end is worst; none read
    where nobody judged.

    taxonomy : case_id, category, judged_by; cases : with answerable, and origin where there are several
    """
    if taxonomy is None or taxonomy.empty:
        return Rated()
    known = taxonomy[taxonomy["judged_by"].isin(["raters", "both"])].merge(cases, on="case_id")
    origins = [part for _, part in known.groupby("origin", sort=True)] if "origin" in known else [known]
    counted = [each for each in map(_counted, origins) if each.n]
    return max(counted, key=lambda each: clopper_pearson(each.bad, each.n).high, default=Rated())


def _counted(known: pd.DataFrame) -> Rated:
    used = known["category"].isin(BAD) | ((known["category"] == "good") & known["answerable"])
    kinds = known.loc[used, "category"]
    return Rated(len(kinds), int(kinds.isin(BAD).sum()), int(kinds.isin(ASTRAY).sum()), len(known))


@dataclass(frozen=True)
class Reading:
    """What a test of reading must show.

    ceiling : the largest share of used answers that may be bad in any respect, in (0, 0.5]; misleading : that
        may mislead, in (0, 0.5], at most the ceiling counts; ParameterError outside; is_key_independent :
        whether the raters are stated to be independent, whose labels are the key of the test
    """

    rated: Rated
    ceiling: float = 0.1
    misleading: float = 0.05
    is_key_independent: bool = True

    def __post_init__(self) -> None:
        parameter_ranges.check("pilot_ceiling", self.ceiling, "in (0, 0.5]")

    @property
    def bad(self) -> float:
        """The upper end of the share of bad answers, in [0, 1]; 1 where nobody read any."""
        return clopper_pearson(self.rated.bad, self.rated.n).high if self.rated.n else 1.0

    @property
    def tolerated(self) -> float:
        """The largest share of used answers that may mislead: never above the ceiling."""
        return min(self.misleading, self.ceiling)

    @property
    def mislead(self) -> float:
        """The upper end of the share of misleading answers, in [0, 1], at most that of bad ones."""
        found = clopper_pearson(self.rated.misleading, self.rated.n).high if self.rated.n else 1.0
        return min(found, self.bad)

    @property
    def through_each(self) -> tuple[float, float]:
        """The largest share of bad answers that staff may let through, in [0, 1], for the ceiling of bad
        answers and for what is tolerated of misleading ones."""
        return (
            most_let_through(self.bad, self.bad, self.ceiling, LEAST_USED),
            most_let_through(self.bad, self.mislead, self.tolerated, LEAST_USED),
        )

    @property
    def most_through(self) -> float:
        """The smaller of both."""
        return min(self.through_each)

    @property
    def used_by_good(self) -> tuple[float, float]:
        """The shares of bad and of misleading answers among those that good staff use, in [0, 1], who make
        half of either failure tolerated, where what is let through misleads first; 0 where none is used."""
        through = self.bad * self.most_through / 2
        used = through + (1 - self.bad) * (1 - (1 - LEAST_USED) / 2)
        return (through / used, min(self.mislead, through) / used) if used else (0.0, 0.0)

    @property
    def share_used_by_good(self) -> float:
        """The share of all answers read that good staff use, in [0, 1], as raters found them: of those that
        assert something, as many as they let through of the bad and do not turn down of the good; 1 where
        nobody read any."""
        rated = self.rated
        if not rated.n:
            return 1.0
        used = rated.bad * self.most_through / 2 + (rated.n - rated.bad) * (1 - (1 - LEAST_USED) / 2)
        return used / max(rated.read, rated.n)

    @property
    def used_at_limit(self) -> float:
        """The share of bad answers among those used by staff who are just at the limits, in [0, 1]; 0 where
        none is used."""
        through = self.bad * self.most_through
        used = through + (1 - self.bad) * LEAST_USED
        return through / used if used else 0.0

    def in_words(self) -> str:
        """From what the share that staff may let through follows, with every number that it takes; "" where
        nobody read any."""
        if not self.rated.n:
            return ""
        of_bad, of_misleading = (percent_text(share, 1) for share in self.through_each)
        return (
            f"Of {self.rated.n} answers that assert something, of the origin that is worst, raters rejected "
            f"{self.rated.bad}: up to q = {percent_text(self.bad, 1)} (upper end). {self.rated.misleading} "
            "of these count as misleading (misleading, unsafe, or given where declining was right): up to m "
            f"= {percent_text(self.mislead, 1)}. Staff who let through a share r of the bad answers and use "
            f"a share g of the good ones, at least {percent_text(LEAST_USED)} (lower end), use bad answers "
            "in a share of q·r / (q·r + (1 − q)·g). In the worst case what is let through misleads, as far "
            f"as m goes. At most {percent_text(self.ceiling)} are bad for r up to {of_bad}, and at most "
            f"{percent_text(self.tolerated)} mislead for r up to {of_misleading}; the smaller counts."
        )

    @cached_property
    def limits(self) -> Limits:
        """What staff may do at most."""
        return Limits(self.most_through)

    @cached_property
    def shortest(self) -> ReadingPlan | None:
        """The smallest test that shows it at all, of no more bad answers than raters read answers."""
        return pilot_reading_plans.shortest(self.limits, self.rated.n)

    @cached_property
    def plans(self) -> list[ReadingPlan]:
        """The tests that are offered, however many answers have to be added: good staff pass each with a
        chance of at least `POWER`; none where even the shortest takes more than raters read."""
        return pilot_reading_plans.offered(self.limits) if self.shortest else []

    @property
    def is_possible(self) -> bool:
        """Whether raters read answers, and a test of no more than they read shows it, or none is needed."""
        return bool(self.rated.n and (self.most_through >= ALL or self.plans))

    def why_not(self) -> str:
        """Why no test of reading can be held; "" where one can."""
        if self.is_possible:
            return ""
        if not self.rated.n:
            return "raters read no answer, so that nothing says how many bad ones staff must find"
        return (
            f"raters reject {self.rated.bad} of {self.rated.n} answers that assert something; for "
            f"{percent_text(self.ceiling)} bad ones at most among those used, staff may let through "
            f"{percent_text(self.most_through, 1)} of them, which a test of {self.rated.n} cannot show"
        )


def most_let_through(bad: float, harmful: float, tolerated: float, used: float = ALL) -> float:
    """The largest share r of bad answers that staff may let through, in [0, 1], so that at most `tolerated`
    of the used ones are harmful where harmful ones get through first: r = t (1 - q) g / ((1 - t) q), and 1
    where they are too few to reach the share.

    bad, harmful : q and m, shares of the answers, m <= q; used : g, the share of good answers that are used
    """
    good = (1 - bad) * used
    if harmful <= tolerated * (harmful + good):
        return 1.0
    return tolerated * good / ((1 - tolerated) * bad)


def tolerated_misleading(tolerated_errors: Mapping[str, float]) -> float:
    """What the bank tolerates of misleading answers; 5 % where it says nothing."""
    return float(tolerated_errors.get("misleading", Reading.misleading))
