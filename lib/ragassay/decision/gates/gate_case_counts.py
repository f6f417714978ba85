"""Whether a slice has cases enough for its gate to be judged, and how many it needs."""

from collections.abc import Mapping

from ragassay.stats import trials_for_bound


def meets(bound: str, threshold: float, value: float) -> bool:
    """Whether a value meets a gate's threshold: at least, where it acts on the low bound, else at most."""
    return bool(value >= threshold if bound == "low" else value <= threshold)


def cases_needed(bound: str, threshold: float, measured: Mapping) -> int:
    """How many cases the gate needs, where those there are could not have passed it, whatever they had shown;
    else 0, and where the favourable bound misses too: that more cases would pass is then not to be expected.
    """
    favourable, needed = measured["high" if bound == "low" else "low"], fewest_cases(bound, threshold)
    too_few = measured["n"] < needed or favourable == measured["value"]  # or none of them fell short
    return needed if too_few and meets(bound, threshold, favourable) else 0


def fewest_cases(bound: str, threshold: float) -> int:
    """Fewest independent cases of a share that could pass the gate, none falling short (Clopper-Pearson,
    two-sided 95 %): 17 at `low >= 0.80`; 0 where the threshold lies outside (0, 1)."""
    best = threshold if bound == "low" else 1 - threshold
    return trials_for_bound(1 - best) if 0 < best < 1 else 0
