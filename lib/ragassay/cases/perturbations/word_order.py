"""Words left out, words in the wrong order, and the same clauses in another order."""

import re
from itertools import pairwise

import numpy as np

from ragassay.cases.perturbations.editing import Span, stem_end, touchable_words, words_of
from ragassay.cases.rule_questions.word_forms import capitalize

_CLAUSE = r"(?P<clause>(?:if|when|while|because)\s[^,;?]+)"
_PHRASE = r"(?P<clause>(?:for|under|in|according to|with)\s[^,;?]+)"
_ALONE = r"(?:(?!\b(?:and|or|if)\b)[^,;?])*"  # one question, nothing joined to it
_ASKED = (
    rf"(?P<asked>(?:what|which|who|how|when|where|why|is|are|can|may|must|do|does|will|should)\b{_ALONE})"
)
ORDERS = tuple(
    (re.compile(pattern, re.IGNORECASE), template)
    for pattern, template in (
        (rf"{_CLAUSE},\s{_ASKED}\?", "{asked} {clause}?"),
        (rf"{_PHRASE},\s{_ASKED}\?", "{asked} {clause}?"),
        (rf"{_ASKED}\s(?P<clause>if\s[^,;?]+)\?", "{clause}, {asked}?"),
    )
)


def drop_words(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three small words left out: articles, auxiliaries, possessives; unchanged if there are
    fewer."""
    small = words_of("small_words", language)
    spans = [span for span in touchable_words(question, language) if _word(question, span) in small]
    if len(spans) < level:
        return question
    chosen = sorted((spans[i] for i in rng.choice(len(spans), size=level, replace=False)), reverse=True)
    for start, end in chosen:
        question = question[:start] + question[end:]
    return capitalize(" ".join(question.split()))


def swap_words(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three pairs of neighbouring words swapped, one of them small (`card company` is no `company
    card`); unchanged if there are fewer."""
    if language != "en":
        return question
    pairs = _pairs(question, language)
    chosen: list[tuple[Span, Span]] = []
    for i in rng.permutation(len(pairs)):
        if len(chosen) < level and all(pairs[i][1][1] < a[0] or b[1] < pairs[i][0][0] for a, b in chosen):
            chosen.append(pairs[i])
    if len(chosen) < level:
        return question
    for (a, b), (c, d) in sorted(chosen, reverse=True):
        question = question[:a] + question[c:d] + question[b:c] + question[a:b] + question[d:]
    return question


def reorder_clauses(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """An English clause or phrase moved to the other end: `If I pay late, what happens?` to `What happens if
    I pay late?`, and back; unchanged where none stands alone."""
    stem, options = question[: stem_end(question)].strip(), question[stem_end(question) :]
    if language != "en":
        return question
    for pattern, template in ORDERS:
        if found := pattern.fullmatch(stem):
            parts = {name: _small_head(text) for name, text in found.groupdict().items()}
            return " ".join([capitalize(template.format(**parts)), options]).strip()
    return question


def _pairs(question: str, language: str) -> list[tuple[Span, Span]]:
    fixed = words_of("fixed", language)
    spans = [span for span in touchable_words(question, language) if _word(question, span) not in fixed]
    small = words_of("movable", language)
    return [
        (one, other)
        for one, other in pairwise(spans)
        if question[one[1] : other[0]] == " " and {_word(question, one), _word(question, other)} & small
    ]


def _word(question: str, span: Span) -> str:
    return question[span[0] : span[1]].casefold()


def _small_head(text: str) -> str:
    first = text.split()[0]
    return text if first == "I" or first.isupper() else text[0].lower() + text[1:]
