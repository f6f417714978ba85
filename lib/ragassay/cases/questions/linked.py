"""Multi-hop questions: two passages linked by what one of them defines or both of them name."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ragassay.cases.questions import words
from ragassay.cases.questions.candidate import Candidate

TERM = re.compile(r"[Ww]hat (?:is|are|does) (?:the term |an? |the )?[“\"]?(?P<term>[^?”\",]{4,60}?)[”\"]?(?: mean)?\?$")
ASKS = re.compile(r"(?:what|how|when|who|whom|why|which|within|by|until|between|in what|at|since|before|from|after)\b", re.IGNORECASE)
OFTEN = 3  # questions one passage may lend its definition or name to
COMMON = 0.02  # a name in more than this share of the questions links nothing in particular


def questions(candidates: Sequence[Candidate], rng: np.random.Generator) -> Iterator[Candidate]:
    """A fact asked by the description of what it is about, or together with its definition, or with another fact of the same name."""
    facts = [one for one in candidates if one.query_type in ("factual", "open") and one.source.language == "en" and ASKS.match(one.question)]
    shuffled = [facts[i] for i in rng.permutation(len(facts))]
    terms = {term: one for one in facts if one.family == "definition" and (term := _term(one))}
    used: dict[str, int] = {}
    named: dict[str, Candidate] = {}
    for one in shuffled:
        term = _mentioned(one, terms)
        name = _name(one, shuffled)
        if term and used.get(term, 0) < OFTEN:
            used[term] = used.get(term, 0) + 1
            yield _described(one, term, terms[term]) or _joined(terms[term], one)
        elif name and name in named and named[name].key_fact != one.key_fact and named[name].chunk_ids != one.chunk_ids:
            yield _joined(named.pop(name), one)
        elif name:
            named[name] = one


def _term(one: Candidate) -> str:
    found = TERM.search(one.question)
    return found["term"] if found else ""


def _mentioned(one: Candidate, terms: dict[str, Candidate]) -> str:
    """The longest defined term in a question about something else, defined in another passage."""
    if one.family == "definition":
        return ""
    inside = [term for term in terms if re.search(rf"\b{re.escape(term)}\b", one.question) and terms[term].chunk_ids[0] not in one.chunk_ids]
    return max(inside, key=len, default="")


def _name(one: Candidate, of: Sequence[Candidate]) -> str:
    """The name in the fewest questions, if it is no name that everything has."""
    found = words.names(one.question) if one.family != "definition" else []
    counts = {name: sum(name in other.question for other in of) for name in found} if found else {}
    rare = [name for name in counts if 2 <= counts[name] <= max(4, COMMON * len(of))]
    return min(rare, key=lambda name: (counts[name], name), default="")


def _described(one: Candidate, term: str, definition: Candidate) -> Candidate | None:
    """How long is a pre-approval valid? -> How long is a written statement of what may be lent valid?; None where it does not fit."""
    meaning = definition.key_fact.rstrip(".")
    mention = re.search(rf"\b(?:an?|each|every|any) {re.escape(term)}\b(?! \w*[A-Z])", one.question)
    if not mention or not re.match(r"an? ", meaning) or len(meaning.split()) > 14 or re.search(r"[,;:()]", meaning):
        return None
    question = one.question[: mention.start()] + meaning + one.question[mention.end() :]
    return None if term.lower() in question.lower() else _made(question, definition, one)


def _joined(first: Candidate, second: Candidate) -> Candidate:
    """What is a pre-approval, and how long is a pre-approval valid?"""
    stem = second.question
    small = stem if stem.split()[0].rstrip(",") in ("For", "Under", "According", "When") and "," in stem else stem[:1].lower() + stem[1:]
    return _made(f"{first.question.rstrip('?')}, and {small}", first, second)


def _made(question: str, first: Candidate, second: Candidate) -> Candidate:
    chunk_ids = tuple(dict.fromkeys([*first.chunk_ids, *second.chunk_ids]))
    answer = f"{first.answer} {second.answer}"
    return second._replace(question=question, answer=answer, query_type="multi_hop", answer_type="short_fact", family="linked", chunk_ids=chunk_ids)
