"""Success: the must-pass flags, levels from 1 to 5, and both together (Lesson sections 3.1, 6 and 8).

The Lesson's levels are a judge's. Offline, a level counts how many cut points an instrument reaches; the cut points are ours and not calibrated,
except that four of five for groundedness is the Lesson's gate of 0.90 on the supported claims (section 12).
"""

from collections.abc import Mapping, Sequence

ENOUGH = 4  # least level of success
CUTS: dict[str, tuple[float, float, float, float]] = {
    "groundedness": (0.25, 0.5, 0.9, 1.0),
    "completeness": (0.25, 0.5, 0.75, 1.0),
    "directness": (0.25, 0.5, 0.75, 0.95),
}
POLICIES = ("allow", "forbid")


def level(value: float, cuts: Sequence[float]) -> int:
    """A level from 1 to 5: one more than the cut points that the value reaches; never falls when the value rises.

    Raises
    ------
    ValueError
        If the value is not in [0, 1], or there are not four rising cut points.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"a level is made of a value in [0, 1]; found {value:g}")
    if len(cuts) != 4 or list(cuts) != sorted(set(cuts)):
        raise ValueError(f"a level needs four rising cut points; found {list(cuts)}")
    return 1 + sum(value >= cut - 1e-9 for cut in cuts)


def must_pass(flags: Mapping[str, bool | None]) -> float:
    """1 if every flag that applies holds, else 0; higher is better; None is a flag that does not apply.

    Raises
    ------
    ValueError
        If no flag applies.

    Source
    ------
    Lesson sections 3.1 and 8.
    """
    applied = [flag for flag in flags.values() if flag is not None]
    if not applied:
        raise ValueError("no must-pass flag applies")
    return float(all(applied))


def end_to_end_success(passed: bool, levels: Mapping[str, int | None]) -> float:
    """1 if the must-pass flags hold and every level that applies is at least 4, else 0; higher is better.

    Source: Lesson section 8: `(must_pass all true) AND (groundedness>=4 AND completeness>=4 AND directness>=4)`.
    """
    return float(passed and all(found >= ENOUGH for found in levels.values() if found is not None))


def should_have_abstained(abstained: bool, answerable: bool) -> float:
    """1 if the assistant answered what the documents do not answer, else 0; lower is better.

    Source: Lesson section 3.1, `abstain.should_have_abstained`.
    """
    return float(not abstained and not answerable)


def may_cite(related_information: str) -> bool:
    """Whether a refusal may cite related information: `allow` (GroUSE rewards it; the default) or `forbid` (Lesson section 6; FORMULAS 8).

    Raises ValueError for any other policy.
    """
    if related_information not in POLICIES:
        raise ValueError(
            f"related_information must be one of {', '.join(POLICIES)}; found {related_information!r}"
        )
    return related_information == "allow"
