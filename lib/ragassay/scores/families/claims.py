"""Claims: what an answer asserts, and whether the passages hold each piece (Lesson 3.1 and 4.2); its numbers;
and how much of its support goes without the reference passages (Lesson 13.2).

Three tiers, from the strictest: the claim stands in the passages word for word; its numbers, dates and names
all do; they entail it. The tiers make one verdict: `supported` if contained, or if it is entailed and lacks
no fact; `partial` if only the facts or only entailment holds (decision 7).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ragassay.models import entailment_thresholds
from ragassay.scores.families import inference
from ragassay.scores.families.similarity import similarity
from ragassay.scores.metric import SHOWN, Detail, NotApplicable, Result
from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import stated_numbers
from ragassay.scores.numbers.number_tracing import GIVEN, trace_numbers
from ragassay.scores.numbers.stated_amounts import stated_amounts
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import claim_text
from ragassay.scores.text_reading.claim_text import Evidence, read_evidence

SUPPORTED, PARTIAL, UNSUPPORTED = "supported", "partial", "unsupported"
LISTED = 50  # numbers listed as evidence, the least borne out first


class Judged(NamedTuple):
    """Probability that a claim is entailed (None if not asked), its premise, where its sentences stand."""

    probability: float | None
    premise: str
    places: list[int]


def verdict(is_contained: bool, is_complete: bool | None, is_entailed: bool) -> str:
    """`supported`, `partial` or `unsupported` (Lesson section 3.1).

    A missing fact is never outvoted, entailment decides the rest (4.2).
    is_complete : whether every fact of the claim was found; None for a claim without numbers, dates and names
    """
    if is_contained or (is_entailed and is_complete is not False):
        return SUPPORTED
    return PARTIAL if is_entailed or is_complete else UNSUPPORTED


def share_supported(supported: Sequence[bool]) -> float:
    """Share of the claims that are supported, in [0, 1]; higher is better; a partial claim counts nothing.

    Raises ValueError if there is no claim, where the Lesson's code returns 0. Source: Lesson section 4.2;
    tiers as in decision 7.
    """
    if len(supported) == 0:
        raise ValueError("no claim to support")
    return sum(supported) / len(supported)


def supported_claims_rate(sample: Sample, tools: Tools) -> Result:
    """Share of the claims that the three tiers together call supported, in [0, 1]; higher is better.

    Of a claim that stands in the passages word for word entailment decides nothing and is not asked: None.
    """
    said, evidence = claims_of(sample), read_evidence(sample.contexts or ())
    held = {text for text in said if claim_text.contained(text, evidence)}
    known, judged = names_in(said, tools), judge_entailment(sample, said, tools, held)
    records = []
    for text, names, one, passages in zip(
        said, known, judged, supporting_passages(sample, said, judged, tools), strict=True
    ):
        missing = missing_facts(text, names, evidence)
        complete = None if missing is None else not missing
        entailed = None if one.probability is None else one.probability >= least_entailment()
        decided = verdict(entailed is None, complete, bool(entailed))
        records.append(
            {
                "text": text[:SHOWN],
                "score": float(decided == SUPPORTED),
                "verdict": decided,
                "contained": entailed is None,
                "facts": complete,
                "entailed": entailed,
                "missing": missing or [],
                "entailment": one.probability,
                "evidence": one.premise[:SHOWN],
                "supported_by": passages,
            }
        )
    return share_supported([bool(record["score"]) for record in records]), records


def supported_claims_contained(sample: Sample, tools: Tools) -> Result:
    """Claims that stand in the passages word for word."""
    evidence = read_evidence(sample.contexts or ())
    found = [(text, claim_text.contained(text, evidence)) for text in claims_of(sample)]
    detail = [{"text": text[:SHOWN], "score": float(met)} for text, met in found]
    return share_supported([met for _, met in found]), detail


def supported_claims_facts(sample: Sample, tools: Tools) -> Result:
    """Claims with numbers, dates or names that all stand in the passages; claims without any are left out."""
    said, evidence = claims_of(sample), read_evidence(sample.contexts or ())
    detail = []
    for text, names in zip(said, names_in(said, tools), strict=True):
        missing = missing_facts(text, names, evidence)
        if missing is not None:
            detail.append({"text": text[:SHOWN], "score": float(not missing), "missing": missing})
    if not detail:
        raise NotApplicable("no claim of the answer has a number, a date or a name")
    return share_supported([not record["missing"] for record in detail]), detail


def supported_claims_entailed(sample: Sample, tools: Tools) -> Result:
    """Claims entailed by the passages' sentences nearest to them."""
    said = claims_of(sample)
    judged = judge_entailment(sample, said, tools)
    sources = supporting_passages(sample, said, judged, tools)
    detail = [
        {
            "text": text[:SHOWN],
            "score": float(one.probability is not None and one.probability >= least_entailment()),
            "entailment": one.probability,
            "evidence": one.premise[:SHOWN],
            "supported_by": passages,
        }
        for text, one, passages in zip(said, judged, sources, strict=True)
    ]
    return share_supported([bool(record["score"]) for record in detail]), detail


