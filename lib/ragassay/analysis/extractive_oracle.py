"""An extractive oracle: would the passages have answered, for a reader who makes no mistake?

By words first: a passage holds the reference answer if it has all its numbers and at least HOLDS of its
telling words (stems; names and numbers among them), and lacks it if there are fewer than LACKS, or a number
is missing. Both were chosen on the bundled bank's own questions: their own passages have HOLDS of the words
in 0.86 of the cases, those of another question in 0.01, other passages of the same document in 0.05. Where
words leave the reference passages open, they are read as the contexts of an answer (`supported_claims_rate`);
what they lack by both is lacking only if its words are foreign to them too (FOREIGN): an answer that is
worked out of a table states other figures.
"""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from ragassay.cases.question_filter import Index
from ragassay.scores.families.retrieval import key_terms
from ragassay.scores.score import score
from ragassay.scores.text_reading import claim_text, word_comparison
from ragassay.tables import is_blank

HOLD, LACK, UNCLEAR = "hold", "lack", "unclear"
HOLDS, LACKS = 0.8, 0.6  # share of the telling words
FOREIGN = 0.35  # below it the reference answer is about something else than its own passages
SEARCHED = 20  # passages of all documents that are read for an answer, those that share most words with it
Score = Callable[..., pd.DataFrame]


def read_words(reference: str | None, texts: Sequence[str]) -> str:
    """Whether one of the texts holds the reference answer, by words; unclear where there is no reference
    answer, or it asserts nothing (a bare yes)."""
    if is_blank(reference):
        return UNCLEAR
    terms = {word.stem for word in key_terms(str(reference))}
    if not terms or not claim_text.asserts(str(reference)):
        return UNCLEAR
    shares = [_share(terms, claim_text.stated_numbers(str(reference)), text) for text in texts]
    best = max(shares, default=0.0)
    return HOLD if best >= HOLDS else LACK if best < LACKS else UNCLEAR


def is_readable(language: object, names: Sequence[str], spoken: Mapping[str, str]) -> bool:
    """Whether a case is asked in the language of its passages (`names`), else of any, as far as that is
    known; spoken : passage -> its language."""
    languages = {spoken[name] for name in names if name in spoken} or set(spoken.values())
    return not languages or is_blank(language) or language in languages


def consult(asked: Sequence[tuple[str | None, Sequence[str]]], score: Score = score) -> list[str]:
    """For each reference answer and its passages, taken together: hold, lack or unclear; what words leave
    open is read by `score`."""
    found = [read_words(reference, [" ".join(texts)]) for reference, texts in asked]
    still_open = [
        {"case_id": str(place), "system": "oracle", "answer": reference, "contexts": list(texts)}
        for place, (reference, texts) in enumerate(asked)
        if found[place] != HOLD and texts and not is_blank(reference)
    ]
    scored = (
        score(pd.DataFrame(still_open), metrics=["supported_claims_rate"]) if still_open else pd.DataFrame()
    )
    for row in scored.to_dict("records"):
        reference, texts = asked[int(row["case_id"])]
        terms = {word.stem for word in key_terms(str(reference))}
        is_foreign = _share(terms, set(), " ".join(texts)) < FOREIGN
        value = row["value"] if row["state"] == "scored" else None
        found[int(row["case_id"])] = HOLD if value == 1 else LACK if value == 0 and is_foreign else UNCLEAR
    return found


def search(asked: Sequence[tuple[str, str | None]], chunks: pd.DataFrame) -> list[str]:
    """For each question and reference answer, whether a passage of all documents holds it, by words; those
    are read that share most words with both."""
    texts, found = chunks["text"].tolist(), []
    if all(is_blank(reference) for _, reference in asked):
        return [UNCLEAR] * len(asked)
    index = Index(texts)
    for question, reference in asked:
        sought = f"{question} {'' if is_blank(reference) else reference}"
        found.append(read_words(reference, [texts[place] for place in index.top(sought, SEARCHED)]))
    return found


def _share(terms: set[str], numbers: set[str], text: str) -> float:
    """Share of the terms that a text has; 0 if it lacks a number."""
    if not numbers <= claim_text.read_evidence((text,)).numbers:
        return 0.0
    return len(terms & {word.stem for word in word_comparison.words(text)}) / len(terms)
