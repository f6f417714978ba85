"""Questions from the passages themselves, without a language model (HCAT section 2, step 5, by rules).

A new kind of question is a file here with `questions(...) -> Iterator[Candidate]`, called in `candidates`.

askable_units         a passage's sentences, steps and table rows, with title and heading; Candidate: a
                      question from one
word_forms            verbs, values and names by closed lists
clause_parsing        a sentence as subject, verb and rest
english_sentences     one pattern per kind of fact (fact_patterns: figures, dates, times; duty_patterns:
                      conditions, definitions, who, why)
spanish_portuguese    the same in Spanish and Portuguese
guidance_prose        guidance, where the others make too few: guidance_patterns its sentences,
                      guidance_lists its bullets
yes_no                claims asked back
rule_application      a rule for one instance
steps_and_tables      steps, tables, and what a sentence lists after its colon
multiple_choice       four answers to choose from (this and the next two from questions kept)
figure_comparison     two figures
multi_hop             two passages that are linked
unanswerable          what the documents name but do not tell
question_form_checks  what is well formed, the document named where the question needs it, and why the rest
                      is not kept; candidates as rows of a case
question_mix          which are taken, and how hard each is
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases import case_table, question_filter
from ragassay.cases.rule_questions import (
    askable_units,
    english_sentences,
    figure_comparison,
    guidance_lists,
    guidance_prose,
    multi_hop,
    multiple_choice,
    question_form_checks,
    question_mix,
    rule_application,
    spanish_portuguese,
    steps_and_tables,
    unanswerable,
    word_forms,
    yes_no,
)
from ragassay.cases.rule_questions.askable_units import Candidate
from ragassay.cases.rule_questions.question_form_checks import candidate_row, once

LATER, AFTER = 10**8, 10**9  # no collection makes as many questions
POOL = 3  # questions compared with their passages, per question wanted
REJECTED = ["question", "reason", "family", "chunk_id", "similarity"]
EXTRA = ["key_fact", "family", "similarity", "difficulty", "choices"]


def generate(
    chunks: pd.DataFrame,
    n: int,
    *,
    seed: int = 0,
    allocation: str = "proportional",
    weights: dict[str, float] | None = None,
    no_answer: float = 0.1,
    encode: Callable = models.encode,
    entail: Callable | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the topics, and those that failed the checks.

    Facts are taken from sentences, table rows, lists and numbered steps by rules, and asked in their own
    words; the document is named where the question would not be clear without it. From the facts of a topic
    further questions are made: four answers to choose from, two figures compared, two passages linked, a rule
    applied to a named instance. Where these are fewer than n, the looser forms of guidance prose come behind
    them. Topics are served by `case_sampling.allocate`; within one, types of question take
    turns, and facts and passages not yet asked about come first. Fewer than n come back where the passages do
    not hold n good ones.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading and title where known
    allocation : "proportional" to the passages of a topic, "equal", or "weighted" by `weights`
    entail : `models.entail`, to reject answers that their passages contradict; None leaves that out
    no_answer : share of n asked about what the documents name but do not tell, in [0, 1]; as many as pass, at
        most

    Returns
    -------
    cases : rows of the cases table, kind "generated", with key_fact, family, similarity (cosine with its
        passage, NaN without one), difficulty (easy, medium, hard) and choices (of a multiple-choice question,
        else empty) besides
    rejected : question, reason, family, chunk_id, similarity; in the order they were made. Only three times n
        questions of good form are compared with their passages, so a large collection does not cost more than
        n asks for

    Raises
    ------
    ValueError
        If no_answer is not in [0, 1].
    """
    if not 0 <= no_answer <= 1:
        raise ValueError(f"no_answer must be in [0, 1]; found {no_answer}")
    rng = np.random.default_rng(seed)
    index = question_filter.Index(chunks["text"].tolist())

    def screened(formed: list[dict], earlier: list[dict]) -> list[dict]:
        pool = question_mix.draw_questions(formed, chunks, POOL * n, allocation, weights, rng)
        question_filter.screen_questions([*earlier, *pool], chunks, index, encode)
        if entail is not None:
            question_filter.reject_contradicted(pool, chunks, entail)
        return pool

    formed, flawed = _formed(candidates(chunks, rng), chunks, rng)
    pool = screened(formed, [])
    silent, told = _silent(chunks, index, rng)
    outside = question_mix.draw_questions(silent, chunks, round(no_answer * n), allocation, weights, rng)
    if len(passed := _passed(pool)) < n - len(outside):
        looser, misshapen = _looser(chunks, formed)
        flawed += misshapen
        pool += screened(looser, passed)
    drawn = (
        question_mix.draw_questions(_passed(pool), chunks, n - len(outside), allocation, weights, rng)
        + outside
    )
    failed = sorted([*flawed, *told, *(row for row in pool if row["reason"])], key=lambda row: row["order"])
    cases = [
        {"case_id": f"g-{i:04d}"} | row | {"difficulty": question_mix.difficulty_level(row)}
        for i, row in enumerate(drawn, start=1)
    ]
    return case_table.cases_frame(cases, extra=EXTRA), pd.DataFrame(failed, columns=REJECTED)


