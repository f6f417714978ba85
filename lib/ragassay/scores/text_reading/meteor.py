"""METEOR by nltk, its synonyms from this kit's list: WordNet is not carried."""

import re
from functools import cache, partial
from types import SimpleNamespace

from ragassay.scores.text_reading import word_comparison

_WORD = re.compile(r"\w+|[^\w\s]")


def meteor(answer: str, reference: str, language: str = "en") -> float:
    """METEOR in [0, 1], higher is better:
    unigram F-mean by exact word, stem and synonym, with a penalty for scattered matches.

    The synonyms are this kit's, in English; in another language the last stage finds none. Raises ValueError
    if a text has no word. Source: Banerjee and Lavie (2005), by nltk (alpha 0.9,
    beta 3, gamma 0.5).
    """
    if not all(any(map(str.isalnum, text)) for text in (answer, reference)):
        raise ValueError("the text has no word")
    from nltk.translate.meteor_score import single_meteor_score

    known = _synonyms_by_stem() if language.lower().startswith("en") else {}
    wordnet = SimpleNamespace(synsets=lambda stem: [_synset(known[stem])] if stem in known else [])
    return float(single_meteor_score(_words(reference), _words(answer), wordnet=wordnet))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _synset(words: frozenset[str]) -> SimpleNamespace:
    """Words as nltk takes a synset of WordNet."""
    lemmas = [SimpleNamespace(name=partial(str, word)) for word in sorted(words)]
    return SimpleNamespace(lemmas=lambda: lemmas)


@cache
def _synonyms_by_stem() -> dict[str, frozenset[str]]:
    """Stem -> stems of its synonyms, by nltk's stemmer: its third stage gets the stems that the second
    left."""
    from nltk.stem.porter import PorterStemmer

    found: dict[str, set[str]] = {}
    for group in word_comparison.synonym_groups():
        stems = {PorterStemmer().stem(word) for word in group}
        for one in stems:
            found.setdefault(one, set()).update(stems - {one})
    return {one: frozenset(others) for one, others in found.items()}
