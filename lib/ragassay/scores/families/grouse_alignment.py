"""An answer laid beside the reference answer and the passages: what is told, what belongs; and the
faithfulness of one sentence (GroUSE figure 10): it cites, what it cites holds it, nothing is distorted.

GroUSE shows a judge the true answer beside the one it marks (appendix C); these rules read it in the judge's
place.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from numpy.typing import NDArray

from ragassay.models import entailment_thresholds
from ragassay.scores.families import facts
from ragassay.scores.numbers import number_tracing
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.text_reading.answer_state import declines
from ragassay.scores.text_reading.claim_text import clauses

TOLD, WORDS_TOLD = 0.55, 0.5  # cosine of a clause, share of its content words found: either tells it
PARTLY, WORDS_PARTLY = 0.35, 0.3  # or both of these
# share of its words from which a clause counts as told though none of its numbers is: they were changed
NUMBERS_TOLD = 0.35
# cosine with the reference answer from which a sentence belongs to it; where both cite the same passage
BELONGS, CITES_ALIKE = 0.45, 0.22
FEWEST = 4  # words of a clause that is judged by itself
HELD = 0.45  # cosine of a sentence with the nearest sentence of a cited passage from which that may hold it
BEHIND = 0.15  # how far a cited passage may stay behind the nearest of the others
# cosine with a sentence of the reference answer: says the same, is that sentence, is like it
OWN, OWNER, LIKE = 0.6, 0.75, 0.4
_CUT = re.compile(r"(?:,|;|:)\s+|(?<!\s)\s++(?=(?:although|while|whereas|unless|provided|except|plus)\s)")
_LEANS = re.compile(
    r"(?:even\s)?(?:if|when|where|without|unless|for|although|though|provided"
    r"|because|while|including|except|in|on|as|at)\b",
    re.IGNORECASE,
)


def is_told(similarity: float, words: float, numbers: float) -> bool:
    """Whether the answer tells a fact of the reference answer: by the cosine of the nearest piece of the
    answer, and by the shares of its content words and of its numbers found."""
    if numbers == 0 and words < NUMBERS_TOLD:
        return False
    clearly = similarity >= TOLD or words >= WORDS_TOLD
    return clearly or (similarity >= PARTLY and words >= WORDS_PARTLY)


def cut(sentence: str) -> list[str]:
    """The clauses of a sentence, to be looked for one by one; short ones and conditions join a neighbour."""
    found: list[str] = []
    pieces = [piece.strip() for clause in clauses(sentence) for piece in _CUT.split(clause) if piece]
    for piece in filter(None, pieces):
        if found and (
            min(len(word_comparison.words(one)) for one in (piece, found[-1])) < FEWEST
            or _LEANS.match(piece)
            or (len(found) == 1 and _LEANS.match(found[0]))
        ):
            found[-1] = f"{found[-1]}, {piece}"
        else:
            found.append(piece)
    return found


def numbers_found(text: str, answer: Sequence[str]) -> float:
    """Share of the text's numbers in digits that stand in the answer; 1 for a text without any."""
    wanted, there = word_comparison.numbers(text), set[str]()
    for sentence in answer:
        there |= word_comparison.numbers(sentence) | word_comparison.number_words(sentence)
    return len(wanted & there) / len(wanted) if wanted else 1.0


def words_found(text: str, answer: Sequence[str]) -> float:
    """Share of the text's content words that the answer has, by stem or synonym; 1 for a text without any."""
    there = {word.stem for sentence in answer for word in word_comparison.words(sentence)}
    wanted = [word.stem for word in word_comparison.words(text) if word.content]
    synonyms = word_comparison.synonyms()
    found = [stem for stem in wanted if stem in there or synonyms.get(stem, frozenset()) & there]
    return len(found) / len(wanted) if wanted else 1.0


