"""Language: is a text written in the language it should be in? (Lesson sections 1, 3.1 and 9)

The detector is py3langid (97 languages, naive Bayes over byte n-grams); it runs offline and is deterministic. Measured on the prose sentences of
the bundled bank documents and its questions, those with at least 20 letters, each once (tests/scores/test_language.py): 2,214 of 2,223 English ones
(0.996) pass as English, all 54 Spanish and 57 Portuguese ones as what they are; two of the 4,668 pairings of these texts with another of the three
languages pass. What fails is headings, addresses and dates; rows of tables, left out here, fail more often.
"""

import math

LETTERS = 20  # a shorter text says too little to be judged
READ = 6000  # characters read at most
DOUBT = 0.5  # how far behind the likeliest language the expected one may be, in nats per root of the length in bytes


def language_match(text: str, expected: str) -> float:
    """1 if the text is in the expected language, else 0; higher is better. The doubt goes to the expected language (`DOUBT`).

    Parameters
    ----------
    text : the answer without citations; its first 6,000 characters are read
    expected : an ISO 639-1 code, with or without a region: `pt`, `pt-BR`

    Raises
    ------
    ValueError
        If the text has fewer than 20 letters, or the detector does not know the language.

    Source
    ------
    Lesson section 3.1, `language_match`, which leaves it to a judge.
    """
    behind = distances(text)
    wanted = code(expected)
    if wanted not in behind:
        raise ValueError(
            f"the language detector knows no language {expected!r:.20}; it wants an ISO 639-1 code"
        )
    return float(behind[wanted] <= DOUBT)


def detected(text: str) -> str:
    """ISO 639-1 code of the likeliest language. Raises as `distances`."""
    return next(iter(distances(text)))


def distances(text: str) -> dict[str, float]:
    """How far each language is behind the likeliest (0), in nats per root of the length in bytes; nearest first.

    Raises
    ------
    ValueError
        If the text has fewer than 20 letters.
    """
    import py3langid

    sample = " ".join(text[:READ].split())
    if not enough(sample):
        raise ValueError(f"fewer than {LETTERS} letters: too little to tell the language by")
    ranked = [(name, float(score)) for name, score in py3langid.rank(sample)]
    scale = math.sqrt(len(sample.encode("utf-8", "replace")))
    return {name: (ranked[0][1] - score) / scale for name, score in ranked}


def enough(text: str) -> bool:
    """Whether the text has the letters to be judged by."""
    return sum(map(str.isalpha, text[:READ])) >= LETTERS


def code(tag: str) -> str:
    """The language of a tag: `pt` of `pt-BR` or `PT_br`."""
    return tag.strip().lower().replace("_", "-").split("-")[0]
