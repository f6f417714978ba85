"""Questions by a language model, through the judge's door (HCAT section 2, step 5): for users who name one;
never asked otherwise.

request_planning.py  which passages, which types, which difficulty
reply_screening.py   a reply's question as a row, or what is wrong with it
question_prompts.py  what the model is told, in our own words
question_counts.py   what became of them

Every reply is kept in the judge's journal: the same chunks, n, seed and judge give the same cases, and
nothing is paid for twice.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases import case_sampling, case_table, question_filter
from ragassay.cases.llm_questions import question_prompts, reply_screening, request_planning
from ragassay.cases.llm_questions.question_prompts import Fact, Facts, Questions
from ragassay.cases.llm_questions.request_planning import DIFFICULTIES, TYPES, Passage, Task, Wanted
from ragassay.cases.rule_questions import question_form_checks
from ragassay.documents import sentences
from ragassay.errors import InputError
from ragassay.models.judge import Budget, DryRun, Judge, Reply, Request
from ragassay.models.judge.messages import UNANSWERED, UNPARSED, Unanswered, Unparsed, parse_reply

__all__ = [
    "DIFFICULTIES",
    "TYPES",
    "Wanted",
    "budget",
    "failures",
    "generate",
    "in_words",
    "reasons",
    "require_questions",
]
Ask = Callable[[Sequence[Request]], list[Reply]]
MOST = 10  # reasons that are named
REJECTED = ["question", "reason", "family", "chunk_id", "similarity"]
EXTRA = ["key_fact", "family", "similarity", "difficulty", "choices"]


def generate(
    chunks: pd.DataFrame,
    n: int,
    judge: Ask,
    seed: int = 0,
    *,
    wanted: Wanted | None = None,
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the topics, written by a language model, and what was not kept.

    The model is asked for the key facts of a passage, each with its quotation; a fact whose quotation does
    not stand in the passage is dropped. It is then asked for questions about these facts, of the types and
    difficulty that are due. Of these, those are kept that are well-formed, name facts they rest on, do not
    hold their answer, are near their passage, lead a plain reader to their answer, and are not asked twice; a
    question without an answer is kept where no passage holds most of its words.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading and title where known
    judge : models.judge.Judge, or anything that gives replies to requests in their order
    seed : of the draw of passages; the judge has a seed of its own
    wanted : types, difficulties, allocation; all types over all topics by default

    Returns
    -------
    cases : rows of the cases table, kind "generated", with key_fact, family, similarity (cosine with its
        passage, NaN without one), difficulty as ordered (easy, medium, hard) and choices (of a
        multiple-choice question, else empty) besides
    rejected : question, reason, family, chunk_id, similarity; a reply that did not come or could not be
        parsed is a row without a question
    """
    wanted = wanted or Wanted()
    passages, rng = request_planning.passages_of(chunks), np.random.default_rng(seed)
    index = question_filter.Index([passage.text for passage in passages])
    tasks = request_planning.tasks(passages, n, wanted, index, rng)
    facts, flawed = _facts(tasks, judge)
    written, failed = _written(tasks, facts, judge)
    question_filter.screen_questions(_well_formed(written), chunks, index, encode)
    _doubt([row for row in written if not row["answerable"] and not row["reason"]], passages, index)
    kept = _chosen([row for row in written if not row["reason"]], passages, n, wanted)
    cases = [{"case_id": f"m-{i:04d}"} | row for i, row in enumerate(kept, start=1)]
    lost = [row for row in chain(flawed, failed, written) if row["reason"]]
    return case_table.cases_frame(cases, extra=EXTRA), pd.DataFrame(lost, columns=REJECTED)


def budget(
    chunks: pd.DataFrame, n: int, judge: Judge, seed: int = 0, *, wanted: Wanted | None = None
) -> Budget:
    """What `generate` would take: calls, tokens, and what the journal already holds. Nothing is sent.

    The second requests hold the facts that the first ones give; where these are not in the journal, the
    passage's first sentences stand in.
    """
    passages = request_planning.passages_of(chunks)
    index = question_filter.Index([passage.text for passage in passages])
    tasks = request_planning.tasks(passages, n, wanted or Wanted(), index, np.random.default_rng(seed))
    supposed = {
        question_prompts.facts_prompt(passage): _supposed(passage)
        for task in tasks
        for passage in task.passages
    }
    stand_in = DryRun(judge, lambda request: supposed.get(request, '{"questions": []}'))
    facts, _ = _facts(tasks, stand_in)
    _written(tasks, facts, stand_in)
    return stand_in.budget


def _facts(tasks: Sequence[Task], judge: Ask) -> tuple[dict[str, list[Fact]], list[dict]]:
    """The confirmed facts of every passage by its id, and what went wrong."""
    asked = {passage.chunk_id: passage for task in tasks for passage in task.passages}
    fitting = [passage for passage in asked.values() if len(passage.text) <= question_prompts.MOST]
    too_long = [name for name, passage in asked.items() if len(passage.text) > question_prompts.MOST]
    flawed = [_lost("has a passage too long to be asked about", "model_facts", name) for name in too_long]
    facts: dict[str, list[Fact]] = {name: [] for name in asked}
    for passage, reply in zip(
        fitting, judge([question_prompts.facts_prompt(passage) for passage in fitting]), strict=True
    ):
        try:
            told = parse_reply(reply, Facts, [passage.text]).facts
        except (Unanswered, Unparsed) as problem:
            flawed.append(_lost(str(problem), "model_facts", passage.chunk_id))
            continue
        facts[passage.chunk_id] = reply_screening.facts_found_in(
            told[: question_prompts.MOST_FACTS], passage.text
        )
        invented = len(told[: question_prompts.MOST_FACTS]) - len(facts[passage.chunk_id])
        flawed += [
            _lost("is a key fact whose quotation is not in the passage", "model_facts", passage.chunk_id)
        ] * invented
    return facts, flawed


