"""Language: is a text written in the language it should be in? (Lesson sections 1, 3.1 and 9)

The detector is py3langid (97 languages, naive Bayes over byte n-grams); it runs offline and is deterministic.
Measured on the prose sentences of the bundled bank documents and its questions, those with at least 20
letters, each once (tests/scores/test_language.py): 2,214 of 2,223 English ones (0.996) pass as English, all
54 Spanish and 57 Portuguese ones as what they are; two of the 4,668 pairings of these texts with another of
the three languages pass. What fails is headings, addresses and dates; rows of tables, left out here, fail
more often.
"""

import math

from ragassay.scores.memo import remembered
from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

LETTERS = 20  # a shorter text says too little to be judged
READ = 6000  # characters read at most
DOUBT = 0.5  # how far behind the likeliest language the expected one may be, in nats per root of the bytes


def is_in(text: str, expected: str) -> bool:
    """Whether the text is in the expected language; the doubt goes to that one (`DOUBT`).

    text : the answer without citations; its first 6,000 characters are read
    expected : an ISO 639-1 code, with or without a region: `pt`, `pt-BR`

    Raises ValueError if the text has fewer than 20 letters, or the detector does not know the language.
    Source: Lesson section 3.1, `language_match`, which leaves it to a judge.
    """
    behind = distances(text)
    wanted = code(expected)
    if wanted not in behind:
        raise ValueError(
            f"the language detector knows no language {expected!r:.20}; it wants an ISO 639-1 code"
        )
    return behind[wanted] <= DOUBT


def detect(text: str) -> str:
    """ISO 639-1 code of the likeliest language. Raises as `distances`."""
    return next(iter(distances(text)))


@remembered
def distances(text: str) -> dict[str, float]:
    """How far each language is behind the likeliest (0), in nats per root of the bytes; nearest first.

    Raises ValueError if the text has fewer than 20 letters.
    """
    import py3langid

    read = " ".join(text[:READ].split())
    if not is_long_enough(read):
        raise ValueError(f"fewer than {LETTERS} letters: too little to tell the language by")
    ranked = [(name, float(score)) for name, score in py3langid.rank(read)]
    scale = math.sqrt(len(read.encode("utf-8", "replace")))
    return {name: (ranked[0][1] - score) / scale for name, score in ranked}


def is_long_enough(text: str) -> bool:
    """Whether the text has the letters to be judged by."""
    return sum(map(str.isalpha, text[:READ])) >= LETTERS


def code(tag: str) -> str:
    """The language of a tag: `pt` of `pt-BR` or `PT_br`."""
    return tag.strip().lower().replace("_", "-").split("-")[0]


def language_match(sample: Sample, tools: Tools) -> Result:
    """1 if the answer is in the language expected of it, else 0; higher is better."""
    text = sample.uncited
    if not is_long_enough(text):
        raise NotApplicable(f"fewer than {LETTERS} letters: too little to tell the language by")
    expected = expected_language(sample)
    sentences = [sentence.text for sentence in sample.answer_sentences if is_long_enough(sentence.text)]
    detail = [{"text": one[:SHOWN], "language": detect(one), "expected": expected} for one in sentences[:50]]
    return float(is_in(text, expected)), detail


def expected_language(sample: Sample) -> str:
    """The language the case declares; else that of the question, if long enough to tell; else English."""
    if sample.declared_language is None and is_long_enough(sample.question or ""):
        return detect(sample.question or "")
    return sample.language
