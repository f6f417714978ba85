"""Questions by a language model, through the judge's door (HCAT section 2, step 5): for users who name one;
never asked otherwise. `replies`: the requests, the forms of their replies, and what a reply must pass.

Every reply is kept in the judge's journal: the same chunks, n, seed and judge give the same cases, and
nothing is paid for twice.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases import case_sampling, case_table, question_filter
from ragassay.cases.llm_questions import replies
from ragassay.cases.llm_questions.replies import NO_ANSWER, Fact, Facts, Questions
from ragassay.cases.question_filter import Index
from ragassay.cases.rule_questions import EXTRA, REJECTED, askable_units, question_form_checks
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.errors import InputError
from ragassay.models.judge import Reply, Request
from ragassay.models.judge.messages import Unanswered, Unparsed, parse_reply
from ragassay.tables import QUERY_TYPES

Ask = Callable[[Sequence[Request]], list[Reply]]
TYPES = (*QUERY_TYPES, NO_ANSWER)
DIFFICULTIES = ("easy", "medium", "hard")
PER_PASSAGE, SPARE = 3, 0.25  # questions asked for of a passage at most; beyond n, since some fail the checks
MOST_ALIKE = (
    0.9  # share of a passage's words, by rarity, from which another is a copy of it and no second hop
)


class Task(NamedTuple):
    """What is asked about one passage, or about two that belong together: (type, difficulty) of
    each question."""

    passages: tuple[Unit, ...]
    orders: list[tuple[str, str]]


def generate(
    chunks: pd.DataFrame,
    n: int,
    judge: Ask,
    seed: int = 0,
    *,
    allocation: str = "proportional",
    weights: Mapping[str, float] | None = None,
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the topics, written by a language model, and what was not kept.

    The model is asked for the key facts of a passage, each with its quotation; a fact whose quotation does
    not stand in the passage is dropped. It is then asked for questions about these facts, of all types and
    difficulties in turn. Of these, those are kept that are well-formed, name facts they rest on, do not
    hold their answer, are near their passage, lead a plain reader to their answer, and are not asked twice; a
    question without an answer is kept where no passage holds most of its words.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading and title where known
    judge : models.judge.Judge, or anything that gives replies to requests in their order
    seed : of the draw of passages; the judge has a seed of its own
    allocation : "proportional" to the passages of a topic, "equal", or "weighted" by `weights`

    Returns
    -------
    cases : rows of the cases table, kind "generated", with key_fact, family, similarity (cosine with its
        passage, NaN without one), difficulty as ordered (easy, medium, hard) and choices (of a
        multiple-choice question, else empty) besides
    rejected : question, reason, family, chunk_id, similarity; a reply that did not come or could not be
        parsed is a row without a question
    """
    rng, index = np.random.default_rng(seed), Index(chunks["text"].tolist())
    tasks = _plan_tasks(chunks, n, allocation, weights, index, rng)
    facts, lost = _ask_facts(tasks, judge)
    written, failed = _ask_questions(tasks, facts, judge)
    asked: set[str] = set()
    for row in written:
        key = question_form_checks.question_key(row["stem"])
        row["reason"] = row["reason"] or ("is asked already" if key in asked else "")
        asked |= set() if row["reason"] else {key}
    answerable = [row for row in written if row["answerable"] and not row["reason"]]
    question_filter.screen_questions(answerable, chunks, index, encode)
    for row in written:
        if not row["answerable"] and not row["reason"]:
            doubt = question_filter.might_be_answered(row["question"], chunks["text"].tolist(), index)
            row["reason"] = "might be answered by a passage" if doubt else ""
    good = [row for row in written if not row["reason"]]
    kept = case_sampling.draw_questions(good, chunks, n, allocation, weights, rng)
    cases = [{"case_id": f"m-{i:04d}"} | row for i, row in enumerate(kept, start=1)]
    rejected = [*lost, *failed, *(row for row in written if row["reason"])]
    return case_table.cases_frame(cases, extra=EXTRA), pd.DataFrame(rejected, columns=REJECTED)


def reasons(rejected: pd.DataFrame, most: int = 10) -> list[str]:
    """The commonest reasons why questions were not kept, `7  names no fact that it rests on` each."""
    kinds = rejected["reason"].astype(str).str.slice(0, 100).value_counts().head(most)
    return [f"{count:,}  {reason}" for reason, count in kinds.items()]


def require_questions(cases: pd.DataFrame, rejected: pd.DataFrame, judge: Any) -> None:
    """Refuse to go on without one question that was kept.

    Raises
    ------
    InputError
        If there is none.
    """
    if cases.empty:
        raise InputError(
            "the language model wrote no question that can be kept",
            where=f"{judge.model} at {judge.endpoint}",
            found="; ".join([f"{len(rejected):,} rejected", *reasons(rejected, 3)]),
            expected="replies in the form that is asked for, about facts that the passages state",
            do="see that the model answers in plain JSON, name another, or none: then rules ask",
        )


