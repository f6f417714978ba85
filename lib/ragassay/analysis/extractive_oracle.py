"""An extractive oracle: would the passages have answered, for a reader who makes no mistake?

By words first: a passage holds the reference answer if it has all its numbers and at least HOLDS of its
telling words (stems; names and numbers among them), and lacks it if there are fewer than LACKS, or a number
is missing. Both were chosen on the bundled bank's own questions: their own passages have HOLDS of the words
in 0.86 of the cases, those of another question in 0.01, other passages of the same document in 0.05. Where
words leave the reference passages open, they are read as the contexts of an answer (`supported_claims_rate`).

A reference answer that passages lack by both is called lacking only if its words are foreign to them as well
(FOREIGN): one that is worked out of a table or an example states other figures.

It says what is written, not whether the reference answer is right.
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
    """Whether a case is asked in the language of its passages, else of any, as far as that is known: words
    tell nothing else.

    names : its reference passages; spoken : passage -> its language
    """
    languages = {spoken[name] for name in names if name in spoken} or set(spoken.values())
    return not languages or is_blank(language) or language in languages


def consult(asked: Sequence[tuple[str | None, Sequence[str]]], score: Score = score) -> list[str]:
    """For each reference answer and its passages, taken together: hold, lack or unclear; what words leave
    open is read by `score`.

    Lack only where no claim of it is supported (entailed with a fact missing is not), and its words are
    foreign to the passages too: a sum, a table or an example may answer in other figures than it states.
    """
    keys = [(reference, tuple(texts)) for reference, texts in asked]
    known = {key: read_words(key[0], [" ".join(key[1])]) for key in keys}
    still_open = [key for key, found in known.items() if found != HOLD and key[1] and not is_blank(key[0])]
    rows = [
        {"case_id": str(place), "system": "oracle", "answer": reference, "contexts": list(texts)}
        for place, (reference, texts) in enumerate(still_open)
    ]
    scored = score(pd.DataFrame(rows), metrics=["supported_claims_rate"]).to_dict("records") if rows else []
    for row in scored:
        key = reference, texts = still_open[int(row["case_id"])]
        known[key] = UNCLEAR
        if row["state"] == "scored" and row["value"] == 1:
            known[key] = HOLD
        elif row["state"] == "scored" and row["value"] == 0:
            terms = {word.stem for word in key_terms(str(reference))}
            if _share(terms, set(), " ".join(texts)) < FOREIGN:
                known[key] = LACK
    return [known[key] for key in keys]


def search(asked: Sequence[tuple[str, str | None]], chunks: pd.DataFrame) -> list[str]:
    """For each question and reference answer, whether a passage of all documents holds it, by words; those
    are read that share most words with both."""
    if all(is_blank(reference) for _, reference in asked):
        return [UNCLEAR] * len(asked)
    texts, found = chunks["text"].tolist(), []
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
