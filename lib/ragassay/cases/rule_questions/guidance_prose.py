"""Guidance prose: what is to be considered, on what a thing depends, who is to act, how, when and to what
end, what a term covers (patterns: guidance_forms), and what happens without a thing.

Looser than facts and duties: asked only where those make too few questions, and only where one sentence of
the collection answers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragassay.cases import question_filter
from ragassay.cases.rule_questions import english_sentences, question_form_checks, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate
from ragassay.cases.rule_questions.guidance_patterns import OPEN, PATTERNS
from ragassay.cases.rule_questions.question_form_checks import HEDGES, points_back, telling_words

MOST = 2  # questions of one sentence
FEWEST = 2  # words of a question that are not everywhere in the collection
ENOUGH, COMMON = 20, 0.2  # passages from which a word's share of them is known; the share of an everyday word
NAMED = ("term", "lacking", "example")  # families whose questions name their thing as such
OPENER = re.compile(rf"^(?:{word_forms.phrases('openers')}), (?=\w)", re.IGNORECASE)
FOOTNOTE = re.compile(r"^\d{1,3} (?=[A-Z][a-z]* [a-z])")
EXPLETIVE = re.compile(
    r"It (?:is|was|may be|can be|should be) (?:\w+ly )?\w+ (?:to|that|for|when|if|whether)\b"
)
ENDING_ADVERBS = re.compile(rf"(?: (?:{HEDGES})){{1,2}}$")
WITHOUT = re.compile(
    r"Without (?P<what>(?!limit|prejudice|derogat|affect|regard|undue|delay)[^,;:]{10,90}), "
    r"(?P<then>[^;]{12,}\.)"
)


def questions(units: Sequence[Unit], vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """At most two questions of a sentence, none that two sentences answer differently."""
    found = [one for unit in units if unit.language == "en" for one in of_sentence(unit, vocabulary)]
    asked: dict[str, int] = {}
    common = everyday_words(units)
    for one in answered_once(found):
        told = set(question_filter.content_words(" ".join(telling_words(one.question)))) - common
        single = one.family in NAMED or len(told) >= FEWEST
        if single and one.key_fact and asked.get(one.answer, 0) < MOST:
            asked[one.answer] = asked.get(one.answer, 0) + 1
            yield one


def everyday_words(units: Sequence[Unit]) -> set[str]:
    """The words in more than a fifth of the passages, of twenty passages or more: they single nothing out."""
    passages: dict[str, set[str]] = {}
    for unit in units:
        passages.setdefault(unit.chunk_id, set()).update(question_filter.content_words(unit.text))
    counts = Counter(word for found in passages.values() for word in found)
    enough = len(passages) >= ENOUGH
    return {word for word, count in counts.items() if enough and count > COMMON * len(passages)}


def answered_once(found: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates whose question has one answer among them; the others would be answered in part."""
    answers: dict[str, set[str]] = {}
    for one in found:
        answers.setdefault(question_form_checks.question_key(one.question), set()).add(
            question_form_checks.question_key(one.answer)
        )
    yield from (one for one in found if len(answers[question_form_checks.question_key(one.question)]) == 1)


def of_sentence(unit: Unit, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """The questions of one sentence, the most telling first."""
    plain = _without_opener(unit)
    if not english_sentences.whole(plain.text) or EXPLETIVE.match(plain.text):
        return
    yield from _lacking(unit, plain.text, vocabulary)
    clause = english_sentences.resolve_pronouns(plain, vocabulary)
    if clause is None:
        return
    clause = clause._replace(subject=ENDING_ADVERBS.sub("", clause.subject))
    made = {family: found for family, pattern in PATTERNS.items() if (found := pattern(clause))}
    for family, (question, key_fact) in made.items():
        yield fact_candidate(
            unit,
            family,
            word_forms.capitalize(question) + "?",
            key_fact,
            answer=english_sentences.answer(plain, clause),
            answer_type="definition" if family == "term" else "short_fact",
            query_type="open" if family in OPEN else "factual",
        )


def _without_opener(unit: Unit) -> Unit:
    """`In addition, the bank should X` as `The bank should X`; a footnote without its number."""
    text = OPENER.sub("", FOOTNOTE.sub("", unit.text))
    return unit if text == unit.text else unit._replace(text=word_forms.capitalize(text))


def _lacking(unit: Unit, sentence: str, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """Without records, reviews are futile -> What happens without records?"""
    found = WITHOUT.match(sentence)
    if found and not points_back(found["what"]):
        asked = f"What happens without {word_forms.uncapitalize(found['what'], vocabulary)}?"
        yield fact_candidate(unit, "lacking", asked, found["then"].rstrip("."), query_type="open")