def candidates(chunks: pd.DataFrame, rng: np.random.Generator) -> Iterator[Candidate]:
    """Every question the rules make of one passage, in the order of the passages:
    sentences first, then tables, steps and lists."""
    vocabulary = word_forms.small_words(chunks["text"])
    sentences, blocks = askable_units.read(chunks)
    for unit in sentences:
        if unit.language in spanish_portuguese.PATTERNS:
            yield from spanish_portuguese.questions(unit)
        elif unit.language == "en":
            yield from english_sentences.questions(unit, vocabulary)
            yield from yes_no.questions(unit, vocabulary, rng)
            yield from rule_application.questions(unit, vocabulary, rng)
    for block in blocks:
        yield from steps_and_tables.questions(block, vocabulary)
    yield from steps_and_tables.enumeration_questions(chunks, vocabulary)


def derived_candidates(
    kept: list[Candidate], chunks: pd.DataFrame, rng: np.random.Generator
) -> Iterator[Candidate]:
    """Questions made from the well-formed ones, topic by topic: choices, comparisons, links."""
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    topics: dict[str, list[Candidate]] = {}
    for candidate in kept:
        topics.setdefault(candidate.source.topic or "", []).append(candidate)
    for name in sorted(topics):
        yield from multiple_choice.questions(topics[name], texts, rng)
        yield from figure_comparison.questions(topics[name], rng)
        yield from multi_hop.questions(topics[name], rng)


def _formed(
    made: Iterator[Candidate], chunks: pd.DataFrame, rng: np.random.Generator
) -> tuple[list[dict], list[dict]]:
    """Candidates of good form, each question once (the first is kept), with what is made from them;
    and the others with their flaw."""
    first = once(map(candidate_row, made), set())
    kept = [row["candidate"] for row in first if not row["reason"]]
    asked = {question_form_checks.question_key(row["question"]) for row in first if not row["reason"]}
    found = first + once(map(candidate_row, derived_candidates(kept, chunks, rng)), asked)
    found = [row | {"order": i} for i, row in enumerate(found)]
    return [row for row in found if not row["reason"]], [row for row in found if row["reason"]]


def _looser(chunks: pd.DataFrame, formed: list[dict]) -> tuple[list[dict], list[dict]]:
    """What the looser rules make besides the questions of good form that there are, and the rest of it with
    its flaw; both behind those."""
    vocabulary = word_forms.small_words(chunks["text"])
    made = [
        *guidance_lists.questions(chunks, vocabulary),
        *guidance_prose.questions(askable_units.read(chunks)[0], vocabulary),
    ]
    found = once(
        map(candidate_row, made), {question_form_checks.question_key(row["question"]) for row in formed}
    )
    found = [row | {"order": LATER + i, "rank": 1} for i, row in enumerate(found)]
    return [row for row in found if not row["reason"]], [row for row in found if row["reason"]]


def _passed(pool: list[dict]) -> list[dict]:
    return [row for row in pool if not row["reason"]]


def _silent(
    chunks: pd.DataFrame, index: question_filter.Index, rng: np.random.Generator
) -> tuple[list[dict], list[dict]]:
    """Questions the passages do not answer, and those of bad form: both with an order behind all others."""
    found = once(map(candidate_row, unanswerable.questions(chunks, index, rng)), set())
    found = [row | {"order": AFTER + i} for i, row in enumerate(found)]
    return [row for row in found if not row["reason"]], [row for row in found if row["reason"]]
