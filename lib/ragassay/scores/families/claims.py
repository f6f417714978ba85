"""Claims: what an answer asserts, and whether the passages hold each piece (Lesson 3.1 and 4.2).

Three tiers, from the strictest: the claim stands in the passages word for word; its numbers, dates and names
all do; they entail it. The tiers make one verdict: `supported` if contained, or if it is entailed and lacks
no fact; `partial` if only the facts or only entailment holds (decision 7).
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ragassay.models import entailment_thresholds
from ragassay.scores.families import inference
from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.numbers import dates
from ragassay.scores.numbers.written_numbers import stated_numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import claim_text
from ragassay.scores.text_reading.claim_text import Evidence, read_evidence

SUPPORTED, PARTIAL, UNSUPPORTED = "supported", "partial", "unsupported"


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


def supported_claims_rate(sample: Sample, tools: Tools, threshold: float | None = None) -> Result:
    """Share of the claims that the three tiers together call supported, in [0, 1]; higher is better.

    Of a claim that stands in the passages word for word entailment decides nothing and is not asked: None.
    threshold : least probability of entailment that counts; None takes the calibrated one
    """
    threshold = entailment_thresholds.threshold("claims") if threshold is None else threshold
    said, evidence = claims_of(sample), read_evidence(sample.contexts or ())
    held = {text for text in said if claim_text.contained(text, evidence)}
    known, judged = names_in(said, tools), judge_entailment(sample, said, tools, held)
    sources = supporting_passages(sample, said, judged, tools, threshold)
    records = [
        _record(text, evidence, names, one, threshold) | {"supported_by": passages}
        for text, names, one, passages in zip(said, known, judged, sources, strict=True)
    ]
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
    missing = [
        (text, missing_facts(text, known, evidence))
        for text, known in zip(said, names_in(said, tools), strict=True)
    ]
    found = [(text, absent) for text, absent in missing if absent is not None]
    if not found:
        raise NotApplicable("no claim of the answer has a number, a date or a name")
    detail = [{"text": text[:SHOWN], "score": float(not absent), "missing": absent} for text, absent in found]
    return share_supported([not absent for _, absent in found]), detail


def supported_claims_entailed(sample: Sample, tools: Tools, threshold: float | None = None) -> Result:
    """Claims entailed by the passages' sentences nearest to them; `threshold` as above."""
    threshold = entailment_thresholds.threshold("claims") if threshold is None else threshold
    said = claims_of(sample)
    judged = judge_entailment(sample, said, tools)
    sources = supporting_passages(sample, said, judged, tools, threshold)
    detail = [
        {
            "text": text[:SHOWN],
            "score": float(one.probability is not None and one.probability >= threshold),
            "entailment": one.probability,
            "evidence": one.premise[:SHOWN],
            "supported_by": passages,
        }
        for text, one, passages in zip(said, judged, sources, strict=True)
    ]
    return share_supported([bool(record["score"]) for record in detail]), detail


def no_hallucinated_entities(sample: Sample, tools: Tools) -> Result:
    """1 if every name and address of the answer stands in the passages or the question, else 0."""
    texts = [sentence.text for sentence in sample.answer_sentences]
    evidence = _known(sample)
    kinds = {entity.text: entity.kind for entities in tools.entities(texts) for entity in entities}
    detail = [
        {"text": text[:SHOWN], "kind": kind, "score": float(claim_text.is_name_in_passages(text, evidence))}
        for text, kind in kinds.items()
    ]
    return float(all(record["score"] for record in detail)), detail


def fabricated_facts(sample: Sample, tools: Tools) -> list[str]:
    """Numbers, dates and names of the answer that stand neither in the passages nor in the question."""
    evidence = _known(sample)
    texts = [sentence.text for sentence in sample.answer_sentences]
    found = [
        claim_text.missing(text, known, evidence)
        for text, known in zip(texts, names_in(texts, tools), strict=True)
    ]
    return sorted({fact for facts in found for fact in facts})


def _known(sample: Sample) -> Evidence:
    return read_evidence((*(sample.contexts or ()), sample.question or ""))


def names_in(texts: Sequence[str], tools: Tools) -> list[list[str]]:
    """The names recognised in each text."""
    return [[entity.text for entity in entities] for entities in tools.entities(texts)]


def claims_of(sample: Sample) -> list[str]:
    """The answer's claims; NotApplicable if it makes none."""
    said = claim_text.cut([sentence.text for sentence in sample.answer_sentences])
    if not said:
        raise NotApplicable("the answer claims nothing")
    return said


def _record(
    text: str, evidence: Evidence, names: Sequence[str], judged: Judged, threshold: float
) -> dict[str, Any]:
    contained, missing = judged.probability is None, missing_facts(text, names, evidence)
    complete = None if missing is None else not missing
    entailed = None if judged.probability is None else judged.probability >= threshold
    decided = verdict(contained, complete, bool(entailed))
    return {
        "text": text[:SHOWN],
        "score": float(decided == SUPPORTED),
        "verdict": decided,
        "contained": contained,
        "facts": complete,
        "entailed": entailed,
        "missing": missing or [],
        "entailment": judged.probability,
        "evidence": judged.premise[:SHOWN],
    }


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
    sample: Sample, said: Sequence[str], judged: Sequence[Judged], tools: Tools, threshold: float
) -> list[list[str]]:
    """Per claim the ids of the passages that support it, each alone: those that hold it word for word if it
    was not asked, else those whose sentences of its premise entail it. Where only several together do, all
    that the premise is from; none of a claim that is not entailed, or where passages have no ids.
    """
    sentences = sample.context_sentences
    if not sentences or sentences[0].source is None:
        return [[] for _ in said]
    pieces = []  # per claim, of each passage the part of the premise
    for one in judged:
        parts: dict[str, str] = {}
        for place in one.places if one.probability is None or one.probability >= threshold else ():
            source, text = sentences[place].source or "", sentences[place].text
            parts[source] = f"{parts[source]} {text}" if source in parts else text
        pieces.append(parts)
    asked = [
        (part, text)
        for text, one, parts in zip(said, judged, pieces, strict=True)
        for part in parts.values()
        if one.probability is not None and len(parts) > 1
    ]
    entailed = dict(zip(asked, tools.entail(asked).probabilities[:, 0] >= threshold, strict=True))
    passages = [
        (name, Evidence((text,))) for name, text in zip(sample.ids, sample.contexts or (), strict=True)
    ]
    return [
        sorted(
            {name for name, passage in passages if claim_text.contained(text, passage)}
            if one.probability is None
            else {name for name, part in parts.items() if entailed.get((part, text))}
        )
        or sorted(parts)
        for text, one, parts in zip(said, judged, pieces, strict=True)
    ]
