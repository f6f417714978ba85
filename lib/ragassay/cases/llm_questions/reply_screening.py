"""What a language model wrote, checked by its form and against its passage:
a row of the cases table, or why there is none."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ragassay.cases.llm_questions.question_prompts import Fact, Question
from ragassay.cases.llm_questions.request_planning import NO_ANSWER, Order, Task
from ragassay.cases.rule_questions import question_form_checks

FEWEST, MOST = 3, 60  # words of a question
OPTIONS = range(3, 6)  # of a multiple-choice question
LETTERS = "ABCDE"
SHOWN_ELSEWHERE = re.compile(
    r"\b(?:passages?|excerpts?|(?:the|this) (?:text|context|extract|fact)|(?:text|context|information) "
    r"(?:above|below|provided|given))\b",
    re.IGNORECASE,
)
QUOTED = ("factual", "multiple_choice")  # types whose key fact stands in the passage as it is


def facts_found_in(facts: Sequence[Fact], text: str) -> list[Fact]:
    """The facts whose quotation stands in the passage, but for case, width of letters and white space."""
    there = fold_text(text)
    return [fact for fact in facts if fold_text(fact.quote) and fold_text(fact.quote) in there]


def fold_text(text: str) -> str:
    """A text without what copying changes: compatible forms of letters, case, runs of white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def row(question: Question, order: Order, task: Task, facts: Sequence[Sequence[Fact]]) -> dict:
    """The question as a row, with `reason` "" or the flaw of its form,
    and with `stem` and `told` for the reader of `question_filter`."""
    cited, kind = _cited(question, facts), order.query_type
    answerable = kind != NO_ANSWER
    first = task.passages[0]
    made: dict[str, Any] = {
        "question": question.question.strip(),
        "answer_type": _answer_type(kind, cited),
        "query_type": kind if answerable else "factual",
        "topic": first.topic or None,
        "answerable": answerable,
        "reference_answer": question.answer.strip() if answerable else None,
        "reference_chunk_ids": [passage.chunk_id for passage in task.passages] if answerable else [],
        "language": first.language,
        "kind": "generated",
        "key_fact": question.key_fact.strip() if answerable else None,
        "family": f"model_{kind}",
        "difficulty": order.difficulty,
        "chunk_id": first.chunk_id,
        "stem": question.question.strip(),
        "told": question.key_fact if kind in QUOTED else " ".join(fact.quote for fact in cited),
        "fact": (tuple(passage.chunk_id for passage in task.passages), *(fact.quote for fact in cited)),
        "choices": [],
        "reason": flaw(question, kind, facts, cited),
    }
    return made | _with_options(made, question) if kind == "multiple_choice" and not made["reason"] else made


def flaw(question: Question, kind: str, facts: Sequence[Sequence[Fact]], cited: Sequence[Fact]) -> str:
    """Why the question may not be kept, "" if it may: judged by its form and by the facts it names."""
    text = question.question.strip()
    found = _malformed(text)
    if found or kind == NO_ANSWER:
        return found or (
            "has an answer, and should have none" if question.answer.strip() or question.facts else ""
        )
    if not question.answer.strip() or not _bare(question.key_fact):
        return "has no answer"
    if not all(
        line.isprintable()
        for text in (question.answer, question.key_fact, *question.options)
        for line in text.splitlines()
    ):
        return "has loose signs in its answer"
    if len(cited) < len(question.facts) or not cited:
        return "names no fact that it rests on"
    if kind == "multi_hop" and not all(any(fact in cited for fact in own) for own in facts):
        return "rests on one passage alone"
    return _answer_flaw(question, kind, cited)


def _malformed(text: str) -> str:
    """What is wrong with a question as a sentence."""
    if not text.endswith(("?", "？", "؟")) or sum(map(text.count, "?？؟")) > 1:
        return "does not end in one question mark"
    if not FEWEST <= len(text.split()) <= MOST and text.isascii():
        return f"has {len(text.split())} words; {FEWEST} to {MOST} are asked for"
    if not text.isprintable() or len(text) > 600:
        return "has loose signs in it"
    return "points to something outside the question" if SHOWN_ELSEWHERE.search(text) else ""


def _answer_flaw(question: Question, kind: str, cited: Sequence[Fact]) -> str:
    """What is wrong with the answer of a question that is well-formed and names its facts."""
    key = question.key_fact.strip()
    if kind == "yes_no":
        return "" if key.casefold() in ("yes", "no") else "is answered by neither yes nor no"
    if kind == "multiple_choice":
        options = [_bare(option) for option in question.options]
        if len(options) not in OPTIONS or len(set(options)) < len(options) or options.count(_bare(key)) != 1:
            return "does not offer three to five options, the right one among them"
    if kind in QUOTED and not any(_bare(key) in fold_text(fact.quote) for fact in cited):
        return "has a key fact that its passage does not state"
    return "contains its own answer" if question_form_checks.gives_answer_away(question.question, key) else ""


def _with_options(made: Mapping[str, Any], question: Question) -> dict[str, Any]:
    """The question with its options listed, in an order that tells nothing: that of their letters."""
    options = sorted(
        (option.strip().rstrip(".") for option in question.options),
        key=lambda option: (fold_text(option), option),
    )
    right = [_bare(option) for option in options].index(_bare(made["key_fact"]))
    listed = "; ".join(f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))
    answer = f"({LETTERS[right]}) {options[right]}. {made['reference_answer']}"
    return {"question": f"{made['question']} {listed}", "reference_answer": answer, "choices": options}


def _bare(option: str) -> str:
    """An option without what does not tell it from another: case, white space, a full stop at its end."""
    return fold_text(option).rstrip(". ")


def _cited(question: Question, facts: Sequence[Sequence[Fact]]) -> list[Fact]:
    """The facts that a question names, each once."""
    known = [fact for own in facts for fact in own]
    return [known[number - 1] for number in sorted(set(question.facts)) if number <= len(known)]


def _answer_type(kind: str, cited: Sequence[Fact]) -> str:
    """What kind of answer is wanted, as the cases table names it."""
    if kind == NO_ANSWER:
        return NO_ANSWER
    if kind in ("multi_hop", "inference"):
        return "multi_step"
    kinds = {fact.kind for fact in cited} if kind in ("factual", "open") else set()
    return "instruction" if "step" in kinds else "definition" if "definition" in kinds else "short_fact"
