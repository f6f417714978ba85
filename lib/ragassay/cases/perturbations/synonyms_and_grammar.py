"""Other words for the same: synonyms, errors of grammar, words of another language."""

from functools import cache

import numpy as np

from ragassay.cases.perturbations.editing import DATA, phrases_found, replace_some, word_list

MIXED_WITH = {"en": ("es", "pt"), "es": ("en",), "pt": ("en",)}  # a question's language -> what comes in


def use_synonyms(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three words or phrases replaced by their synonyms; unchanged if there are fewer."""
    table = {old: new[int(rng.integers(len(new)))] for old, new in synonyms().items()}
    return (
        replace_some(question, phrases_found(question, language, table), level, rng)
        if language == "en"
        else question
    )


def make_errors(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """One, two or three errors of grammar: agreement, verb forms, articles, word order of a statement."""
    table = word_list("grammar").get(language, {})
    return replace_some(question, phrases_found(question, language, table), level, rng)


def mix_languages(question: str, language: str, level: int, rng: np.random.Generator) -> str:
    """A greeting in another language; also two words of it; also thanks and four words."""
    others = MIXED_WITH.get(language, ("en",))
    given = word_list("mixed")[others[int(rng.integers(len(others)))]]
    places = phrases_found(question, language, given["words"]) if level > 1 else []
    mixed = replace_some(question, places, min(len(places), {1: 0, 2: 2, 3: 4}[level]), rng)
    if level > 1 and mixed == question:
        return question
    greeting = given["greeting"][int(rng.integers(len(given["greeting"])))]
    thanks = f" {given['thanks'][int(rng.integers(len(given['thanks'])))]}" if level == 3 else ""
    return f"{greeting}, {mixed}{thanks}"


@cache
def synonyms() -> dict[str, list[str]]:
    """What may stand for a word or phrase of a question, of `data/question_synonyms.txt`."""
    lines = (DATA / "question_synonyms.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" = ") for line in lines if line and not line.startswith("#"))
    return {old: new.split(", ") for old, new in pairs}
