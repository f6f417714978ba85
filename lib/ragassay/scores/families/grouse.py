"""GroUSE's six criteria by our own instruments: what bears on the question, is told, is cited rightly (4.1,
figures 2, 4 and 10).

Situations (figure 2)         relevancy  completeness  usefulness   faithfulness  acceptance  rejection
  answerable, answered          1-5         1-5          null         0/1           1          null
  answerable, refused           null         1           null or 0/1  null or 0/1   0          null
  not answerable, answered      1-5         null         null         0/1          null         0
  not answerable, refused       null        null         null or 0/1  null or 0/1  null         1
A refusal has usefulness and faithfulness only if it adds information. Acceptance and rejection are as section
4.1 defines them, not as table 6 prints them (decision 18). What is null raises NotApplicable.

Where the reference answer is known, it is read beside the answer: it says whether the references answer,
which facts are wanted, and which passages hold them. Where it is not, nearness to the question has to do. The
thresholds are ours, set on two topics of tests/scores/families/grouse_suite.jsonl, on no human labels.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragassay.models import entailment_thresholds
from ragassay.scores.families import facts
from ragassay.scores.families.success import level
from ragassay.scores.metric import Detail, NotApplicable, Result, Tools
from ragassay.scores.numbers import number_tracing
from ragassay.scores.numbers.amounts import stated_numbers
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.text_reading import word_lists
from ragassay.scores.text_reading.answer_state import declines, read
from ragassay.scores.text_reading.claim_text import NEGATION, clauses, find_departure, read_evidence

ANSWERS = 0.55  # cosine of a sentence with the question from which it answers it, where no label says
RELEVANT = 0.35  # cosine of a sentence with the question from which it counts as bearing on it
COVERED = 0.6  # cosine of a reference's sentence with the nearest of the answer from which it counts as told
USEFUL = 0.22  # cosine of a refusal's best addition with the question from which its additions are related
# the same by what the reference answer does: a bare refusal found nothing related
USEFUL_IF = {"bare": 0.28, "adds": 0.12, "answers": 0.18}
LEVELS = (2e-9, 0.5, 0.75, 1.0)  # shares from which a grade is 2, 3, 4, 5 (our steps)
NO_ANSWER = "the references hold no answer"
Cited = tuple[str, tuple[str, ...]]
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


class Situation(NamedTuple):
    """Do the references hold an answer, does the answer respond, and does a refusal add information?"""

    answerable: bool
    responds: bool
    adds: bool


def grouse_answer_relevancy(sample: Sample, tools: Tools) -> Result:
    """Share of the answer's sentences that bear on the question, as a grade from 1 to 5; higher is better.

    Where the references hold no answer, only what is near the question itself does. Source: GroUSE 4.1 and
    figure 7 (truth plays no part; a refusal is null).
    """
    found = situation(sample, tools)
    if not found.responds:
        raise NotApplicable("the answer says that no document answers")
    if sample.reference_answer is not None and found.answerable:
        detail = sentences_wanted(sample, tools)
    else:
        least = RELEVANT if sample.reference_answer is None else ANSWERS
        detail = _nearness(_said(sample), _texts(sample.question_sentences), tools, least)
    return _graded(detail, found, "the answer says nothing")


def grouse_completeness(sample: Sample, tools: Tools) -> Result:
    """Share of what is wanted that the answer tells, as a grade from 1 to 5; higher is better; 1 for a
    refusal.

    Wanted are the facts of the reference answer, or without one the references' sentences that answer the
    question, the nearest if none does. Source: GroUSE 4.1, figure 2, table 6 (types 11 and 12 for the
    refusal).
    """
    found = situation(sample, tools)
    if not found.answerable:
        raise NotApplicable(NO_ANSWER)
    if not found.responds:
        return _result(1, [], found)
    if sample.reference_answer is not None:
        detail = facts_told(sample, tools)
    else:
        sentences = _texts(sample.context_sentences)
        best = _best(sentences, _texts(sample.question_sentences), tools)
        least = min(ANSWERS, best.max(initial=-1.0))
        wanted = [text for text, value in zip(sentences, best, strict=True) if value >= least]
        detail = _nearness(wanted, _said(sample), tools, COVERED)
    return _graded(detail, found, "no sentence of the references bears on the question")


def grouse_usefulness(sample: Sample, tools: Tools) -> Result:
    """1 if what a refusal adds is related to the question, else 0; higher is better.

    Source: GroUSE 4.1 and figure 9.
    """
    found = situation(sample, tools)
    if found.responds:
        raise NotApplicable("the answer responds")
    detail = _nearness(_said(sample), _texts(sample.question_sentences), tools, RELEVANT)
    if not detail:
        raise NotApplicable("the refusal adds no information")
    least, reference = USEFUL, sample.reference_answer
    if reference is not None and not read(reference).refuses:
        least = USEFUL_IF["answers"]
    elif reference is not None:
        least = USEFUL_IF["adds" if informative(sample.reference_cited) else "bare"]
    related = max(record["similarity"] for record in detail) >= least
    return _result(related, [record | {"score": float(related)} for record in detail], found)


def grouse_faithfulness(sample: Sample, tools: Tools) -> Result:
    """1 if every sentence cites, and what it cites holds it, else 0; higher is better.

    Source: GroUSE 4.1 and figure 10.
    """
    found = situation(sample, tools)
    detail = [check_sentence(sample, text, ids, tools) for text, ids in informative(sample.cited)]
    if not detail:
        bare = "the answer only says that no document answers"
        raise NotApplicable("the answer says nothing that could be checked" if found.responds else bare)
    return _result(all(record["score"] for record in detail), detail, found)


def decision(sample: Sample, tools: Tools, of: str) -> Result:
    """Positive acceptance, of `answerable` questions: 1 if it is answered, 0 if it is refused; negative
    rejection, of `unanswerable` ones, the converse; null for the others; higher is better. Source: GroUSE 4.1
    (FM4, FM2)."""
    found = situation(sample, tools)
    if found.answerable != (of == "answerable"):
        raise NotApplicable("the references hold an answer" if found.answerable else NO_ANSWER)
    return _result(found.responds == found.answerable, [], found)


def situation(sample: Sample, tools: Tools) -> Situation:
    """Figure 2's situation: do the references answer, does the answer respond, does it add?"""
    answerable, responds = sample.answerable, not sample.reading.refuses
    if answerable is None and sample.reference_answer is not None:
        answerable = not read(sample.reference_answer).refuses
    elif answerable is None:
        best = _best(_texts(sample.context_sentences), _texts(sample.question_sentences), tools)
        answerable = bool(len(best)) and float(best.max()) >= ANSWERS
    return Situation(answerable, responds, not responds and bool(_said(sample)))