def supported_share(sample: Sample, tools: Tools) -> Result:
    """`supported_claims_rate` without its evidence: entailment is asked of those claims alone that it
    decides, which do not stand in the passages word for word and lack no fact."""
    said, evidence = claims_of(sample), read_evidence(sample.contexts or ())
    rest = [text for text in said if not claim_text.contained(text, evidence)]
    known = zip(rest, names_in(rest, tools), strict=True)
    complete = [text for text, names in known if not missing_facts(text, names, evidence)]
    judged = judge_entailment(sample, complete, tools)
    entailed = sum((one.probability or 0) >= least_entailment() for one in judged)
    return (len(said) - len(rest) + entailed) / len(said), []


def no_hallucinated_entities(sample: Sample, tools: Tools) -> Result:
    """1 if every name and address of the answer stands in the passages or the question, else 0."""
    texts = [sentence.text for sentence in sample.answer_sentences]
    evidence = _with_question(sample)
    kinds = {entity.text: entity.kind for entities in tools.entities(texts) for entity in entities}
    detail = [
        {"text": text[:SHOWN], "kind": kind, "score": float(claim_text.is_name_in_passages(text, evidence))}
        for text, kind in kinds.items()
    ]
    return float(all(record["score"] for record in detail)), detail


def fabricated_facts(sample: Sample, tools: Tools) -> list[str]:
    """Numbers, dates and names of the answer that stand neither in the passages nor in the question."""
    evidence = _with_question(sample)
    texts = [sentence.text for sentence in sample.answer_sentences]
    known = zip(texts, names_in(texts, tools), strict=True)
    return sorted({fact for text, names in known for fact in claim_text.missing(text, names, evidence)})


def numeric_groundedness(sample: Sample, tools: Tools) -> Result:
    """How far the passages bear out the answer's numbers, each for what it is said of: their mean, in [0, 1];
    higher is better. Numbers that the question gives, years and dates do not count."""
    stated = stated_amounts(sample.contexts or ())
    has_ids = len(sample.context_ids or ()) == len(sample.contexts or ())
    scores: list[float] = []
    detail: Detail = []
    for sentence in sample.answer_sentences:
        for one in trace_numbers(sentence.text, stated, sample.question or ""):
            if one.verdict == GIVEN:
                continue
            scores.append(one.score)
            detail.append(
                {
                    "text": one.text,
                    "score": round(one.score, 6),
                    "verdict": one.verdict,
                    "found": one.found[:SHOWN],
                    "row": one.item[:SHOWN],
                    "column": one.column[:SHOWN],
                    "derivation": one.step,
                    "evidence_id": sample.ids[one.passage] if has_ids and one.passage is not None else None,
                    "sentence": sentence.text[:SHOWN],
                }
            )
    if not detail:
        raise NotApplicable("the answer states no number but the question's, years and dates")
    detail.sort(key=lambda record: record["score"])
    return float(np.mean(scores)), detail[:LISTED]


def attribution(sample: Sample, tools: Tools, of: str) -> Result:
    """What groundedness loses without the reference passages, in [0, 2], or the rate of supported claims, in
    [-1, 1]; higher means that the answer rests on them more; below 0 where a passage only misled.

    Source: Lesson section 13, exercise 2.
    """
    rest, measure = without_reference(sample), ATTRIBUTED[of]
    whole, without = measure(sample, tools)[0], measure(rest, tools)[0]
    if np.isnan([whole, without]).any():
        raise ValueError("a score is undefined: its drop does not exist")
    taken = [one for one in sample.ids if one not in rest.ids]
    return whole - without, [{"with": round(whole, 6), "without": round(without, 6), "taken": taken}]


