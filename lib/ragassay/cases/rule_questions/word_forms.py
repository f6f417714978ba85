"""Words and their forms: verbs, values, names; closed lists and regular expressions, no model."""

import json
import re
from collections.abc import Iterable
from functools import cache

from ragassay.cases.case_table import DATA

LISTS = json.loads((DATA / "words.json").read_text(encoding="utf-8"))


def word_list(name: str) -> frozenset[str]:
    """One of the closed lists of `data/words.json`."""
    return frozenset(LISTS[name].split())


def one_of(name: str) -> str:
    """The same list as one_of of a regular expression; `based_on` is a phrase."""
    return "|".join(LISTS[name].split()).replace("_", " ")


NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
MONEY = r"(?:US)?[$€£]\s?\d(?:[\d,]*\d)?(?:\.\d+)?(?![.,]?\d)(?:\s(?:million|billion))?"
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
AMOUNT = rf"(?:{BOUND} )?(?:{MONEY}|{PERCENT})(?: (?:a|per|each|every) \w+)?"
SPAN = rf"(?:{BOUND} )?{DURATION}"
PARTICIPLE = rf"(?:(?:fully|normally|usually|automatically|never) )?(?:\w{{2,}}ed|{one_of('participles')})"
AUXILIARIES, NOUNS_TOO, DETERMINERS = map(word_list, ("auxiliaries", "nouns_too", "determiners"))
NOT_SUBJECTS = word_list("pointing") | word_list("not_subjects")
ROLES = re.compile(rf"(?:{one_of('roles')})$")
DOUBLED = ("refer", "defer", "transfer", "begin", "cancel", "permit", "enrol", "travel")


@cache
def verbs() -> frozenset[str]:
    """Base forms of the verbs we can ask with."""
    return frozenset((DATA / "verbs.txt").read_text(encoding="utf-8").split())


@cache
def third_person() -> dict[str, str]:
    """`receives` -> `receive`, for every verb in the list."""
    return {_third(verb): verb for verb in sorted(verbs() - {"be"})} | {"has": "have"}


@cache
def gerunds() -> dict[str, str]:
    """`registering` -> `register`, `closing` -> `close`, `stopping` -> `stop`."""
    return {form: verb for verb in sorted(verbs() - {"be"}) for form in _gerunds(verb)}


def small_words(texts: Iterable[str]) -> frozenset[str]:
    """Words the collection writes in lower case, and those it writes large at the head of a sentence only."""
    whole = "\n".join(texts)
    small = set(re.findall(r"(?<![\w-])[a-z][a-z’'-]+", whole))
    inside = {word.lower() for word in re.findall(r"(?:[a-z,;] |[“\"(])([A-Z][\w’'-]+)", whole)}
    large = {word.lower() for word in re.findall(r"(?<![\w-])[A-Z][a-z’'-]+", whole)}
    return frozenset(small | (large - inside))


def uncapitalize(phrase: str, vocabulary: frozenset[str]) -> str:
    """The phrase as it stands inside a sentence: its first word in lower case unless it looks like a name.

    vocabulary : see `small_words`
    """
    first, _, rest = phrase.partition(" ")
    plain = re.sub(r"['’]s?$", "", first.lower())
    common = plain in vocabulary and not first.isupper() and not re.match(r"[A-Z][a-zà-ÿ]", rest)
    known = first.lower() in DETERMINERS | NOT_SUBJECTS
    return f"{first.lower()} {rest}".strip() if known or common else phrase


def capitalize(text: str) -> str:
    """The text with its first letter in upper case."""
    at = next((i for i, letter in enumerate(text) if letter.isalpha()), 0)
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


def names(text: str) -> list[str]:
    """Names of things in a question: runs of two capitalised words or more, not at its head;
    teams, posts and the bank are none."""
    inside = text.partition(" ")[2]
    found = re.findall(r"\b[A-Z][\w’'&-]*(?: (?:of |and |the |de |for )?[A-Z0-9][\w’'&-]*)+", inside)
    return [name for name in found if not ROLES.search(name)]


def _third(verb: str) -> str:
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