def _written(
    tasks: Sequence[Task], facts: Mapping[str, list[Fact]], judge: Ask
) -> tuple[list[dict], list[dict]]:
    """The questions of all tasks as rows, flawed ones among them, and the replies that were lost."""
    bare = [task for task in tasks if not all(_of(task, facts))]
    ready = [task for task in tasks if all(_of(task, facts))]
    requests = [question_prompts.questions_prompt(task, _of(task, facts)) for task in ready]
    lost = [
        _lost("has a passage without a confirmed key fact", "model_questions", task.passages[0].chunk_id)
        for task in bare
    ]
    made = list[dict]()
    for task, reply in zip(ready, judge(requests), strict=True):
        try:
            told = parse_reply(reply, Questions, [passage.text for passage in task.passages]).questions
        except (Unanswered, Unparsed) as problem:
            lost.append(_lost(str(problem), "model_questions", task.passages[0].chunk_id))
            continue
        numbered = {question.number: question for question in told}
        for number, order in enumerate(task.orders, start=1):
            if number in numbered:
                made.append(reply_screening.row(numbered[number], order, task, _of(task, facts)))
            else:
                lost.append(
                    _lost(
                        "was asked for and not written",
                        f"model_{order.query_type}",
                        task.passages[0].chunk_id,
                    )
                )
    return made, lost


def _of(task: Task, facts: Mapping[str, list[Fact]]) -> list[list[Fact]]:
    return [facts[passage.chunk_id] for passage in task.passages]


def _well_formed(written: list[dict]) -> list[dict]:
    """The rows that have an answer and no flaw so far; one that is asked already gets its reason here."""
    seen: set[str] = set()
    for row in written:
        key = question_form_checks.question_key(row["stem"])
        row |= {"similarity": np.nan, "reason": row["reason"] or ("is asked already" if key in seen else "")}
        seen |= set() if row["reason"] else {key}
    return [row for row in written if row["answerable"] and not row["reason"]]


def _doubt(unanswerable: list[dict], passages: Sequence[Passage], index: question_filter.Index) -> None:
    """Give a reason to each row without an answer that a passage might answer after all."""
    texts = [passage.text for passage in passages]
    for row in unanswerable:
        if question_filter.might_be_answered(row["question"], texts, index):
            row["reason"] = "might be answered by a passage"


def _chosen(kept: list[dict], passages: Sequence[Passage], n: int, wanted: Wanted) -> list[dict]:
    """n rows over the topics by their passages;
    within a topic kinds take turns, in the order they were written."""
    inside = request_planning.topics_of([row["topic"] or "" for row in kept])
    shares = {
        name: float(len(places))
        for name, places in request_planning.topics_of([passage.topic for passage in passages]).items()
    }
    how, weights = ("equal", None) if wanted.allocation == "equal" else ("weighted", wanted.weights or shares)
    counts = case_sampling.allocate({name: len(places) for name, places in inside.items()}, n, how, weights)
    return [
        row for name in sorted(counts) for row in _in_turns([kept[i] for i in inside[name]])[: counts[name]]
    ]


def _in_turns(kept: list[dict]) -> list[dict]:
    earlier: dict[str, int] = {}
    ranked = []
    for i, row in enumerate(kept):
        earlier[row["family"]] = earlier.get(row["family"], 0) + 1
        ranked.append((earlier[row["family"]], i, row))
    return [row for *_, row in sorted(ranked, key=lambda one: one[:2])]


def _lost(reason: str, family: str, chunk_id: str) -> dict[str, Any]:
    return {"question": "", "reason": reason, "family": family, "chunk_id": chunk_id, "similarity": np.nan}


def _supposed(passage: Passage) -> str:
    """A reply that quotes the first sentences of a passage, for a dry run."""
    quoted = [text for text in sentences(passage.text) if text.strip()][: question_prompts.MOST_FACTS]
    return Facts(
        facts=[Fact(fact=text[:2_000], quote=text[:2_000], kind="other") for text in quoted]
    ).model_dump_json()


def failures(rejected: pd.DataFrame) -> dict[str, int]:
    """How many replies did not come (`unanswered`) and how many could not be parsed (`unparsed`)."""
    reasons = rejected["reason"].astype(str)
    return {
        name: int(reasons.str.startswith(words).sum())
        for name, words in (("unanswered", UNANSWERED), ("unparsed", UNPARSED))
    }


def in_words(cases: pd.DataFrame, rejected: pd.DataFrame) -> str:
    """`12 questions kept, 7 rejected (replies that did not come: 2, unparsed: 1)`."""
    count = failures(rejected)
    lost = f"replies that did not come: {count['unanswered']:,}, unparsed: {count['unparsed']:,}"
    return f"{len(cases):,} questions kept, {len(rejected):,} rejected ({lost})"


def reasons(rejected: pd.DataFrame) -> list[str]:
    """The commonest reasons, `7  names no fact it rests on` each; MOST at most, the rest counted."""
    kinds = rejected["reason"].astype(str).str.slice(0, 100).value_counts()
    rest = kinds.iloc[MOST:]
    more = [f"{rest.sum():,}  for {len(rest):,} other reasons"] if len(rest) else []
    return [f"{count:,}  {reason}" for reason, count in kinds.head(MOST).items()] + more


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
            found="; ".join([in_words(cases, rejected), *reasons(rejected)[:3]]),
            expected="replies in the form that is asked for, about facts that the passages state",
            do="see that the model answers in plain JSON, name another, or none: then rules ask",
        )
