"""Questions by a language model, through the judge's door (HCAT section 2, step 5): for users who name one;
never asked otherwise.

Every reply is kept in the judge's journal: the same chunks, n, seed and judge give the same cases, and
nothing is paid for twice.
"""

import json
import re
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from ragassay import models
from ragassay.cases import case_table, question_filter
from ragassay.cases.case_table import fold_text
from ragassay.cases.question_filter import Index
from ragassay.cases.rule_questions import EXTRA, REJECTED, askable_units
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.models.judge_messages import Ask, Form, Reply, Request, Said, Unparsed, fence, parse_reply
from ragassay.tables import QUERY_TYPES

NO_ANSWER = "no_answer"
TYPES = (*QUERY_TYPES, NO_ANSWER)
DIFFICULTIES = ("easy", "medium", "hard")
PER_PASSAGE, SPARE = 3, 0.25  # questions asked for of a passage at most; beyond n, since some fail the checks
MOST_ALIKE = 0.9  # share of a passage's words, by rarity, from which another is a copy of it
MOST_FACTS = 8
FEWEST, MOST = 3, 60  # words of a question
OPTIONS = range(3, 6)  # of a multiple-choice question
QUOTED = ("factual", "multiple_choice")  # types whose key fact stands in the passage as it is
SHOWN_ELSEWHERE = re.compile(
    r"\b(?:passages?|excerpts?|(?:the|this) (?:text|context|extract|fact)|(?:text|context|information) "
    r"(?:above|below|provided|given))\b",
    re.IGNORECASE,
)
Maybe = Annotated[str, Field(strict=True, max_length=4_000)]
Number = Annotated[int, Field(strict=True, ge=1)]


class Fact(Form):
    """A key fact and the words of the passage that state it."""

    fact: Said
    quote: Said
    kind: Literal["number", "date", "condition", "definition", "step", "exception", "other"]


class Question(Form):
    """A question, its answer, and the numbers of the facts that the answer rests on."""

    number: Number
    question: Said
    answer: Maybe
    key_fact: Maybe
    facts: list[Number]
    options: Annotated[list[Said], Field(default_factory=list, max_length=8)]


class Written(Form):
    """A reply: the key facts, and the questions about them."""

    facts: list[Fact]
    questions: list[Question]


class Task(NamedTuple):
    """What is asked about a passage, or about two that belong together: (type, difficulty) of each."""

    passages: list[Unit]
    orders: list[tuple[str, str]]