ATTRIBUTED: dict[str, Callable[[Sample, Tools], Result]] = {
    "groundedness": lambda sample, tools: similarity(sample, tools, these="answer", those="contexts"),
    "supported_claims_rate": supported_claims_rate,
}


def without_reference(sample: Sample) -> Sample:
    """The sample without the reference passages that were retrieved.

    Raises NotApplicable if none of them was retrieved, or nothing else was.
    """
    reference = set(sample.reference_chunk_ids or ())
    kept = [i for i, one in enumerate(sample.ids) if one not in reference]
    if len(kept) == len(sample.ids):
        raise NotApplicable("no reference passage was retrieved: there is none to take away")
    if not kept:
        raise NotApplicable("only reference passages were retrieved: nothing is left without them")
    contexts, ids = sample.contexts or (), sample.ids
    return replace(sample, contexts=tuple(contexts[i] for i in kept), context_ids=tuple(ids[i] for i in kept))


def least_entailment() -> float:
    """The calibrated probability from which a claim counts as entailed."""
    return entailment_thresholds.threshold("claims")


def names_in(texts: Sequence[str], tools: Tools) -> list[list[str]]:
    """The names recognised in each text."""
    return [[entity.text for entity in entities] for entities in tools.entities(texts)]


def claims_of(sample: Sample) -> list[str]:
    """The answer's claims; NotApplicable if it makes none."""
    said = claim_text.cut([sentence.text for sentence in sample.answer_sentences])
    if not said:
        raise NotApplicable("the answer claims nothing")
    return said


def missing_facts(text: str, known: Sequence[str], evidence: Evidence) -> list[str] | None:
    """The facts that are missing; None for a claim that states none."""
    if not (known or stated_numbers(text) or dates.months_and_weekdays(text)):
        return None
    return claim_text.missing(text, known, evidence)[:20]


def judge_entailment(
    sample: Sample, said: Sequence[str], tools: Tools, held: Collection[str] = ()
) -> list[Judged]:
    """Each claim held against its premise; what is `held` anyway is not asked."""
    chosen = inference.choose_premises(said, [sentence.text for sentence in sample.context_sentences], tools)
    pairs = [(premise, text) for (premise, _), text in zip(chosen, said, strict=True)]
    asked = [pair for pair in pairs if pair[1] not in held]
    known = dict(zip(asked, tools.entail(asked).probabilities[:, 0], strict=True))
    return [
        Judged(round(float(known[pair]), 6) if pair in known else None, pair[0], places)
        for pair, (_, places) in zip(pairs, chosen, strict=True)
    ]


def supporting_passages(
    sample: Sample, said: Sequence[str], judged: Sequence[Judged], tools: Tools
) -> list[list[str]]:
    """Per claim the ids of the passages that support it, each alone: those that hold it word for word if it
    was not asked, else those whose sentences of its premise entail it. Where only several together do, all
    that the premise is from; none of a claim that is not entailed, or where passages have no ids."""
    sentences, least = sample.context_sentences, least_entailment()
    if not sentences or sentences[0].source is None:
        return [[] for _ in said]
    pieces = []  # per claim, of each passage the part of the premise
    asked = []
    for text, one in zip(said, judged, strict=True):
        parts: dict[str, str] = {}
        for place in one.places if one.probability is None or one.probability >= least else ():
            source, words = sentences[place].source or "", sentences[place].text
            parts[source] = f"{parts[source]} {words}" if source in parts else words
        pieces.append(parts)
        if one.probability is not None and len(parts) > 1:
            asked += [(part, text) for part in parts.values()]
    entailed = dict(zip(asked, tools.entail(asked).probabilities[:, 0] >= least, strict=True))
    passages = [
        (name, Evidence((text,))) for name, text in zip(sample.ids, sample.contexts or (), strict=True)
    ]
    found = []
    for text, one, parts in zip(said, judged, pieces, strict=True):
        if one.probability is None:
            alone = {name for name, passage in passages if claim_text.contained(text, passage)}
        else:
            alone = {name for name, part in parts.items() if entailed.get((part, text))}
        found.append(sorted(alone or parts))
    return found


def _with_question(sample: Sample) -> Evidence:
    return read_evidence((*(sample.contexts or ()), sample.question or ""))
