"""Questions from the passages themselves, without a language model (HCAT section 2, step 5, by rules).

askable_units         sentences, lists and table rows of the passages; Candidate: a question from one, and
                      what is well formed
word_forms            verbs, values and names by closed lists; a sentence as subject, verb and rest
sentence_questions    facts by patterns (`data/question_patterns.csv`), claims asked back, steps, tables
combined_questions    four answers to choose from, two passages linked, things that do not exist
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases import case_sampling, case_table, question_filter
from ragassay.cases.rule_questions import askable_units, combined_questions, sentence_questions, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate

SILENT = 0.1  # share of the questions that ask for what does not exist, at most
POOL = 3  # questions compared with their passages, per question wanted
REJECTED = ["question", "reason", "family", "chunk_id", "similarity"]
EXTRA = ["key_fact", "family", "similarity", "difficulty", "choices"]
DIFFICULTY = {"open": "medium", "inference": "medium", "multi_hop": "hard"}
WORKED_OUT = ("yes_no", "inference", "multi_hop")  # answers that stand nowhere as they are


def generate(
    chunks: pd.DataFrame,
    n: int,
    *,
    seed: int = 0,
    allocation: case_sampling.Allocation = "proportional",
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the topics, and those that failed the checks.

    Facts of sentences, table rows, lists and steps are asked in their own words; the document is named where
    the question would not be clear without it. Superseded documents are no reference; where one in force says
    otherwise, the question asks what holds today. A tenth (SILENT) asks for what does not exist. Fewer than n
    come back where there are fewer good ones.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading, title and status where known
    allocation : "proportional" to the passages of a topic, "equal", or a weight for each

    Returns
    -------
    cases : rows of the cases table, kind "generated", with key_fact, family, similarity (cosine with its
        passage, NaN without one), difficulty (easy, medium, hard) and choices (of a multiple-choice question,
        else empty) besides
    rejected : question, reason, family, chunk_id, similarity; at most POOL times n questions of good form
        are compared with their passages
    """
    rng, index = np.random.default_rng(seed), question_filter.Index(chunks["text"].tolist())
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    asked: set[str] = set()
    current = question_filter.in_force(chunks)
    plain = _checked(_ask_for_today(current, chunks.drop(current.index), rng), asked)
    kept = [row["candidate"] for row in plain if not row["reason"]]
    topics: dict[str, list[Candidate]] = {}
    for one in kept:
        if one.query_type == "factual":
            topics.setdefault(one.source.topic or "", []).append(one)
    combined: list[Candidate] = []
    for _, facts in sorted(topics.items()):
        combined += [*combined_questions.choices(facts, texts, rng), *combined_questions.links(facts, rng)]
    formed = plain + _checked(combined, asked)
    english = [row for row in plain if not row["reason"] and row["language"] == "en"]
    invented = [
        Candidate(question, "", "", "no_answer", "factual", "unknown_thing", (), row["candidate"].source)
        for row, question in combined_questions.invented_things(english, chunks, index, rng)
    ]
    silent = _checked(invented, asked)

    def draw(rows: Iterable[dict], count: int) -> list[dict]:
        good = [row for row in rows if not row["reason"]]
        return case_sampling.draw_questions(good, current, count, allocation, rng)

    pool = draw(formed, POOL * n)
    question_filter.screen_questions(pool, chunks, index, encode)
    outside = draw(silent, round(SILENT * n))
    drawn = draw(pool, n - len(outside)) + outside
    cases = [{"case_id": f"g-{i:04d}"} | row for i, row in enumerate(drawn, start=1)]
    failed = [row for row in formed + silent if row["reason"]]
    return case_table.cases_frame(cases, extra=EXTRA), pd.DataFrame(failed, columns=REJECTED)


def candidates(chunks: pd.DataFrame, rng: np.random.Generator) -> Iterator[Candidate]:
    """Every question the rules make of one passage: sentences first, then tables and steps."""
    vocabulary = word_forms.small_words(chunks["text"])
    units, blocks = askable_units.read(chunks)
    for unit in units:
        yield from sentence_questions.questions(unit, vocabulary)
        yield from sentence_questions.claims(unit, vocabulary, rng)
    for block in blocks:
        yield from sentence_questions.block_questions(block, vocabulary)


def _ask_for_today(
    current: pd.DataFrame, superseded: pd.DataFrame, rng: np.random.Generator
) -> Iterator[Candidate]:
    """The candidates of the passages in force; `today` stands in those that superseded ones answer
    otherwise."""
    key = askable_units.question_key
    former = {key(one.question): one.key_fact for one in candidates(superseded, np.random.default_rng(0))}
    for one in candidates(current, rng):
        changed = former.get(key(one.question), one.key_fact) != one.key_fact and one.source.language == "en"
        yield one._replace(question=one.question.removesuffix("?") + " today?") if changed else one


def well_formed(made: Iterable[Candidate]) -> list[dict]:
    """The candidates of good form as rows of a case, each question once, with the document named in it."""
    return [row for row in _checked(made, set()) if not row["reason"]]


def _checked(made: Iterable[Candidate], asked: set[str]) -> list[dict]:
    """The candidates as rows of a case, each with its flaw as `reason`; what is in `asked` already has one,
    the others are added to it. Screening and drawing need `stem` (the question without the answers to choose
    from), `expected` (what a reader must find) and `fact`."""
    rows = []
    for one in made:
        named = askable_units.named(one)
        reason, key = askable_units.flaw(named), askable_units.question_key(named.question)
        if not reason and key in asked:
            reason = "is asked already"
        asked |= set() if reason else {key}
        chosen, source = named if named.question else one, one.source
        silent, worked_out = one.answer_type == "no_answer", one.query_type in WORKED_OUT
        row = {
            "question": chosen.question,
            "answer_type": one.answer_type,
            "query_type": one.query_type,
            "topic": source.topic,
            "answerable": not silent,
            "reference_answer": None if silent else one.answer,
            "reference_chunk_ids": list(one.chunk_ids),
            "language": source.language,
            "kind": "generated",
            "key_fact": None if silent else one.key_fact,
            "family": one.family,
            "loose": one.family == "content",
            "similarity": np.nan,
            "difficulty": "hard" if silent else DIFFICULTY.get(one.query_type, "easy"),
            "choices": list(one.choices),
            "chunk_id": source.chunk_id,
            "stem": askable_units.stem(chosen),
            "expected": source.text if worked_out else one.key_fact,
            "fact": (one.chunk_ids, source.text),
        }
        rows.append(row | {"reason": reason, "candidate": named})
    return rows
