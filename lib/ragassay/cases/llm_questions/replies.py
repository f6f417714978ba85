"""The two requests, for the key facts of a passage and then for questions about them; the forms of their
replies; and a question checked by its form and against its facts, as a row of the cases table."""

import json
import re
import unicodedata
from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from ragassay.cases.rule_questions import question_form_checks
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.models.judge import Request, fence
from ragassay.models.judge.messages import Form

NO_ANSWER = "no_answer"
MOST_FACTS = 8
TOKENS = {"facts": 2_000, "questions": 400}  # at most in a reply; for questions, of each
FEWEST, MOST = 3, 60  # words of a question
OPTIONS = range(3, 6)  # of a multiple-choice question
QUOTED = ("factual", "multiple_choice")  # types whose key fact stands in the passage as it is
SHOWN_ELSEWHERE = re.compile(
    r"\b(?:passages?|excerpts?|(?:the|this) (?:text|context|extract|fact)|(?:text|context|information) "
    r"(?:above|below|provided|given))\b",
    re.IGNORECASE,
)
Said = Annotated[str, Field(strict=True, min_length=1, max_length=2_000)]
Maybe = Annotated[str, Field(strict=True, max_length=4_000)]
Number = Annotated[int, Field(strict=True, ge=1)]


class Fact(Form):
    """A key fact and the words of the passage that state it."""

    fact: Said
    quote: Said
    kind: Literal["number", "date", "condition", "definition", "step", "exception", "other"]


class Facts(Form):
    """The reply to the first request."""

    facts: list[Fact]


class Question(Form):
    """A question, its answer, and the numbers of the facts that the answer rests on."""

    number: Number
    question: Said
    answer: Maybe
    key_fact: Maybe
    facts: list[Number]
    options: Annotated[list[Said], Field(default_factory=list, max_length=8)]


class Questions(Form):
    """The reply to the second request."""

    questions: list[Question]

    @model_validator(mode="after")
    def _one_each(self) -> "Questions":
        numbers = [question.number for question in self.questions]
        if len(set(numbers)) < len(numbers):
            raise ValueError("two questions have one number")
        return self


def facts_prompt(passage: Unit) -> Request:
    """The request for the key facts of a passage."""
    system = _prompt("facts").format(rule=_prompt("rule"), most=MOST_FACTS, language=_tag(passage.language))
    return Request("case_facts", system, _shown(passage, "PASSAGE"), TOKENS["facts"])


def questions_prompt(
    passages: Sequence[Unit], orders: Sequence[tuple[str, str]], facts: Sequence[Sequence[Fact]]
) -> Request:
    """The request for questions of these (type, difficulty) about one passage or two, whose facts are
    numbered through, from 1."""
    ordered = [
        {"number": i, "type": kind, "difficulty": how} for i, (kind, how) in enumerate(orders, start=1)
    ]
    system = _prompt("questions").format(
        rule=_prompt("rule"), orders="\n".join(map(json.dumps, ordered)), language=_tag(passages[0].language)
    )
    names = ["PASSAGE"] if len(passages) == 1 else ["FIRST PASSAGE", "SECOND PASSAGE"]
    shown = [_shown(passage, name) for passage, name in zip(passages, names, strict=True)]
    known = [(place, fact) for place, own in enumerate(facts, start=1) for fact in own]
    lines = [
        json.dumps(
            {"number": i, "passage": place, "fact": fact.fact, "quote": fact.quote}, ensure_ascii=False
        )
        for i, (place, fact) in enumerate(known, start=1)
    ]
    matter = "\n\n".join([*shown, fence("FACTS", "\n".join(lines))])
    return Request("case_questions", system, matter, TOKENS["questions"] * len(orders) + 200)


def _shown(passage: Unit, name: str) -> str:
    """The passage, and the title of its document where it has one, each in its fence."""
    title = [fence(f"TITLE OF THE {name}", passage.title)] if passage.title else []
    return "\n\n".join([*title, fence(name, passage.text)])


def _prompt(name: str) -> str:
    return (
        files("ragassay.cases.llm_questions")
        .joinpath("prompts", f"{name}.md")
        .read_text(encoding="utf-8")
        .strip()
    )


def _tag(language: str) -> str:
    """A language tag; anything else could be a text that speaks to the model."""
    return language if re.fullmatch(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}", language) else "en"


def quoted_facts(facts: Sequence[Fact], text: str) -> list[Fact]:
    """The facts whose quotation stands in the passage, but for case, width of letters and white space."""
    there = fold_text(text)
    return [fact for fact in facts if fold_text(fact.quote) and fold_text(fact.quote) in there]


