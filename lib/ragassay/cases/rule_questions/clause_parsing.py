"""A sentence as subject, verb and rest, found with closed lists of verbs;
what cannot be parted safely is left alone."""

import re
from typing import NamedTuple

from ragassay.cases.rule_questions import word_forms

LONGEST = 14  # words of a subject
INNER, OPENING, ADVERBS = map(word_forms.word_list, ("inner", "opening", "adverbs"))
VAGUE = re.compile(
    rf"^(?:the|an?|no|each|every|all|any)? ?(?:\w+ )?(?:{word_forms.one_of('vague')}|\w+th)$"
    rf"|^(?:the|this|any|all|an?)? ?(?:same|next|latter|former|{word_forms.one_of('vague_heads')})\b"
    r"|\b(?:it|its|they|them|their|this|these|those|such|above|below|others?)\b"
    r"|^(?:the|an?) [a-z]+ (?:the|an?|it|they|which|that) "
)


class Clause(NamedTuple):
    """`The fee` `is` `waived ...`; for any other verb than an auxiliary, `verb` is as written and `base` its
    base form."""

    subject: str
    verb: str
    base: str
    rest: str

    @property
    def auxiliary(self) -> bool:
        return self.verb in word_forms.AUXILIARIES

    def ask(self, rest: str) -> str:
        """`does the bank charge REST`, `is the fee REST`, `must the customer REST`."""
        helper = self.verb if self.auxiliary else "does" if self.verb != self.base else "do"
        tail = rest if self.auxiliary else f"{self.base} {rest}"
        return f"{'can' if helper == 'cannot' else helper} {self.subject} {tail}".strip()


def parse_clause(sentence: str, vocabulary: frozenset[str]) -> Clause | None:
    """The first clause's subject, verb and rest (to the end of the sentence); None where the sentence is not
    whole or not of that form, or its subject means nothing outside its paragraph (`the period`)."""
    if not re.match(r"[“\"]?[A-Z0-9$]", sentence) or not re.search(r"[.!][”\")]?$", sentence):
        return None
    tokens = sentence.rstrip(".!").split()
    if len(tokens) < 3 or _bare(tokens[0]) in word_forms.NOT_SUBJECTS or is_order(sentence):
        return None
    at = _find_verb(tokens)
    if at is None or not _is_subject(tokens[:at]):
        return None
    verb, rest = tokens[at], tokens[at + 1 :]
    while rest and rest[0] in ADVERBS - {"only", "never"}:
        rest = rest[1:]
    base = verb if verb in word_forms.AUXILIARIES else word_forms.third_person().get(verb, verb)
    subject = word_forms.uncapitalize(" ".join(tokens[:at]), vocabulary)
    return None if VAGUE.search(subject) else Clause(subject, verb, base, " ".join(rest))


def is_order(text: str) -> bool:
    """Whether a text tells somebody to do something: `Ask at a branch`, `Keep the number`."""
    first, second, *_ = [*map(_bare, text.split()), "", ""]
    return first in word_forms.verbs() and second in OPENING | set("your my not it them".split())


def _bare(token: str) -> str:
    return token.lower().strip("“”\"'’,")


def _find_verb(tokens: list[str]) -> int | None:
    """Position of the finite verb. A word that may be a noun as well counts only if no auxiliary follows."""
    for i, token in enumerate(tokens[1 : LONGEST + 1], start=1):
        if token in word_forms.AUXILIARIES:
            return i
        if token in INNER or token.endswith((",", ";", ":")):
            return None
        if tokens[i - 1].lower() in OPENING or i + 1 == len(tokens):
            continue
        if token in word_forms.third_person() and token not in word_forms.NOUNS_TOO:
            return i
        if _may_be_verb(tokens[:i], token, tokens[i + 1]) and not _auxiliary_later(tokens[i + 1 :]):
            return i
    return None


def _may_be_verb(subject: list[str], token: str, after: str) -> bool:
    """`the bank charges $5`, `purchases carry a fee`; not `credit limits on`."""
    if token in word_forms.third_person():
        named = subject[0].lower() in word_forms.DETERMINERS or all(word[0].isupper() for word in subject)
        return named and bool(
            re.match(r"[$€£\d]|(?:an?|the|no|up|within|at|about|only|its|their|all|any)$", after)
        )
    phrase = re.split(r" (?:of|for|on|in|with|from|at|to) ", " ".join(subject))[0]
    single = subject[0].lower() in ("a", "an", "each", "every", "one", "this", "to")
    plural = phrase.endswith("s") and not phrase.endswith(("ss", "'s", "’s", "us")) and not single
    return token in word_forms.verbs() and plural and (after in OPENING or bool(re.match(r"[$€£\d]", after)))


def _auxiliary_later(tokens: list[str]) -> bool:
    for token in tokens:
        if token in INNER | {"and", "or", "but"} or token.endswith((",", ";", ":")):
            return False
        if token in word_forms.AUXILIARIES:
            return True
    return False


def _is_subject(tokens: list[str]) -> bool:
    broken = any(_bare(token) in INNER | {"and/or"} or re.search("[(:]", token) for token in tokens)
    no_noun = OPENING - {"one", "two", "three", "all"} | {"of", "and", "or", "not"}
    return not broken and _bare(tokens[-1]) not in no_noun
