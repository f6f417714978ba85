"""English sentences into questions: facts by their patterns, and what happens if a condition holds."""

import re
from collections.abc import Iterator

from ragassay.cases.rule_questions import clause_parsing, duty_patterns, fact_patterns, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import vague

HEAD = re.compile(
    r"(?P<how>If|When|Once) (?P<what>[^,;:]{14,90}), (?P<then>(?!(?:or|and|but|nor|as|unless|even|in|on|at"
    r"|with|within|for|by|then|not"
    r"|which|who|such)\b)[^;]{12,})"
)
PATTERNS = fact_patterns.PATTERNS | duty_patterns.PATTERNS
OPEN = ("reason", "purpose")
POINTS = re.compile(r"\b(?:this|these|those|such|above|below|we|our|us|other)\b")
FREE_STANDING = (word_forms.NOT_SUBJECTS - {"you", "no"}) | {
    "appropriate",
    "necessary",
    "applicable",
    "possible",
    "required",
    "any",
    "asked",
}


def questions(unit: Unit, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """Every question the patterns find in a sentence; the first of them is the most telling."""
    if not whole(unit.text):
        return
    yield from _conditions(unit, vocabulary)
    clause = resolve_pronouns(unit, vocabulary)
    if clause is None:
        return
    whole_answer = answer(unit, clause)
    if vague(clause.subject):
        return
    for family, pattern in PATTERNS.items():
        made = pattern(clause)
        if made:
            kind = "definition" if family == "definition" else "short_fact"
            asked = "open" if family in OPEN else "factual"
            yield fact_candidate(
                unit,
                family,
                word_forms.capitalize(made[0]) + "?",
                made[1],
                answer=whole_answer,
                answer_type=kind,
                query_type=asked,
            )


def whole(text: str) -> bool:
    """Whether a text is a sentence from end to end: not a list item, a heading, or a piece of a line."""
    return bool(re.match(r"[“\"]?[A-Z0-9$]", text) and re.search(r"[.!][”\")]?$", text))


def resolve_pronouns(unit: Unit, vocabulary: frozenset[str]) -> Clause | None:
    """The sentence's clause; "It" and "They" at its head stand for the subject of the sentence before,
    where that is clear."""
    first, _, rest = unit.text.partition(" ")
    if first not in ("It", "They"):
        return clause_parsing.part(unit.text, vocabulary)
    former = clause_parsing.part(unit.before, vocabulary)
    if (
        former is None
        or _many(former) != (first == "They")
        or former.subject.startswith(("no ", "nobody", "one "))
    ):
        return None
    return clause_parsing.part(f"{word_forms.capitalize(former.subject)} {rest}", vocabulary)


def _many(clause: Clause) -> bool:
    return clause.verb in ("are", "were") or (not clause.auxiliary and clause.verb == clause.base)


def answer(unit: Unit, clause: Clause) -> str:
    first, _, rest = unit.text.partition(" ")
    return f"{word_forms.capitalize(clause.subject)} {rest}" if first in ("It", "They") else unit.text


def _conditions(unit: Unit, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """If a collection is returned, the bank tries again -> What happens if a collection is returned?"""
    found = HEAD.match(unit.text)
    if not found:
        return
    subject, what = found["what"].split()[0].lower(), found["what"]
    if (
        subject in FREE_STANDING
        or subject.endswith("ing")
        or not _acts(found["then"])
        or not _has_verb(what)
        or POINTS.search(what)
    ):
        return
    if re.match(r"[Tt]he [A-Z].* (?:was|were|had) ", what) or re.match(
        r"(?:how|what|why|whether|these|this|those)\b", found["then"]
    ):
        return
    what = mine(word_forms.uncapitalize(what, vocabulary))
    joined = {"If": "if", "When": "when", "Once": "once"}[found["how"]]
    kind = (
        "instruction"
        if re.match(r"(?:the )?[\w ]{0,40}\b(?:must|should)\b", found["then"]) or _asked_to(found["then"])
        else "short_fact"
    )
    yield fact_candidate(
        unit,
        "consequence",
        f"What happens {joined} {what}?",
        found["then"].rstrip("."),
        answer_type=kind,
        query_type="open",
    )


def _acts(then: str) -> bool:
    """Whether the main clause begins here: a verb before its first comma,
    and not at its very head unless it is an order."""
    tokens = re.split(r",|\(", then)[0].split()
    if not tokens or re.search(r"\bin th(?:is|at) (?:sense|case)\b", then):
        return False
    if tokens[0].lower() in word_forms.AUXILIARIES | set(word_forms.third_person()) | {"does", "do", "did"}:
        return False
    return any(
        token in word_forms.AUXILIARIES or token in word_forms.third_person() or token in word_forms.verbs()
        for token in tokens
    )


def _has_verb(what: str) -> bool:
    """Whether a condition is a clause: `a Fund Manager` alone is none."""
    known = (
        word_forms.AUXILIARIES
        | set(word_forms.third_person())
        | word_forms.verbs()
        | {"does", "do", "did", "had"}
    )
    return any(token in known or re.search(r"[a-z]ed$", token) for token in what.split()[1:])


def _asked_to(then: str) -> bool:
    return then.split()[0] in word_forms.verbs()


def mine(text: str) -> str:
    """The reader's `you` and `your` as the asker's `I` and `my`."""
    text = re.sub(r"\byou\b(?=$| (?:in|at|on|by|for|with|from|to|of|and|or|as|about)\b)", "me", text)
    for yours, mine in (
        (r"\byou are\b", "I am"),
        (r"\byourself\b", "myself"),
        (r"\byours\b", "mine"),
        (r"\byour\b", "my"),
        (r"\byou\b", "I"),
    ):
        text = re.sub(yours, mine, text)
    return text