def informative(cited: Sequence[Cited]) -> list[Cited]:
    """The sentences that say something beside "no document answers", each with what it cites."""
    return [(text, ids) for text, ids in cited if not declines(text)]


def sentences_wanted(sample: Sample, tools: Tools) -> Detail:
    """Each sentence of the answer, and whether it belongs to the reference answer: near to it, in its words,
    or near enough and citing what it cites."""
    wanted, found = informative(sample.reference_cited), Detail()
    reference = [one for one, _ in wanted]
    pieces = [*reference, *(piece for one in reference for piece in cut(one))]
    reference_ids = {one for _, each in wanted for one in each}
    for text, ids in informative(sample.cited):
        best = float(_best([text], pieces, tools)[0])
        near = best >= (CITES_ALIKE if reference_ids & set(ids) else BELONGS)
        found.append(_record(text, near or words_found(text, reference) >= WORDS_TOLD, best))
    return found


def facts_told(sample: Sample, tools: Tools) -> Detail:
    """Each fact of the reference answer, and whether the answer tells it: by the cosine of the nearest piece
    of the answer, and by the shares of its content words and of its numbers found."""
    answer = [text for text, _ in informative(sample.cited)]
    pieces = [*answer, *(piece for text in answer for piece in cut(text))]
    wanted = [fact for text, _ in informative(sample.reference_cited) for fact in cut(text)]
    stated, found = read_evidence(tuple(answer)).numbers, []
    for fact, similarity in zip(wanted, _best(wanted, pieces, tools), strict=True):
        words, numbers = words_found(fact, answer), stated_numbers(fact) - {"1"}
        partly = similarity >= PARTLY and words >= WORDS_PARTLY
        told = similarity >= TOLD or words >= WORDS_TOLD or partly
        told = told and not (numbers and not numbers & stated and words < NUMBERS_TOLD)
        found.append(_record(fact, told, similarity) | {"words": words})
    return found


def _record(text: str, good: bool, similarity: float) -> dict:
    return {"text": text, "score": float(good), "similarity": similarity}


def _said(sample: Sample) -> list[str]:
    """The answer's sentences that say something beside "no document answers"."""
    return [text for text, _ in informative(sample.cited)]


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return [one.text for one in sentences]


def _best(these: Sequence[str], those: Sequence[str], tools: Tools) -> np.ndarray:
    """Best cosine of each of `these` with one of `those`; 0 for all where there are none of `those`."""
    return tools.cosines(these, those).max(axis=1) if these and those else np.zeros(len(these))