def _plan_tasks(
    chunks: pd.DataFrame,
    n: int,
    allocation: str,
    weights: Mapping[str, float] | None,
    index: Index,
    rng: np.random.Generator,
) -> list[Task]:
    """What is asked of which passage, n * (1 + SPARE) questions over the topics: types and difficulties in
    turns; where a passage has no second one, another type takes the turn of multi_hop."""
    rows = zip(chunks["chunk_id"], chunks["text"], askable_units.place(chunks), strict=True)
    passages = [Unit(str(name), **where, text=str(text)) for name, text, where in rows]
    inside: dict[str, list[int]] = {}
    for i, passage in enumerate(passages):
        inside.setdefault(passage.topic or "", []).append(i)
    sizes = {name: len(inside[name]) * PER_PASSAGE for name in sorted(inside)}
    counts = case_sampling.allocate(sizes, ceil(n * (1 + SPARE)), allocation, weights)
    ordered: dict[int, list[tuple[str, str]]] = {}
    turn = 0
    for name, count in counts.items():
        drawn = sorted(rng.permutation(inside[name])[: ceil(count / PER_PASSAGE)].tolist())
        for i in range(count):
            order = (TYPES[turn % len(TYPES)], DIFFICULTIES[(turn + turn // len(TYPES)) % len(DIFFICULTIES)])
            ordered.setdefault(drawn[i % len(drawn)], []).append(order)
            turn += 1
    tasks = []
    for at, orders in sorted(ordered.items()):
        partner = _partner(at, passages, index)
        hops = [order for order in orders if order[0] == "multi_hop" and partner is not None]
        plain = [
            ("factual", how) if kind == "multi_hop" else (kind, how)
            for kind, how in orders
            if (kind, how) not in hops
        ]
        if plain:
            tasks.append(Task((passages[at],), plain))
        if partner is not None and hops:
            tasks.append(Task((passages[at], passages[partner]), hops))
    return tasks


def _partner(at: int, passages: Sequence[Unit], index: Index) -> int | None:
    """The passage most like this one by its words, of its topic and language if one is; None where none
    shares a word or all are copies."""
    own = passages[at]
    found = [
        i for i in index.top(own.text, 20) if i != at and index.share(own.text, passages[i].text) < MOST_ALIKE
    ]
    near = [i for i in found if (passages[i].topic, passages[i].language) == (own.topic, own.language)]
    return next(iter(near or found), None)


def _ask_facts(tasks: Sequence[Task], judge: Ask) -> tuple[dict[str, list[Fact]], list[dict]]:
    """The confirmed facts of every passage by its id, and what went wrong."""
    asked = {passage.chunk_id: passage for task in tasks for passage in task.passages}
    facts, lost = dict[str, list[Fact]](), list[dict]()
    answers = judge([replies.facts_prompt(passage) for passage in asked.values()])
    for passage, answer in zip(asked.values(), answers, strict=True):
        facts[passage.chunk_id] = []
        try:
            said = parse_reply(answer, Facts, [passage.text]).facts[: replies.MOST_FACTS]
        except (Unanswered, Unparsed) as problem:
            lost.append(_lost(str(problem), "facts", passage))
            continue
        facts[passage.chunk_id] = replies.quoted_facts(said, passage.text)
        invented = len(said) - len(facts[passage.chunk_id])
        lost += [_lost("is a key fact whose quotation is not in the passage", "facts", passage)] * invented
    return facts, lost


def _ask_questions(
    tasks: Sequence[Task], facts: Mapping[str, list[Fact]], judge: Ask
) -> tuple[list[dict], list[dict]]:
    """The questions of all tasks as rows, flawed ones among them, and what was lost."""
    known = [[facts[passage.chunk_id] for passage in task.passages] for task in tasks]
    ready = [(task, own) for task, own in zip(tasks, known, strict=True) if all(own)]
    bare = [task for task, own in zip(tasks, known, strict=True) if not all(own)]
    lost = [
        _lost("has a passage without a confirmed key fact", "questions", task.passages[0]) for task in bare
    ]
    made = list[dict]()
    answers = judge([replies.questions_prompt(task.passages, task.orders, own) for task, own in ready])
    for (task, own), answer in zip(ready, answers, strict=True):
        try:
            said = parse_reply(answer, Questions, [passage.text for passage in task.passages]).questions
        except (Unanswered, Unparsed) as problem:
            lost.append(_lost(str(problem), "questions", task.passages[0]))
            continue
        numbered = {question.number: question for question in said}
        for number, order in enumerate(task.orders, start=1):
            if number in numbered:
                made.append(replies.case_row(numbered[number], order, task.passages, own))
            else:
                lost.append(_lost("was asked for and not written", order[0], task.passages[0]))
    return made, lost


def _lost(reason: str, what: str, passage: Unit) -> dict[str, Any]:
    family = f"model_{what}"
    return {
        "question": "",
        "reason": reason,
        "family": family,
        "chunk_id": passage.chunk_id,
        "similarity": np.nan,
    }