def generate(
    chunks: pd.DataFrame,
    n: int,
    judge: Ask,
    seed: int = 0,
    *,
    allocation: str = "proportional",
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the topics, written by a language model, and what was not kept.

    The model lists the key facts of a passage, each with its quotation, and writes questions about them, of
    all types and difficulties in turn. Kept are those that are well formed, name facts whose quotation stands
    in the passage, do not hold their answer, are near their passage, lead a plain reader to their answer, and
    are not asked twice; one without an answer where no passage holds most of its words.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading and title where known
    judge : models.judge.Judge, or anything that gives replies to requests in their order
    seed : of the draw of passages; the judge has a seed of its own
    allocation : "proportional" to the passages of a topic, or "equal"

    Returns
    -------
    cases : as of `rule_questions.generate`, difficulty as ordered
    rejected : question, reason, family, chunk_id, similarity; a reply that did not come or could not be
        parsed is a row without a question
    """
    rng, index = np.random.default_rng(seed), Index(chunks["text"].tolist())
    tasks = _plan_tasks(chunks, n, allocation, index, rng)
    replies = judge([_request(task) for task in tasks])
    rows = [row for task, reply in zip(tasks, replies, strict=True) for row in _rows(task, reply)]
    asked: set[str] = set()
    for row in rows:
        key, question = askable_units.question_key(row["stem"]), row["question"]
        near = [] if row["answerable"] else chunks["text"].iloc[index.top(question)]
        if not row["reason"] and key in asked:
            row["reason"] = "is asked already"
        elif not row["reason"] and any(index.share(question, text) > question_filter.SAID for text in near):
            row["reason"] = "might be answered"
        asked |= set() if row["reason"] else {key}
    answerable = [row for row in rows if row["answerable"] and not row["reason"]]
    question_filter.screen_questions(answerable, chunks, index, encode)
    good = [row for row in rows if not row["reason"]]
    kept = question_filter.draw_questions(good, chunks, n, allocation, rng)
    cases = [{"case_id": f"m-{i:04d}"} | row for i, row in enumerate(kept, start=1)]
    rejected = [row for row in rows if row["reason"]]
    return case_table.cases_frame(cases, extra=EXTRA), pd.DataFrame(rejected, columns=REJECTED)


def reasons(rejected: pd.DataFrame, most: int = 10) -> list[str]:
    """The commonest reasons why questions were not kept, `7  names no fact that it rests on` each."""
    kinds = rejected["reason"].astype(str).str.slice(0, 100).value_counts().head(most)
    return [f"{count:,}  {reason}" for reason, count in kinds.items()]


def _plan_tasks(
    chunks: pd.DataFrame, n: int, allocation: str, index: Index, rng: np.random.Generator
) -> list[Task]:
    """What is asked of which passage, n * (1 + SPARE) questions over the topics: types and difficulties in
    turns; where a passage has no second one, another type takes the turn of multi_hop."""
    passages = askable_units.passages(chunks)
    topics = [passage.topic or "" for passage in passages]
    inside = {name: [i for i, one in enumerate(topics) if one == name] for name in sorted({*topics})}
    sizes = {name: len(places) * PER_PASSAGE for name, places in inside.items()}
    counts = question_filter.allocate(sizes, ceil(n * (1 + SPARE)), sizes, allocation)
    tasks: dict[int, Task] = {}
    turn = 0
    for name, count in counts.items():
        drawn = sorted(rng.permutation(inside[name])[: ceil(count / PER_PASSAGE)].tolist())
        for at in (drawn[i % len(drawn)] for i in range(count)):
            kind, difficulty = TYPES[turn % len(TYPES)], DIFFICULTIES[(turn + turn // len(TYPES)) % 3]
            task = tasks.setdefault(at, Task([passages[at]], []))
            if kind == "multi_hop" and len(task.passages) == 1:
                own = passages[at]  # goes with that of its topic most like it by its words, if no copy
                near = [passages[i] for i in index.top(own.text, 20) if i != at]
                near = [one for one in near if (one.topic, one.language) == (own.topic, own.language)]
                near = [one for one in near if index.share(own.text, one.text) < MOST_ALIKE]
                task.passages.extend(near[:1])
                kind = kind if len(task.passages) > 1 else "factual"
            task.orders.append((kind, difficulty))
            turn += 1
    return list(tasks.values())


def _request(task: Task) -> Request:
    orders = [
        json.dumps({"number": i, "type": kind, "difficulty": how})
        for i, (kind, how) in enumerate(task.orders, start=1)
    ]
    prompt = (Path(__file__).parent / "prompts" / "questions.md").read_text(encoding="utf-8")
    names = ["PASSAGE"] if len(task.passages) == 1 else ["FIRST PASSAGE", "SECOND PASSAGE"]
    shown = [
        fence(label, text)
        for name, one in zip(names, task.passages, strict=True)
        for label, text in ((f"TITLE OF THE {name}", one.title), (name, one.text))
        if text
    ]
    system = prompt.format(most=MOST_FACTS, orders="\n".join(orders)).strip()
    return Request("case_questions", system, "\n\n".join(shown), 2_200 + 400 * len(orders))


def _rows(task: Task, reply: Reply) -> list[dict]:
    """A row for each question that was ordered, with `reason` "" or why it is lost."""
    texts = [passage.text for passage in task.passages]
    try:
        written = parse_reply(reply, Written, texts)
    except Unparsed as problem:
        return [_lost(str(problem), "questions", task)]
    facts, numbered = written.facts[:MOST_FACTS], {one.number: one for one in written.questions}
    quotes = [fold_text(fact.quote) for fact in facts]
    holding = [
        [passage for passage in task.passages if quote and quote in fold_text(passage.text)]
        for quote in quotes
    ]
    rows = []
    for number, (kind, difficulty) in enumerate(task.orders, start=1):
        if number not in numbered:
            rows.append(_lost("was asked for and not written", kind, task))
            continue
        one = numbered[number]
        cited = [(facts[i - 1], holding[i - 1]) for i in sorted(set(one.facts)) if i <= len(facts)]
        rows.append(_row(one, kind, task, cited) | {"difficulty": difficulty})
    return rows


def _lost(reason: str, what: str, task: Task) -> dict:
    return {
        "question": "",
        "stem": "",
        "answerable": True,
        "chunk_id": task.passages[0].chunk_id,
        "reason": reason,
        "family": f"model_{what}",
    }


def _row(one: Question, kind: str, task: Task, cited: Sequence[tuple[Fact, list[Unit]]]) -> dict:
    """The question as a row of a case, with `reason` "" or its flaw, and with what `question_filter` wants
    (`stem`, `expected`, `fact`). A multiple-choice question lists its options in order."""
    stem, answer, key = one.question.strip(), one.answer.strip(), one.key_fact.strip()
    answerable, asked, options = kind != NO_ANSWER, stem, list[str]()
    holding = dict.fromkeys(unit.chunk_id for _, units in cited for unit in units)
    ids = [unit.chunk_id for unit in task.passages if unit.chunk_id in holding]
    reason = _flaw(one, kind, cited, ids)
    if kind == "multiple_choice" and not reason:
        options = sorted((text.strip().rstrip(".") for text in one.options), key=fold_text)
        right = [_bare(text) for text in options].index(_bare(key))
        asked += " " + "; ".join(f"({letter}) {text}" for letter, text in zip("ABCDE", options, strict=False))
        answer = f"({'ABCDE'[right]}) {options[right]}. {answer}"
    first, quotes = task.passages[0], [fact.quote for fact, _ in cited]
    kinds = {fact.kind for fact, _ in cited} if kind in ("factual", "open") else set()
    answer_type = (
        "instruction" if "step" in kinds else "definition" if "definition" in kinds else "short_fact"
    )
    answer_type = {"multi_hop": "multi_step", "inference": "multi_step", NO_ANSWER: NO_ANSWER}.get(
        kind, answer_type
    )
    return {
        "question": asked,
        "answer_type": answer_type,
        "query_type": kind if answerable else "factual",
        "topic": first.topic or None,
        "answerable": answerable,
        "reference_answer": answer if answerable else None,
        "reference_chunk_ids": ids if answerable else [],
        "language": first.language,
        "kind": "generated",
        "key_fact": key if answerable else None,
        "family": f"model_{kind}",
        "similarity": np.nan,
        "choices": options,
        "reason": reason,
        "chunk_id": first.chunk_id,
        "stem": stem,
        "expected": key if kind in QUOTED else " ".join(quotes),
        "fact": (*ids, *quotes),
    }


def _flaw(one: Question, kind: str, cited: Sequence[tuple[Fact, list[Unit]]], ids: Sequence[str]) -> str:
    """Why the question may not be kept, "" if it may: judged by its form and by the facts it names."""
    text, words, silent = one.question.strip(), len(one.question.split()), kind == NO_ANSWER
    lines = [line for said in (one.answer, one.key_fact, *one.options) for line in said.splitlines()]
    key, offered = _bare(one.key_fact), [_bare(option) for option in one.options]
    apart = len(offered) in OPTIONS and len(set(offered)) == len(offered)
    unfounded = len(cited) < len(set(one.facts)) or not cited or not all(units for _, units in cited)
    quoted = any(key in fold_text(fact.quote) for fact, _ in cited)
    flaws = {  # the first that holds is told
        "does not end in one question mark": not text.endswith(("?", "？", "؟"))
        or sum(map(text.count, "?？؟")) > 1,
        f"has {words} words; {FEWEST} to {MOST} are asked for": not FEWEST <= words <= MOST
        and text.isascii(),
        "has loose signs in it": not all(line.isprintable() for line in (text, *lines)) or len(text) > 600,
        "points to something outside the question": SHOWN_ELSEWHERE.search(text),
        "has an answer, and should have none": silent and (one.answer.strip() or one.facts),
        "rests on no fact that its passage states": not silent and unfounded,
        "rests on one passage alone": kind == "multi_hop" and len(ids) < 2,
        "has no answer": not silent and not (one.answer.strip() and key),
        "is answered by neither yes nor no": kind == "yes_no" and key not in ("yes", "no"),
        "does not offer three to five options, the right one among them": kind == "multiple_choice"
        and not (apart and key in offered),
        "has a key fact that its passage does not state": kind in QUOTED and not quoted,
        "contains its own answer": not (silent or kind == "yes_no")
        and askable_units.gives_answer_away(text, one.key_fact.strip()),
    }
    return next((flaw for flaw, holds in flaws.items() if holds), "")


def _bare(option: str) -> str:
    """An option without what does not tell it from another: case, white space, a full stop at its end."""
    return fold_text(option).rstrip(". ")