def _nearness(these: Sequence[str], those: Sequence[str], tools: Tools, threshold: float) -> Detail:
    best = _best(these, those, tools)
    return [_record(text, value >= threshold, value) for text, value in zip(these, best, strict=True)]


def _graded(detail: Detail, found: Situation, null: str) -> Result:
    """The share of the records that are good, as a grade; NotApplicable, with the reason, without one."""
    if not detail:
        raise NotApplicable(null)
    return _result(level(sum(record["score"] for record in detail) / len(detail), LEVELS), detail, found)


def _result(grade: int, detail: Detail, found: Situation) -> Result:
    return float(grade), [found._asdict(), *detail]


def cut(sentence: str) -> list[str]:
    """The clauses of a sentence, to be looked for one by one; short ones and conditions join a neighbour."""
    found: list[str] = []
    pieces = [piece.strip() for clause in clauses(sentence) for piece in _CUT.split(clause) if piece]
    for piece in filter(None, pieces):
        if found and (
            min(len(word_lists.words(one)) for one in (piece, found[-1])) < FEWEST
            or _LEANS.match(piece)
            or (len(found) == 1 and _LEANS.match(found[0]))
        ):
            found[-1] = f"{found[-1]}, {piece}"
        else:
            found.append(piece)
    return found


def words_found(text: str, answer: Sequence[str]) -> float:
    """Share of the text's content words that the answer has, by stem or synonym; 1 for a text without any."""
    there = {word.stem for sentence in answer for word in word_lists.words(sentence)}
    wanted = [word.stem for word in word_lists.words(text) if word.content]
    synonyms = word_lists.synonyms()
    found = [stem for stem in wanted if stem in there or synonyms.get(stem, frozenset()) & there]
    return len(found) / len(wanted) if wanted else 1.0


class Near(NamedTuple):
    """A sentence of the reference answer that tells something, what it cites, its nearness to a sentence."""

    text: str
    cited: tuple[str, ...]
    cosine: float


def check_sentence(sample: Sample, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """The checks of one sentence and what was found amiss; score 1 if nothing was."""
    # a missing citation is no failure where neither answer nor reference cites at all
    every = (*sample.cited, *sample.reference_cited)
    must_cite = sample.reference_answer is None or any(cited for _, cited in every)
    pieces = [text, *cut(text)]
    reference = [
        Near(one, cited, float(tools.cosines(pieces, [one, *cut(one)]).max()))
        for one, cited in informative(sample.reference_cited)
    ]
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
    nearest that is not cited.
    """

    def nearness(places: Sequence[int]) -> float:
        sentences = sample.passage_sentences([sample.ids[place] for place in places])
        return float(tools.cosines(pieces, sentences).max()) if sentences else 0.0

    places = {cited: sample.places(cited) for cited in ids}
    every = {place for each in places.values() for place in each}
    by_owner, allowed = (
        {at for one in reference if one.cosine >= least for cited in one.cited for at in sample.places(cited)}
        for least in (OWNER, LIKE)
    )
    if by_owner and not by_owner & every:
        return list(ids)
    others = [place for place in range(len(sample.ids)) if place not in every]
    least = max([HELD, *(nearness([place]) - BEHIND for place in others)])
    doubtful = {cited: at for cited, at in places.items() if not set(at) & allowed}
    return [cited for cited, at in doubtful.items() if not at or nearness(at) < least]


def distortions(
    sample: Sample, text: str, evidence: Sequence[str], reference: Sequence[Near], tools: Tools
) -> list[str]:
    """What the sentence says otherwise than its evidence: facts not found, a negation, a contradiction."""
    question, beside = sample.question or "", [one.text for one in reference]
    source = facts.read_source((question, *evidence, *beside))
    traces = number_tracing.trace(text, (question, "\n".join(evidence), *beside), question)
    missing = [
        *(one.text for one in facts.find(text) if one.kind == facts.TIME and not facts.is_held(one, source)),
        *(one.text for one in traces if not (one.held or one.verdict == number_tracing.OTHER_ITEM)),
    ]
    found = [one for one in missing if any(map(str.isdigit, one))]
    own = " ".join(one.text for one in reference if one.cosine >= OWN)
    pairs, use = [(own, text), (text, own)], "grouse_by_reference"
    if sample.reference_answer is None:
        pairs, use = [(" ".join(evidence), text)], "grouse_by_passage"
        found += [NEGATION] * (find_departure(text, evidence) == NEGATION)
    elif not own or own == text:
        return found
    chance = float(tools.entail(pairs).probabilities[:, 2].min())
    return [*found, "contradicted"] if chance >= entailment_thresholds.threshold(use) else found
