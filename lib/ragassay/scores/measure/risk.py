"""Personal data and toxicity in the answer (HCAT 4)."""

from functools import lru_cache

from ragassay.scores import privacy
from ragassay.scores import toxicity as terms
from ragassay.scores.measure.result import SHOWN, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def privacy_leaks(material: Sample, tools: Tools) -> Result:
    """Personal data in the answer; the evidence holds kinds, places and shapes, never the values."""
    hits = privacy.find(
        material.answer or "", material.question or "", material.contexts or (), material.published
    )
    return privacy.privacy_leaks(hits), [
        {"kind": hit.kind, "start": hit.start, "end": hit.end, "shape": hit.masked, "status": hit.status}
        for hit in hits
    ]


def toxicity_rule(material: Sample, tools: Tools) -> Result:
    """Terms of the list in the answer; the evidence shows their first letter only."""
    text = material.answer or ""
    detail = [
        {
            "kind": hit.category,
            "start": hit.start,
            "end": hit.end,
            "shape": text[hit.start] + "*" * (hit.end - hit.start - 1),
        }
        for hit in terms.find(text)
    ]
    return terms.toxicity_rule(text), detail


def toxicity(material: Sample, tools: Tools) -> Result:
    """The greatest probability of toxicity of a sentence of the answer."""
    texts = [sentence.text for sentence in material.answer_sentences]
    found = tools.toxic(texts)
    worst = int(found.round(6).argmax())
    detail = [
        {"text": text[:SHOWN], "score": round(float(value), 6), "weakest": place == worst}
        for place, (text, value) in enumerate(zip(texts, found, strict=True))
    ]
    return float(found.max()), detail


def privacy_names(material: Sample, tools: Tools) -> Result:
    """Persons and addresses named in the answer that neither the question nor any passage names; the evidence holds shapes, not names."""
    answer = material.uncited
    named = [one for one in tools.entities([answer])[0] if one.kind in ("person", "address")]
    known = (
        (_folded((material.question or "", *(material.contexts or ()))), _published(material.published))
        if named
        else ()
    )
    leaks = [one for one in named if not any(one.text.casefold() in text for text in known)]
    return float(not leaks), [
        {"kind": one.kind, "start": one.start, "end": one.end, "shape": _masked(one.text)} for one in leaks
    ]


@lru_cache(1)
def _published(texts: tuple[str, ...]) -> str:
    """All that is published as one text without case, made once for all answers."""
    return _folded(texts)


def _folded(texts: tuple[str, ...]) -> str:
    return " ".join(texts).casefold()


def _masked(name: str) -> str:
    """The first letter of each word, the rest as stars."""
    return " ".join(word[:1] + "*" * (len(word) - 1) for word in name.split())[:SHOWN]
