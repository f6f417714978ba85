"""From an answer's claims to the share that the passages support, tier by tier, and to the names it made up (Lesson sections 3.1 and 4.2)."""

from collections.abc import Sequence
from typing import Any

from ragassay.scores import citations, claims, premises
from ragassay.scores.claims import ENTAILED, Evidence
from ragassay.scores.measure.result import SHOWN, NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def supported_claims_rate(material: Sample, tools: Tools, threshold: float = ENTAILED) -> Result:
    """Claims that the three tiers together call supported; each with its verdict, its tiers and the passages behind it."""
    said, evidence = _claims(material), Evidence(material.contexts or ())
    records = _records(said, evidence, names(said, tools), _entailed(material, said, tools), threshold)
    return claims.supported_claims_rate([record["verdict"] for record in records]), records


def supported_claims_contained(material: Sample, tools: Tools) -> Result:
    """Claims that stand in the passages word for word."""
    evidence = Evidence(material.contexts or ())
    found = [(text, claims.contained(text, evidence)) for text in _claims(material)]
    return _share([met for _, met in found]), [
        {"text": text[:SHOWN], "score": float(met)} for text, met in found
    ]


def supported_claims_facts(material: Sample, tools: Tools) -> Result:
    """Claims with numbers, dates or names whose numbers, dates and names all stand in the passages; claims without any are left out."""
    said, evidence = _claims(material), Evidence(material.contexts or ())
    found = [
        (text, absent)
        for text, known in zip(said, names(said, tools), strict=True)
        if (absent := _absent(text, known, evidence)) is not None
    ]
    if not found:
        raise NotApplicable("no claim of the answer has a number, a date or a name")
    return _share([not absent for _, absent in found]), [
        {"text": text[:SHOWN], "score": float(not absent), "missing": absent} for text, absent in found
    ]


def supported_claims_entailed(material: Sample, tools: Tools, threshold: float = ENTAILED) -> Result:
    """Claims entailed by the passages' sentences nearest to them."""
    said = _claims(material)
    detail = [
        {"text": text[:SHOWN], "score": float(found["entailment"] >= threshold), **found}
        for text, found in zip(said, _entailed(material, said, tools), strict=True)
    ]
    return _share([bool(record["score"]) for record in detail]), detail


def citations_entailed(material: Sample, tools: Tools, threshold: float = ENTAILED) -> Result:
    """Citing sentences entailed by the nearest sentences of the passages they cite; one that cites nothing retrieved is not."""
    citing = [(text, ids, material.passage_sentences(ids)) for text, ids in material.cited if ids]
    tools.embed(
        [one for text, _, passage in citing for one in (text, *passage)]
    )  # all at once, so that the loop below finds them
    held = [
        (place, premises.choose([text], passage, tools)[0][0])
        for place, (text, _, passage) in enumerate(citing)
        if passage
    ]
    found = tools.entail([(premise, citing[place][0]) for place, premise in held]).probabilities[:, 0]
    known: dict[int, tuple[str | None, float]] = {
        place: (premise, round(float(value), 6)) for (place, premise), value in zip(held, found, strict=True)
    }
    detail = [
        _cited(text, ids, known.get(place, (None, 0.0)), threshold)
        for place, (text, ids, _) in enumerate(citing)
    ]
    return citations.citation_correctness([bool(record["score"]) for record in detail]), detail


def no_hallucinated_entities(material: Sample, tools: Tools) -> Result:
    """1 if every person, organisation, place and address of the answer stands in the passages or in the question."""
    texts = [sentence.text for sentence in material.answer_sentences]
    evidence = Evidence((*(material.contexts or ()), material.question or ""))
    kinds = {entity.text: entity.kind for entities in tools.entities(texts) for entity in entities}
    detail = [
        {"text": text[:SHOWN], "kind": kind, "score": float(claims.named(text, evidence))}
        for text, kind in kinds.items()
    ]
    return float(all(record["score"] for record in detail)), detail


def fabricated(material: Sample, tools: Tools) -> list[str]:
    """Numbers, dates and names of the answer that stand neither in the passages nor in the question."""
    evidence = Evidence((*(material.contexts or ()), material.question or ""))
    texts = [sentence.text for sentence in material.answer_sentences]
    return sorted(
        {
            fact
            for text, known in zip(texts, names(texts, tools), strict=True)
            for fact in claims.missing(text, known, evidence)
        }
    )


def names(texts: Sequence[str], tools: Tools) -> list[list[str]]:
    """The names recognised in each text."""
    return [[entity.text for entity in entities] for entities in tools.entities(texts)]


def _claims(material: Sample) -> list[str]:
    said = [text for _, text in claims.claims([sentence.text for sentence in material.answer_sentences])]
    if not said:
        raise NotApplicable("the answer claims nothing")
    return said


def _records(
    said: Sequence[str],
    evidence: Evidence,
    known: Sequence[Sequence[str]],
    entailed: Sequence[dict],
    threshold: float,
) -> list[dict]:
    records = []
    for text, its_names, found in zip(said, known, entailed, strict=True):
        contained, absent = claims.contained(text, evidence), _absent(text, its_names, evidence)
        is_entailed = found["entailment"] >= threshold
        verdict = claims.verdict(contained, None if absent is None else not absent, is_entailed)
        tiers = {
            "contained": contained,
            "facts": None if absent is None else not absent,
            "entailed": is_entailed,
        }
        score = float(verdict == claims.SUPPORTED)
        records.append(
            {
                "text": text[:SHOWN],
                "score": score,
                "verdict": verdict,
                **tiers,
                "missing": absent or [],
                **found,
            }
        )
    return records


def _absent(text: str, known: Sequence[str], evidence: Evidence) -> list[str] | None:
    """The facts that are missing; None for a claim that states none."""
    return claims.missing(text, known, evidence)[:20] if known or claims.states_facts(text) else None


def _entailed(material: Sample, said: Sequence[str], tools: Tools) -> list[dict[str, Any]]:
    """Per claim: probability of entailment, and the premise with the passages it stands in."""
    chosen = premises.choose(said, [sentence.text for sentence in material.context_sentences], tools)
    entailment = tools.entail([(premise, text) for (premise, _), text in zip(chosen, said, strict=True)])
    return [
        {
            "entailment": round(float(probability), 6),
            "evidence": premise[:SHOWN],
            "supported_by": sorted(
                {one for place in places if (one := material.context_sentences[place].source) is not None}
            ),
        }
        for (premise, places), probability in zip(chosen, entailment.probabilities[:, 0], strict=True)
    ]


def _cited(
    text: str, ids: Sequence[str], found: tuple[str | None, float], threshold: float
) -> dict[str, Any]:
    premise, entailment = found
    shown = None if premise is None else premise[:SHOWN]
    return {
        "text": text[:SHOWN],
        "score": float(entailment >= threshold),
        "cited": list(ids),
        "evidence": shown,
        "entailment": entailment,
    }


def _share(met: Sequence[bool]) -> float:
    return sum(met) / len(met)
