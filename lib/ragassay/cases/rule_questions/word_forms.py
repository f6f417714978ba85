"""Words and their forms: verbs, values, subjects; closed lists and regular expressions, no model."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
LISTS = json.loads((DATA / "words.json").read_text(encoding="utf-8"))


def word_list(name: str) -> frozenset[str]:
    """One of the closed lists of `data/words.json`."""
    return frozenset(LISTS[name].split())


def either(name: str) -> str:
    """The same list as alternatives of a regular expression."""
    return "|".join(LISTS[name].split())


def phrases(name: str) -> str:
    """A list of phrases (`based_on`) as alternatives of a regular expression, with spaces."""
    return either(name).replace("_", " ")


NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
MONEY = r"(?:US)?[$€£]\s?\d[\d,]*(?:\.\d+)?(?:\s(?:million|billion))?"
PERCENT = r"(?<!\d)\d+(?:[.,]\d+)?\s?(?:%|per\s?cent(?:age points?)?|percentage points?)"
UNIT = (
    r"(?:(?:full|whole|business|working|calendar|consecutive|more) )?(?:days?|hours?|minutes?|months?"
    r"|years?|weeks?)"
)
DURATION = rf"(?:(?<!\d)\d+|half an|an?|{NUMBER_WORDS})(?: (?:to|or|and) (?:\d+|{NUMBER_WORDS}))?[- ]{UNIT}"
MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = rf"(?:\d{{1,2}} (?:{MONTH})(?: \d{{4}})?|(?:{MONTH}) \d{{1,2}}(?:, \d{{4}})?|(?:{MONTH}) \d{{4}})"
TIME = r"\d{1,2}(?::\d{2}(?:\s?[ap]\.?m\.?)?|\s?[ap]\.?m\.?)(?!\d)"
BOUND = (
    r"(?:at least|at most|up to|no more than|not more than|no less than|about|a maximum of|a minimum of"
    r"|only|exactly)"
)
VALUE = rf"(?:{BOUND} )?(?:{MONEY}|{PERCENT}|{DURATION})"
PARTICIPLE = rf"(?:(?:fully|normally|usually|automatically|never) )?(?:\w{{2,}}ed|{either('participles')})"
DOUBLED = ("refer", "defer", "transfer", "begin", "cancel", "permit", "enrol", "travel")
AUXILIARIES, NOUNS_TOO, DETERMINERS, POINTING = (
    word_list("auxiliaries"),
    word_list("nouns_too"),
    word_list("determiners"),
    word_list("pointing"),
)
NOT_SUBJECTS = POINTING | word_list("not_subjects")


@cache
def verbs() -> frozenset[str]:
    """Base forms of the verbs we can ask with."""
    text = (DATA / "verbs.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


@cache
def third_person() -> dict[str, str]:
    """`receives` -> `receive`, for every verb in the list."""
    return {third(verb): verb for verb in sorted(verbs() - {"be"})} | {"has": "have"}


@cache
def gerunds() -> dict[str, str]:
    """`registering` -> `register`, `closing` -> `close`, `stopping` -> `stop`."""
    return {form: verb for verb in sorted(verbs() - {"be"}) for form in _gerunds(verb)}


def gerund(verb: str) -> str:
    """`evaluate` -> `evaluating`."""
    return _gerunds(verb)[0]


def participle(verb: str) -> str:
    """`determine` -> `determined`, `verify` -> `verified`; of regular verbs."""
    return re.sub(r"y$", "i", verb) + "ed" if not verb.endswith("e") else verb + "d"


def uncapitalize(phrase: str, vocabulary: frozenset[str]) -> str:
    """The phrase as it stands inside a sentence: its first word in lower case, unless that word looks like a
    name.

    vocabulary : see `small_words`
    """
    words = phrase.split()
    if not words:
        return phrase
    first, proper_next = words[0].lower(), len(words) > 1 and bool(re.match(r"[A-Z][a-zà-ÿ]", words[1]))
    common = first.strip("'’,").removesuffix("'s").removesuffix("’s") in vocabulary and not words[0].isupper()
    if first in DETERMINERS or first in NOT_SUBJECTS or (common and not proper_next):
        return " ".join([first, *words[1:]])
    return phrase


def small_words(texts: Iterable[str]) -> frozenset[str]:
    """Words the collection writes in lower case, and those it writes large at the head of a sentence only."""
    whole = "\n".join(texts)
    small = set(re.findall(r"(?<![\w-])[a-z][a-z’'-]+", whole))
    names_ = {name.lower() for name in re.findall(r"(?:[a-z,;] |[“\"(])([A-Z][\w’'-]+)", whole)}
    return frozenset(
        small | ({word.lower() for word in re.findall(r"(?<![\w-])[A-Z][a-z’'-]+", whole)} - names_)
    )


def capitalize(text: str) -> str:
    """The text with its first letter in upper case."""
    at = next((i for i, letter in enumerate(text) if letter.isalpha()), 0)
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


ROLES = re.compile(rf"(?:{either('roles')})$")


def names(text: str) -> list[str]:
    """Names of things in a question: runs of two capitalised words or more, not at its head;
    teams, posts and the bank are none."""
    inside = text.split(" ", 1)[1] if " " in text else ""
    found = re.findall(r"\b[A-Z][\w’'&-]*(?: (?:of |and |the |de |for )?[A-Z0-9][\w’'&-]*)+", inside)
    return [name for name in found if not ROLES.search(name)]


def third(verb: str) -> str:
    """The third person of a verb: `receives`."""
    if re.search(r"(?:s|sh|ch|x|z|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def _gerunds(verb: str) -> list[str]:
    if verb.endswith("ie"):
        return [verb[:-2] + "ying"]
    if verb.endswith("e") and not verb.endswith("ee"):
        return [verb[:-1] + "ing"]
    if re.search(r"^[^aeiou]*[aeiou][bdglmnprt]$", verb) or verb in DOUBLED:
        return [verb + verb[-1] + "ing", verb + "ing"]
    return [verb + "ing"]
