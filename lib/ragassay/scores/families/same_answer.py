"""Whether two answers to a question say the same; SelfCheck: does the assistant, each time?

A difference is found where one declines, one says yes and one no, each states a figure that the other does
not, a short one states a figure and the other none, sentences otherwise alike differ by a negation or a small
number in words (English, Spanish, Portuguese), or most sentences have no like in the other. Where none is
found, that is no proof: a fact distorted in words alike is not seen (bench/same_answers.json).
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay.cases.perturbations import carried, words_of
from ragassay.scores.metric import NotApplicable, Result, Tools, compute_together
from ragassay.scores.numbers.amounts import find_amounts
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import answer_state, citation_grammar, word_lists
from ragassay.tables import is_blank

LIKE = 0.45  # cosine from which a sentence has its like in the other answer
MOST = 0.5  # share of the sentences of both without a like from which the content is another
SHORT = 2  # sentences at most of an answer whose figure the other has to state
ALIKE = 0.6  # share of the words of two sentences that both have, from which they are otherwise alike
YES_NO = {"en": ("yes", "no"), "es": ("sí", "no"), "pt": ("sim", "não")}
_COUNTED = {  # from one, which is an article in Spanish and Portuguese, to twelve
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "es": "- dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "pt": "- dois três quatro cinco seis sete oito nove dez onze doze",
}
SMALL = {
    language: {word: n for n, word in enumerate(words.split(), 1)} for language, words in _COUNTED.items()
}
SMALL["pt"]["duas"] = 2
OTHER_FIGURES = "figures differ"
BESIDE = {"do", "does", "did", "can", "may"}  # what comes and goes with a negation
_WORD = re.compile(r"\w+", re.UNICODE)
_SAID = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


class _Words(NamedTuple):
    """What is compared of a sentence: its words, whether it negates, its small numbers in words."""

    words: frozenset[str]
    negated: bool
    small: frozenset[int]


class Agreement(NamedTuple):
    """Whether no difference was found between two answers, and why: same text, both decline, no difference
    found; one declines, one says yes and one no, figures differ, one states no figure, one negates, other
    content."""

    same: bool
    why: str


def compare_answers(
    pairs: Sequence[tuple[str, str]], languages: Sequence[str] = (), *, tools: Tools | None = None
) -> list[Agreement]:
    """What is found of each pair of answers; symmetric in the two.

    languages : of each pair, ISO 639-1; English where none are given
    """
    used, spoken = tools or Tools(), list(languages) or ["en"] * len(pairs)
    calls = [partial(compare, a, b, language, used) for (a, b), language in zip(pairs, spoken, strict=True)]
    return compute_together(calls, used)


def compare(a: str, b: str, language: str, tools: Tools) -> Agreement:
    """The same of one pair."""
    folded = [_WORD.findall(" ".join(_sentences(text, language)).casefold()) for text in (a, b)]
    if folded[0] == folded[1]:
        return Agreement(True, "same text")
    declined = [answer_state.abstains(text, language) for text in (a, b)]
    if all(declined):
        return Agreement(True, "both decline")
    if why := "one declines" if any(declined) else find_difference(a, b, language):
        return Agreement(False, why)
    cosines = tools.cosines(*(_sentences(text, language) or [text] for text in (a, b)))
    if np.mean(np.concatenate([cosines.max(axis=1), cosines.max(axis=0)]) < LIKE) > MOST:
        return Agreement(False, "other content")
    return Agreement(True, "no difference found")


def find_difference(a: str, b: str, language: str) -> str:
    """What words and figures show to be different between two answers; "" where they show nothing."""
    these, those = (
        {
            (round(one.value * (-1 if one.sign < 0 else 1), 6), str(one.unit or ""))
            for one in find_amounts(text)
        }
        for text in (a, b)
    )
    if these - those and those - these:
        return OTHER_FIGURES
    if {_opening(a, language), _opening(b, language)} == {"yes", "no"}:
        return "one says yes and one no"
    if _lacks_figure(a, b, language) or _lacks_figure(b, a, language):
        return "one states no figure"
    read = [[_read(sentence, language) for sentence in _sentences(text, language)] for text in (a, b)]
    alike = [
        (one, other)
        for one in read[0]
        for other in read[1]
        if len(one.words & other.words) >= ALIKE * max(1, len(one.words | other.words))
    ]
    if any(one.negated != other.negated for one, other in alike):
        return "one negates"
    apart = any(one.small - other.small and other.small - one.small for one, other in alike)
    return OTHER_FIGURES if apart else ""


def _opening(text: str, language: str) -> str:
    """yes or no where the answer opens with it ("No fee" does not say no), else nothing."""
    yes, no = YES_NO.get(language, YES_NO["en"])
    opening = rf"\W*(?:(?P<yes>{yes})\b|(?P<no>{no})(?:\s?[^\w\s]|\s*$))"
    found = re.match(opening, citation_grammar.strip(text).casefold())
    return (found and found.lastgroup) or ""


def _lacks_figure(stating: str, other: str, language: str) -> bool:
    """Whether a short answer states a figure in digits, and the other no number at all, and says more than
    the first without it."""
    if not find_amounts(stating) or find_amounts(other) or len(_sentences(stating, language)) > SHORT:
        return False
    digits = [any(map(str.isdigit, citation_grammar.strip(text))) for text in (stating, other)]
    if digits != [True, False] or carried(other, language)["numbers"]:
        return False
    return not _read(other, language).words <= _read(stating, language).words


def _read(sentence: str, language: str) -> _Words:
    """The words of a sentence, its negations and small numbers apart."""
    said = [word.replace("’", "'") for word in _SAID.findall(citation_grammar.strip(sentence).casefold())]
    small = SMALL.get(language, {})
    apart = words_of("negations", language) | small.keys() | BESIDE
    rest = {word_lists.stem(word) for word in said if word not in apart and not word.endswith("n't")}
    negated = bool(carried(sentence, language)["negations"])
    return _Words(frozenset(rest), negated, frozenset(small[word] for word in said if word in small))


def _sentences(text: str, language: str) -> list[str]:
    """The sentences without their citations."""
    from ragassay.documents import sentences

    cited = citation_grammar.parse(text, lambda each: sentences(each, language), frozenset())
    return [sentence for sentence, _ in cited]


def self_check(sample: Sample, tools: Tools, option: str = "") -> Result:
    """1 if every further answer says the same, else 0, or with `share` the share of those that do, in [0, 1];
    higher is better; one record per further answer. What is made up comes out differently each time; what is
    known, alike.

    Source: GRAMMAR 4.1, after Manakul et al. (2023): "correct if it aligns consistently across all stochastic
    samples".
    """
    others = sample.other_answers or ()
    if not others:
        raise NotApplicable("there is no further answer to the question")
    found = [compare(sample.answer or "", other, sample.language, tools) for other in others]
    detail = [
        {"text": other, "score": float(one.same), "why": one.why}
        for other, one in zip(others, found, strict=True)
    ]
    same = [one.same for one in found]
    return sum(same) / len(same) if option == "share" else float(all(same)), detail


def add_other_answers(answers: pd.DataFrame, cases: pd.DataFrame | None = None) -> pd.DataFrame:
    """The first answer to each case of each system with `other_answers`: its repeats, then the first answers
    to the other wordings of its group (`group_id` and `parent_id` of the cases, where they are given).
    Answers that ended in an error are no further answers."""
    known = [] if cases is None else cases.to_dict("records")
    own = {row["case_id"]: _given(row, "group_id") or row["case_id"] for row in known}
    parents = {row["case_id"]: _given(row, "parent_id") or row["case_id"] for row in known}
    groups = {case: own.get(parent, parent) for case, parent in parents.items()}
    rows = answers.assign(group=[groups.get(one, one) for one in answers["case_id"]])
    answered = rows[rows["error"].map(is_blank)]
    beside = dict(list(answered.groupby(["system", "group"], sort=False)))
    first = rows.sort_values("repeat", kind="stable").drop_duplicates(["case_id", "system"]).sort_index()
    others = []
    for row in first.to_dict("records"):
        group = beside.get((row["system"], row["group"]), answered[:0])
        own = group["case_id"] == row["case_id"]
        repeats, wordings = group[own & (group["repeat"] != row["repeat"])], group[~own]
        others.append([*repeats["answer"], *wordings.drop_duplicates("case_id")["answer"]])
    return first.assign(other_answers=others).drop(columns="group")


def _given(row: dict, name: str) -> str:
    return "" if is_blank(row.get(name)) else str(row[name])
