"""SelfCheck: does the assistant say the same each time? (GRAMMAR 4.1, after Manakul et al. 2023)

What is made up comes out differently each time; what is known, alike. It needs no reference and no passage:
only further answers to the same question, sampled again or asked for in other words.
"""

from ragassay.scores.metric import ENCODER, SHOWN, Detail, Family, Metric, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.same_answer import find_differences
from ragassay.scores.shared_instruments import Tools


def agrees_with_all(same: list[bool]) -> float:
    """1 if every further answer says the same, else 0; higher is better. ValueError if there is none.

    Source: GRAMMAR 4.1: "correct if it aligns consistently across all stochastic samples".
    """
    return float(all(_some(same)))


def share_agreeing(same: list[bool]) -> float:
    """Share of the further answers that say the same, in [0, 1]; higher is better. ValueError if there is
    none."""
    return sum(_some(same)) / len(same)


def self_check(sample: Sample, tools: Tools) -> Result:
    """SelfCheck's verdict on the answer; one record per further answer."""
    same, detail = _compared(sample, tools)
    return agrees_with_all(same), detail


def self_check_share(sample: Sample, tools: Tools) -> Result:
    """How many of the further answers agree; one record per further answer."""
    same, detail = _compared(sample, tools)
    return share_agreeing(same), detail


def _compared(sample: Sample, tools: Tools) -> tuple[list[bool], Detail]:
    others = sample.other_answers or ()
    if not others:
        raise NotApplicable("there is no further answer to the question")
    pairs = [(sample.answer or "", other) for other in others]
    found = find_differences(pairs, [sample.language] * len(pairs), tools=tools)
    detail = [
        {"text": other[:SHOWN], "score": float(one.same), "why": one.why}
        for other, one in zip(others, found, strict=True)
    ]
    return [one.same for one in found], detail


def _some(same: list[bool]) -> list[bool]:
    if not same:
        raise ValueError("there is no further answer: consistency does not exist")
    return same


_NEEDS = ("answer", "other_answers")

# fmt: off
FAMILY = Family(
    name="self_check",
    source="safety",
    metrics=(
        Metric("self_check", "self_check", _NEEDS, 0, 1, True, ENCODER, self_check, of_content=False,
               on_request=True),
        Metric("self_check_share", "self_check", _NEEDS, 0, 1, True, ENCODER, self_check_share,
               of_content=False, on_request=True),
    ),
)
# fmt: on
