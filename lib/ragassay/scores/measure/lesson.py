"""The Lesson's plain checks: language, format, budgets, abstention, directness (Lesson sections 1, 3.1 and 6)."""

from collections.abc import Sequence

from ragassay.scores import abstention, budgets, directness, formats, language, success, vectors
from ragassay.scores.measure.result import SHOWN, NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def language_match(material: Sample, tools: Tools) -> Result:
    """Whether the answer is in the language of the case, or of the question where the case does not say; sentences with their languages."""
    text = material.uncited
    if not language.enough(text):
        raise NotApplicable(f"fewer than {language.LETTERS} letters: too little to tell the language by")
    expected = expected_language(material)
    sentences = [sentence.text for sentence in material.answer_sentences if language.enough(sentence.text)]
    detail = [
        {"text": one[:SHOWN], "language": language.detected(one), "expected": expected}
        for one in sentences[:50]
    ]
    return language.language_match(text, expected), detail


def expected_language(material: Sample) -> str:
    """The language the case declares; else that of the question, if it is long enough to tell; else English."""
    if material.declared_language is None and language.enough(material.question or ""):
        return language.detected(material.question or "")
    return material.language


def schema_valid(material: Sample, tools: Tools) -> Result:
    """Whether the answer keeps the JSON schema of its case, or the house format where the case has none; the problems are the evidence."""
    answer = material.answer or ""
    if material.schema is not None:
        problems = formats.schema_problems(answer, formats.schema(material.schema))
    else:
        must_cite = material.answerable is not False and not material.abstains
        problems = formats.house_problems(answer, frozenset(material.context_ids or ()), must_cite=must_cite)
    return float(not problems), [{"problem": problem} for problem in problems]


def length_within_budget(material: Sample, tools: Tools, budget: int = budgets.WORDS) -> Result:
    """Whether the answer has at most so many words, citations apart."""
    n = _length(material)
    return budgets.within(n, budget), [{"words": n, "budget": budget}]


def answer_words(material: Sample, tools: Tools) -> Result:
    """Number of words of the answer, citations apart, a million at most."""
    return float(min(_length(material), budgets.MOST)), []


def latency_within_budget(material: Sample, tools: Tools, budget: float = budgets.SECONDS) -> Result:
    """Whether the answer came within so many seconds."""
    seconds = material.latency_s or 0.0
    return budgets.within(seconds, budget), [{"seconds": seconds, "budget": budget}]


def abstains(material: Sample, tools: Tools) -> Result:
    """Whether the assistant declined to answer, and by which phrase it was seen."""
    return float(material.abstains), [{"rule": abstention.phrase(material.answer or "")}]


def should_have_abstained(material: Sample, tools: Tools) -> Result:
    """Whether the assistant answered what the documents do not answer."""
    value = success.should_have_abstained(material.abstains, bool(material.answerable))
    return value, [{"abstained": material.abstains, "answerable": bool(material.answerable)}]


def direct(material: Sample, tools: Tools) -> Result:
    """How directly the answer answers; one record per sentence, and which of them holds the answer."""
    sentences = [sentence.text for sentence in material.answer_sentences]
    cosine = vectors.best_match(
        tools.embed(sentences), tools.embed([one.text for one in material.question_sentences])
    )
    place = directness.answering(material.question or "", sentences, cosine)
    preamble, speculating = (
        directness.is_preamble(sentences[0]),
        [directness.speculates(text) for text in sentences],
    )
    value = directness.directness(
        place, preamble, speculating, [bool(value >= directness.ABOUT) for value in cosine]
    )
    return value, _sentences(sentences, cosine.tolist(), speculating, place, preamble)


def _sentences(
    texts: Sequence[str], cosines: Sequence[float], speculating: Sequence[bool], place: int, preamble: bool
) -> list[dict]:
    return [
        {
            "text": text[:SHOWN],
            "score": round(cosine, 6),
            "answers": i == place,
            "preamble": preamble and i == 0,
            "speculates": guesses,
            "detour": cosine < directness.ABOUT,
        }
        for i, (text, cosine, guesses) in enumerate(zip(texts, cosines, speculating, strict=True))
    ]


def _length(material: Sample) -> int:
    return budgets.words(material.uncited)
