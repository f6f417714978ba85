"""Multi-hop questions: two passages linked by what one of them defines or both of them speak of."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.askable_units import Candidate

TERM = re.compile(
    r"[Ww]hat (?:is|are|does) (?:the term |an? |the )?[“\"]?(?P<term>[^?”\",]{4,60}?)[”\"]?(?: mean)?\?$"
)
ASKS = re.compile(
    r"(?:what|how|when|who|whom|why|which|within|by|until|between|in what|at|since|before|from|after)\b",
    re.IGNORECASE,
)
OPENING = re.compile(r"^(?:According to “[^”]{1,120}”|(?:Under|For|When) [^,?]{3,90}), ")
PLAIN = (
    word_forms.NOT_SUBJECTS
    | word_forms.AUXILIARIES
    | {"does", "happens", "mean", "that", "have", "been", "many", "much", "long"}
)
PAIRS = 4  # names and pairs of words in a question, about
OFTEN = 3  # questions one passage may lend its definition or name to
COMMON = 0.02  # a name in more than this share of the questions links nothing in particular


def questions(candidates: Sequence[Candidate], rng: np.random.Generator) -> Iterator[Candidate]:
    """A fact asked by the description of what it is about, or together with its definition,
    or with another fact of the same name."""
    facts = [
        one
        for one in candidates
        if one.query_type in ("factual", "open")
        and one.source.language == "en"
        and ASKS.match(OPENING.sub("", one.question))
    ]
    shuffled = [facts[i] for i in rng.permutation(len(facts))]
    terms = {term: one for one in facts if one.family == "definition" and (term := _term(one))}
    counts = Counter(
        name for one in facts for name in {*word_forms.names(one.question), *pairs(one.question)}
    )
    used: dict[str, int] = {}
    named: dict[str, Candidate] = {}
    for one in shuffled:
        term = _mentioned(one, terms)
        if term and used.get(term, 0) < OFTEN:
            used[term] = used.get(term, 0) + 1
            yield _described(one, term, terms[term]) or _joined(terms[term], one)
            continue
        shared = _shared(one, counts)
        former = next((named[name] for name in shared if name in named and _apart(named[name], one)), None)
        if former:
            yield _joined(former, one)
        named = {name: other for name, other in named.items() if other is not former} | (
            {} if former else dict.fromkeys(shared, one)
        )


def _apart(one: Candidate, other: Candidate) -> bool:
    return one.key_fact != other.key_fact and not set(one.chunk_ids) & set(other.chunk_ids)


def _term(one: Candidate) -> str:
    found = TERM.search(one.question)
    return found["term"] if found else ""


def _mentioned(one: Candidate, terms: dict[str, Candidate]) -> str:
    """The longest defined term in a question about something else, defined in another passage."""
    if one.family == "definition":
        return ""
    inside = [
        term
        for term in terms
        if re.search(rf"\b{re.escape(term)}\b", one.question)
        and terms[term].chunk_ids[0] not in one.chunk_ids
    ]
    return max(inside, key=len, default="")


def _shared(one: Candidate, counts: Counter) -> list[str]:
    """The names and pairs of words that few questions hold, the rarest first:
    two or more of them, but not so many that it links nothing."""
    most = max(4, COMMON * counts.total() / PAIRS)
    found = {*word_forms.names(one.question), *pairs(one.question)} if one.family != "definition" else ()
    return sorted(
        (name for name in found if 2 <= counts[name] <= most), key=lambda name: (counts[name], name)
    )


def pairs(question: str) -> list[str]:
    """Neighbouring telling words: `data proxies`; not those of the document's name in front."""
    found = re.findall(r"[\w’'-]+", OPENING.sub("", question).lower())
    return [f"{a} {b}" for a, b in pairwise(found) if min(len(a), len(b)) > 3 and not {a, b} & PLAIN]


def _described(one: Candidate, term: str, definition: Candidate) -> Candidate | None:
    """How long is a pre-approval valid? -> How long is a written statement of what may be lent valid?;
    None where it does not fit."""
    meaning = definition.key_fact.rstrip(".")
    mention = re.search(rf"\b(?:an?|each|every|any) {re.escape(term)}\b(?! \w*[A-Z])", one.question)
    if (
        not mention
        or not re.match(r"an? ", meaning)
        or len(meaning.split()) > 14
        or re.search(r"[,;:()]", meaning)
    ):
        return None
    question = one.question[: mention.start()] + meaning + one.question[mention.end() :]
    return None if term.lower() in question.lower() else _made(question, definition, one)


def _joined(first: Candidate, second: Candidate) -> Candidate:
    """What is a pre-approval, and how long is a pre-approval valid? The document is named once if it is the
    same."""
    opening = OPENING.match(first.question)
    stem = second.question.removeprefix(opening.group()) if opening else second.question
    return _made(f"{first.question.rstrip('?')}, and {stem[:1].lower()}{stem[1:]}", first, second)


def _made(question: str, first: Candidate, second: Candidate) -> Candidate:
    chunk_ids = tuple(dict.fromkeys([*first.chunk_ids, *second.chunk_ids]))
    answer = f"{first.answer} {second.answer}"
    return second._replace(
        question=question,
        answer=answer,
        query_type="multi_hop",
        answer_type="short_fact",
        family="linked",
        chunk_ids=chunk_ids,
    )
