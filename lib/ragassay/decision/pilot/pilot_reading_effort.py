"""What the shortest test of reading offered takes: new questions, answers to rate, readings of staff."""

from math import ceil

from ragassay.decision.pilot.pilot_staff_reading_test import Reading

TAKES = (
    " Its first row takes {more:,} more answers that assert something, of about {questions:,} new questions "
    "(of {read} answers read {n} assert something, {bad} of them rejected); {rate:,} ratings by each rater, "
    "{rate_hours:,.0f} hours{anew}; and {readings:,} readings by staff together, {read_hours:,.0f} hours "
    "({minutes:g} minutes each). The second attempt, on new answers alone, takes {second:,} of them."
)
ANEW = " (with the {n} at hand, anew)"
UNKNOWN = " How many questions it takes is not known: of one of the two kinds raters found none."


def in_words(reading: Reading, minutes: float) -> str:
    """What the first test offered takes, as sentences; "" where none is offered.

    minutes : to read or rate one answer
    """
    if not reading.plans:
        return ""
    rated, shown = reading.rated, reading.plans[0].shown
    good = rated.n - rated.bad
    if not min(rated.bad, good):
        return UNKNOWN
    more = to_assert(shown - rated.bad, shown - good, reading)
    rate = more + (0 if reading.is_key_independent else rated.n)
    return TAKES.format(
        more=more,
        questions=ceil(more * max(rated.read, rated.n) / rated.n),
        read=max(rated.read, rated.n),
        n=rated.n,
        bad=rated.bad,
        rate=rate,
        rate_hours=rate * minutes / 60,
        anew="" if reading.is_key_independent else ANEW.format(n=rated.n),
        readings=2 * shown,
        read_hours=2 * shown * minutes / 60,
        minutes=minutes,
        second=to_assert(shown, shown, reading),
    )


def to_assert(bad: int, good: int, reading: Reading) -> int:
    """How many answers that assert something hold so many rejected and accepted ones, at the share that
    raters rejected; 0 where none is missing."""
    rated = reading.rated
    needed = (bad * rated.n / rated.bad, good * rated.n / (rated.n - rated.bad))
    return max(0, ceil(max(needed)))
