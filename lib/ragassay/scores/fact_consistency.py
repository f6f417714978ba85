"""Whether the facts that an answer states stand in the question or the passages:
a part of the hybrid assessment (Hybrid 2.1 c).
"""

from functools import lru_cache, partial

from ragassay.scores import facts
from ragassay.scores.facts import NUMBER, PLACE, TIME
from ragassay.scores.hybrid_parts import LISTED, NAMES, REMEMBERED, mean_of_parts, with_entities
from ragassay.scores.metric import NO_MODEL, SHOWN, Metric, NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def facts_consistency(sample: Sample, tools: Tools, kind: str = "") -> Result:
    """Facts of the answer that stand in the question or the contexts, of one kind;
    without a kind, the mean over the kinds that it states.
    """
    texts = sample.answer_sentences
    named = (
        with_entities(texts, tools) if kind in ("", facts.PLACE) else tuple((one.text, ()) for one in texts)
    )
    stated = [fact for text, names in named for fact in facts.find(text, names) if kind in ("", fact.kind)]
    if not stated:
        raise NotApplicable(f"the answer states no {kind or 'fact: no number, place, date or time'}")
    source = _source((*(one.text for one in sample.question_sentences), *(sample.contexts or ())))
    held = [(fact, facts.held(fact, source)) for fact in stated]
    shares = [
        facts.consistency(some)
        for one in facts.KINDS
        if (some := [found for fact, found in held if fact.kind == one])
    ]
    missing_first = sorted(held, key=lambda pair: pair[1])
    return mean_of_parts(shares), [
        {"kind": fact.kind, "text": fact.text.strip()[:SHOWN], "score": float(found)}
        for fact, found in missing_first[:LISTED]
    ]


@lru_cache(REMEMBERED)
def _source(texts: tuple[str, ...]) -> facts.Source:
    return facts.Source(texts)


_AQC, _AC = ("answer", "question", "contexts"), ("answer", "contexts")

# fmt: off
ROWS: tuple[Metric, ...] = (
    Metric("facts_consistency", "hybrid", _AC, 0, 1, True, "Hybrid 2.1 c", NAMES,
           "share of the answer's numbers, places, dates and times that stand in question or passages",
           "Mean over the kinds of fact stated (number, place, time) of the share held. Units must "
           "agree where both sides have one.",
           facts_consistency),
    Metric("numeric_consistency", "hybrid", _AC, 0, 1, True, "Hybrid 2.1 c (numerical)", NO_MODEL,
           "share of the answer's numbers that stand in question or passages",
           "|held| / |stated|; one spelling for 1,250.50 and 1.250,50; $, % and spans of time must "
           "agree where both sides have one.",
           partial(facts_consistency, kind=NUMBER)),
    Metric("place_consistency", "hybrid", _AC, 0, 1, True, "Hybrid 2.1 c (location)", NAMES,
           "share of the answer's places that stand in question or passages",
           "|held| / |stated|; places and addresses found by the model, and countries of our list under "
           "any of their names.",
           partial(facts_consistency, kind=PLACE)),
    Metric("time_consistency", "hybrid", _AC, 0, 1, True, "Hybrid 2.1 c (temporal)", NO_MODEL,
           "share of the answer's dates and times that stand in question or passages",
           "|held| / |stated|; a date is held by a fuller one: March 2024, Q1 2024 and Tuesday by 12 "
           "March 2024.",
           partial(facts_consistency, kind=TIME)),
)
# fmt: on