def belongs(sentence: str, cosine: NDArray, reference: Sequence[str], *, cites_alike: bool) -> bool:
    """Whether a sentence is near the answer wanted, in its words, or near enough and cites what it cites."""
    best = float(cosine.max(initial=0.0))
    near = best >= BELONGS or (best >= CITES_ALIKE and cites_alike)
    return near or words_found(sentence, reference) >= WORDS_TOLD


class Near(NamedTuple):
    """A sentence of the reference answer that tells something, what it cites, its nearness to a sentence."""

    text: str
    cited: tuple[str, ...]
    cosine: float


def check_sentence(sample: Sample, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """The checks of one sentence and what was found amiss; score 1 if nothing was."""
    # a missing citation is no failure where neither answer nor reference cites at all
    must_cite = sample.reference_answer is None or sample.cites
    pieces, told = [text, *cut(text)], [one for one in sample.reference_cited if not declines(one[0])]
    reference = [Near(*one, float(tools.cosines(pieces, [one[0], *cut(one[0])]).max())) for one in told]
    evidence = sample.passage_sentences(ids if must_cite else sample.ids)
    wrong = wrongly_cited(sample, pieces, ids, reference, tools)
    amiss = distortions(sample, text, evidence, reference, tools) if evidence else []
    return {
        "text": text,
        "score": float((bool(ids) or not must_cite) and not wrong and bool(evidence) and not amiss),
        "cited": list(ids),
        "cited_wrongly": wrong,
        "distorted": amiss[:20],
    }


def wrongly_cited(
    sample: Sample, pieces: Sequence[str], ids: Sequence[str], reference: Sequence[Near], tools: Tools
) -> list[str]:
    """The cited ids that cannot hold the sentence.

    Where the sentence is clearly one of the reference answer's, it must share a citation with it. Each id
    must then be one that the reference answer gives for something like it, or a passage about as near as the
    nearest that is not cited. Where no id is in doubt, no passage is encoded.
    """

    def cited_by_reference(least: float) -> set[int]:
        near = [cited for one in reference if one.cosine >= least for cited in one.cited]
        return {place for cited in near for place in sample.places(cited)}

    def nearness(places: Sequence[int]) -> float:
        sentences = sample.passage_sentences([sample.ids[place] for place in places])
        return float(tools.cosines(pieces, sentences).max()) if sentences else 0.0

    places = {cited: sample.places(cited) for cited in ids}
    every = {place for each in places.values() for place in each}
    by_owner, allowed = cited_by_reference(OWNER), cited_by_reference(LIKE)
    if by_owner and not by_owner & every:
        return list(ids)
    doubtful = {cited: at for cited, at in places.items() if not set(at) & allowed}
    if not doubtful:
        return []
    others = [place for place in range(len(sample.ids)) if place not in every]
    least = max([HELD, *(nearness([place]) - BEHIND for place in others)])
    return [cited for cited, at in doubtful.items() if not at or nearness(at) < least]


def distortions(
    sample: Sample, text: str, evidence: Sequence[str], reference: Sequence[Near], tools: Tools
) -> list[str]:
    """What the sentence says otherwise than its evidence: facts not found, a contradiction."""
    question, beside = sample.question or "", [one.text for one in reference]
    source = facts.read_source((question, *evidence, *beside))
    times = [one for one in facts.find(text) if one.kind == facts.TIME and not facts.is_held(one, source)]
    traces = number_tracing.trace(text, (question, "\n".join(evidence), *beside), question)
    amounts = [one for one in traces if not (one.held or one.verdict == number_tracing.OTHER_ITEM)]
    missing = [*(one.text for one in times), *(one.text for one in amounts)]
    found = [one for one in missing if any(map(str.isdigit, one))]
    own = " ".join(one.text for one in reference if one.cosine >= OWN)
    pairs, use = [(own, text), (text, own)], "grouse_by_reference"
    if sample.reference_answer is None:
        pairs, use = [(" ".join(evidence), text)], "grouse_by_passage"
    elif not own or own == text:
        return found
    chance = float(tools.entail(pairs).probabilities[:, 2].min())
    return [*found, "contradicted"] if chance >= entailment_thresholds.threshold(use) else found
