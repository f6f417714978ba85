"""Words and their forms (verbs, values, names), and a sentence as subject, verb and rest: closed lists and
regular expressions, no model. What cannot be parted safely is left alone."""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

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
LONGEST = 14  # words of a subject
INNER, OPENING, ADVERBS = map(word_list, ("inner", "opening", "adverbs"))
_VERBS = [line.split() for line in (DATA / "verbs.txt").read_text(encoding="utf-8").splitlines()]
VERBS = frozenset(base for base, *_ in _VERBS)  # their base forms
THIRD_PERSON = {forms[1]: forms[0] for forms in _VERBS if len(forms) > 1} | {"has": "have"}  # receives
GERUNDS = {gerund: base for base, *forms in _VERBS for gerund in forms[1:]}  # registering, closing, stopping
VAGUE = re.compile(
    rf"^(?:the|an?|no|each|every|all|any)? ?(?:\w+ )?(?:{one_of('vague')}|\w+th)$"
    rf"|^(?:the|this|any|all|an?)? ?(?:same|next|latter|former|{one_of('vague_heads')})\b"
    r"|\b(?:it|its|they|them|their|this|these|those|such|above|below|others?)\b"
    r"|^(?:the|an?) [a-z]+ (?:the|an?|it|they|which|that) "
)


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


class Clause(NamedTuple):
    """`The fee` `is` `waived ...`; for any other verb than an auxiliary, `verb` is as written and `base` its
    base form."""

    subject: str
    verb: str
    base: str
    rest: str

    def ask(self, rest: str) -> str:
        """`does the bank charge REST`, `is the fee REST`, `must the customer REST`."""
        if self.verb in AUXILIARIES:
            return f"{'can' if self.verb == 'cannot' else self.verb} {self.subject} {rest}".strip()
        return f"{'does' if self.verb != self.base else 'do'} {self.subject} {self.base} {rest}".strip()


def parse_clause(sentence: str, vocabulary: frozenset[str]) -> Clause | None:
    """The first clause's subject, verb and rest (to the end of the sentence); None where the sentence is not
    whole or not of that form, or its subject means nothing outside its paragraph (`the period`)."""
    if not re.match(r"[“\"]?[A-Z0-9$]", sentence) or not re.search(r"[.!][”\")]?$", sentence):
        return None
    tokens = sentence.rstrip(".!").split()
    if len(tokens) < 3 or _bare(tokens[0]) in NOT_SUBJECTS or is_order(sentence):
        return None
    at = _find_verb(tokens) or 0  # a subject stands before it
    broken = any(_bare(token) in INNER | {"and/or"} or re.search("[(:]", token) for token in tokens[:at])
    no_noun = OPENING - {"one", "two", "three", "all"} | {"of", "and", "or", "not"}
    if not at or broken or _bare(tokens[at - 1]) in no_noun:
        return None
    verb, rest = tokens[at], tokens[at + 1 :]
    while rest and rest[0] in ADVERBS - {"only", "never"}:
        rest = rest[1:]
    base = verb if verb in AUXILIARIES else THIRD_PERSON.get(verb, verb)
    subject = uncapitalize(" ".join(tokens[:at]), vocabulary)
    return None if VAGUE.search(subject) else Clause(subject, verb, base, " ".join(rest))


def is_order(text: str) -> bool:
    """Whether a text tells somebody to do something: `Ask at a branch`, `Keep the number`."""
    first, second, *_ = [*map(_bare, text.split()), "", ""]
    return first in VERBS and second in OPENING | set("your my not it them".split())


def _bare(token: str) -> str:
    return token.lower().strip("“”\"'’,")


def _find_verb(tokens: list[str]) -> int | None:
    """Position of the finite verb. A word that may be a noun as well counts only if no auxiliary follows."""
    for i, token in enumerate(tokens[1 : LONGEST + 1], start=1):
        if token in AUXILIARIES:
            return i
        if token in INNER or token.endswith((",", ";", ":")):
            return None
        if tokens[i - 1].lower() in OPENING or i + 1 == len(tokens):
            continue
        if token in THIRD_PERSON and token not in NOUNS_TOO:
            return i
        later = tokens[i + 1 :]  # an auxiliary may follow before the clause ends
        ends = [each in INNER | {"and", "or", "but"} or each.endswith((",", ";", ":")) for each in later]
        auxiliaries = AUXILIARIES & {*later[: [*ends, True].index(True)]}
        if _may_be_verb(tokens[:i], token, later[0]) and not auxiliaries:
            return i
    return None


def _may_be_verb(subject: list[str], token: str, after: str) -> bool:
    """`the bank charges $5`, `purchases carry a fee`; not `credit limits on`."""
    if token in THIRD_PERSON:
        named = subject[0].lower() in DETERMINERS or all(word[0].isupper() for word in subject)
        return named and bool(
            re.match(r"[$€£\d]|(?:an?|the|no|up|within|at|about|only|its|their|all|any)$", after)
        )
    phrase = re.split(r" (?:of|for|on|in|with|from|at|to) ", " ".join(subject))[0]
    single = subject[0].lower() in ("a", "an", "each", "every", "one", "this", "to")
    plural = phrase.endswith("s") and not phrase.endswith(("ss", "'s", "’s", "us")) and not single
    return token in VERBS and plural and (after in OPENING or bool(re.match(r"[$€£\d]", after)))
