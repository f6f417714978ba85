"""An interval for the difference of two means, from their own intervals."""

from math import hypot, isnan

from ragassay.stats import Interval, not_available


def difference_of_means(inside: Interval, outside: Interval) -> Interval:
    """inside - outside with an interval made of theirs; above 0 when inside is higher.

    Needs nothing but the two intervals, which must come from different clusters; with Wilson's it would be
    Newcombe's method 10. n is that of `inside`.

    Source
    ------
    Zou, Donner (2008), Statistics in Medicine 27, equations 4 and 5; Newcombe (1998), Statistics in Medicine
    17.
    """
    value = inside.value - outside.value
    for side, where in ((inside, "inside"), (outside, "outside")):
        if isnan(side.low):
            return not_available(
                f"{where}: {side.reason or 'no interval'}", value=value, n=inside.n, left_out=inside.left_out
            )
    low = value - hypot(inside.value - inside.low, outside.high - outside.value)
    high = value + hypot(inside.high - inside.value, outside.value - outside.low)
    return Interval(
        value, low, high, inside.n, inside.left_out, inside.reason, "from the two intervals (Zou and Donner)"
    )
