"""Groundedness by entailment, sentence by sentence (HCAT 3.2.2)."""

from ragassay.scores import inference, premises, similarity, vectors
from ragassay.scores.measure.result import SHOWN, Result, summarised
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def groundedness_nli(material: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """sigma(D) of each answer sentence given the passages' three sentences nearest to it; z, D and the probabilities are kept."""
    texts = [sentence.text for sentence in material.answer_sentences]
    candidates = [sentence.text for sentence in material.context_sentences]
    chosen = premises.choose(texts, candidates, tools)
    found = tools.entail([(premise, text) for text, (premise, _) in zip(texts, chosen, strict=True)])
    scores = inference.groundedness(found.distance)
    detail = [
        _record(material, text, places, premise, row, found)
        for row, (text, (premise, places)) in enumerate(zip(texts, chosen, strict=True))
    ]
    for row, (record, score) in enumerate(zip(detail, scores, strict=True)):
        record |= {"score": round(float(score), 6), "weakest": row == vectors.least_met(scores)}
    return similarity.aggregate(scores, aggregation, [len(text.split()) for text in texts]), summarised(
        detail, aggregation
    )


def _record(material: Sample, text: str, places: list[int], premise: str, row: int, found) -> dict:
    entailed, neutral, contradicted = (round(float(p), 6) for p in found.probabilities[row])
    return {
        "text": text[:SHOWN],
        "evidence": premise[:SHOWN],
        "evidence_id": ", ".join(
            dict.fromkeys(material.context_sentences[place].source or "" for place in places)
        )
        or None,
        "z": round(float(found.z[row]), 6),
        "D": round(float(found.distance[row]), 6),
        "entailment": entailed,
        "neutral": neutral,
        "contradiction": contradicted,
    }