def fold_text(text: str) -> str:
    """A text without what copying changes: compatible forms of letters, case, runs of white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def case_row(
    question: Question, order: tuple[str, str], passages: Sequence[Unit], facts: Sequence[Sequence[Fact]]
) -> dict[str, Any]:
    """The question as a row, with `reason` "" or its flaw, and with what `question_filter` wants (`stem`,
    `expected`, `fact`). A multiple-choice question lists its options in the order of their letters."""
    kind, difficulty = order
    flat = [fact for own in facts for fact in own]
    cited = [flat[number - 1] for number in sorted(set(question.facts)) if number <= len(flat)]
    answerable, asked, answer = kind != NO_ANSWER, question.question.strip(), question.answer.strip()
    reason, options = _flaw(question, kind, facts, cited), list[str]()
    if kind == "multiple_choice" and not reason:
        options = sorted(
            (one.strip().rstrip(".") for one in question.options), key=lambda one: (fold_text(one), one)
        )
        right = [_bare(one) for one in options].index(_bare(question.key_fact))
        listed = "; ".join(f"({letter}) {one}" for letter, one in zip("ABCDE", options, strict=False))
        asked, answer = f"{asked} {listed}", f"({'ABCDE'[right]}) {options[right]}. {answer}"
    return {
        "question": asked,
        "answer_type": _answer_type(kind, cited),
        "query_type": kind if answerable else "factual",
        "topic": passages[0].topic or None,
        "answerable": answerable,
        "reference_answer": answer if answerable else None,
        "reference_chunk_ids": [passage.chunk_id for passage in passages] if answerable else [],
        "language": passages[0].language,
        "kind": "generated",
        "key_fact": question.key_fact.strip() if answerable else None,
        "family": f"model_{kind}",
        "similarity": np.nan,
        "difficulty": difficulty,
        "choices": options,
        "reason": reason,
        "chunk_id": passages[0].chunk_id,
        "stem": question.question.strip(),
        "expected": question.key_fact if kind in QUOTED else " ".join(fact.quote for fact in cited),
        "fact": (tuple(passage.chunk_id for passage in passages), *(fact.quote for fact in cited)),
    }


def _flaw(question: Question, kind: str, facts: Sequence[Sequence[Fact]], cited: Sequence[Fact]) -> str:
    """Why the question may not be kept, "" if it may: judged by its form and by the facts it names."""
    text = question.question.strip()
    said = [
        line for one in (question.answer, question.key_fact, *question.options) for line in one.splitlines()
    ]
    if not text.endswith(("?", "？", "؟")) or sum(map(text.count, "?？؟")) > 1:
        return "does not end in one question mark"
    if not FEWEST <= len(text.split()) <= MOST and text.isascii():
        return f"has {len(text.split())} words; {FEWEST} to {MOST} are asked for"
    if not all(line.isprintable() for line in (text, *said)) or len(text) > 600:
        return "has loose signs in it"
    if SHOWN_ELSEWHERE.search(text):
        return "points to something outside the question"
    if kind == NO_ANSWER:
        return "has an answer, and should have none" if question.answer.strip() or question.facts else ""
    if len(cited) < len(question.facts) or not cited:
        return "names no fact that it rests on"
    if kind == "multi_hop" and not all(any(fact in cited for fact in own) for own in facts):
        return "rests on one passage alone"
    return _answer_flaw(question, kind, cited)


def _answer_flaw(question: Question, kind: str, cited: Sequence[Fact]) -> str:
    key, options = _bare(question.key_fact), [_bare(option) for option in question.options]
    if not question.answer.strip() or not key:
        return "has no answer"
    if kind == "yes_no":
        return "" if key in ("yes", "no") else "is answered by neither yes nor no"
    offered = len(options) in OPTIONS and len(set(options)) == len(options) and options.count(key) == 1
    if kind == "multiple_choice" and not offered:
        return "does not offer three to five options, the right one among them"
    if kind in QUOTED and not any(key in fold_text(fact.quote) for fact in cited):
        return "has a key fact that its passage does not state"
    given_away = question_form_checks.gives_answer_away(question.question, question.key_fact.strip())
    return "contains its own answer" if given_away else ""


def _bare(option: str) -> str:
    """An option without what does not tell it from another: case, white space, a full stop at its end."""
    return fold_text(option).rstrip(". ")


def _answer_type(kind: str, cited: Sequence[Fact]) -> str:
    if kind == NO_ANSWER:
        return NO_ANSWER
    if kind in ("multi_hop", "inference"):
        return "multi_step"
    kinds = {fact.kind for fact in cited} if kind in ("factual", "open") else set()
    return "instruction" if "step" in kinds else "definition" if "definition" in kinds else "short_fact"
