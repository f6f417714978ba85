"""Evidence sufficiency: do the retrieved passages hold the question's key terms? (Lesson section 9.5)"""

import json
from collections.abc import Collection, Sequence
from functools import cache

from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.text_reading.word_comparison import Word


def share_found(terms: Collection[str], found: Collection[str]) -> float:
    """Share of the key terms that were found, in [0, 1]; higher is better.

    Raises ValueError if there is no key term. Source: Lesson section 9.5 ("if top-k evidence lacks key terms,
    instruct model to abstain").
    """
    if not terms:
        raise ValueError("no key term: the share does not exist")
    return len(set(terms) & set(found)) / len(set(terms))


def key_terms(question: str) -> list[Word]:
    """The words of a question that say what it is about, the first of each stem: numbers and all words that
    neither ask nor are stop words of English, Spanish or Portuguese.
    """
    said = [word for word in word_comparison.words(question) if _tells(word)]
    return list({word.stem: word for word in reversed(said)}.values())[::-1]


def evidence_sufficiency(sample: Sample, tools: Tools) -> Result:
    """Share of the question's key terms that stand in the retrieved passages, by stem or synonym."""
    terms, there = key_terms(sample.question or ""), _stems(sample.contexts or ())
    if not terms:
        raise NotApplicable("the question has no key term")
    known = word_comparison.synonyms()
    met = [word.stem for word in terms if word.stem in there or known.get(word.stem, frozenset()) & there]
    return share_found([word.stem for word in terms], met), [
        {"text": word.written, "score": float(word.stem in met)} for word in terms
    ]


def _tells(word: Word) -> bool:
    """Whether a word is no stop word; of words of one or two letters, numbers and abbreviations tell."""
    long_enough = len(word.lower) > 2 or word.lower.isdigit() or word.written.isupper()
    return word.content and long_enough and word.lower not in _stop_words()


def _stems(passages: Sequence[str]) -> set[str]:
    return {word.stem for passage in passages for word in word_comparison.words(passage)}


@cache
def _stop_words() -> frozenset[str]:
    from ragassay.cases.rule_questions import word_forms

    listed = json.loads((word_forms.DATA / "stop_words.json").read_text(encoding="utf-8")).values()
    return frozenset(word for text in listed for word in text.split()) | word_comparison.kind("asking")
