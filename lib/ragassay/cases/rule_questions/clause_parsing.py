"""A sentence as subject, verb and rest, found with closed lists of verbs;
what cannot be parted safely is left alone."""

import re
from typing import NamedTuple

from ragassay.cases.rule_questions import word_forms

CUT = re.compile(
    r"[;:(]|, (?:and|but|or|so|which|who|whose|where|while|because|although|whatever|even|except|unless|if"
    r"|when|after|for"
    r"|counting|since|not|with)\b"
    r"| (?:because|although|whereas|while|so that|and (?:is|are|was|were|must|may|can|cannot|will|has"
    r"|have))\b|, (?=[a-z])"
)
INNER, OPENING, ADVERBS = (
    word_forms.word_list("inner"),
    word_forms.word_list("opening"),
    word_forms.word_list("adverbs"),
)


class Clause(NamedTuple):
    """`The fee` `is` `waived ...`; for any other verb than an auxiliary,
    `verb` is as written and `base` its base form."""

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


def part(sentence: str, vocabulary: frozenset[str]) -> Clause | None:
    """The first clause's subject, verb and rest (to the end of the sentence);
    None where the sentence is not of that form."""
    tokens = sentence.rstrip(".!").split()
    if len(tokens) < 3 or tokens[0].endswith((",", ":")) or not tokens[0][0].isalnum():
        return None
    if _bare(tokens[0]) in word_forms.NOT_SUBJECTS or _imperative(tokens):
        return None
    at = _verb(tokens)
    if at is None or not _is_subject(tokens[:at]):
        return None
    verb = tokens[at]
    rest = tokens[at + 1 :]
    while rest and rest[0] in ADVERBS - {"only", "never"}:
        rest = rest[1:]
    base = (
        verb
        if verb in word_forms.AUXILIARIES or verb in word_forms.verbs()
        else word_forms.third_person()[verb]
    )
    return Clause(word_forms.uncapitalize(" ".join(tokens[:at]), vocabulary), verb, base, " ".join(rest))


def cut(rest: str) -> str:
    """The rest up to where another clause begins."""
    found = CUT.search(rest)
    return rest[: found.start()].strip() if found else rest.strip()


def _bare(token: str) -> str:
    return token.lower().strip("“”\"'’,")


def _imperative(tokens: list[str]) -> bool:
    """`Ask at a branch`, `Keep the number`: a base form in front of what follows a verb."""
    return _bare(tokens[0]) in word_forms.verbs() and _bare(tokens[1]) in OPENING | {
        "your",
        "my",
        "not",
        "it",
        "them",
    }


def _verb(tokens: list[str]) -> int | None:
    """Position of the finite verb. A word that may also be a plural noun counts only if no auxiliary follows
    in the same clause."""
    for i, token in enumerate(tokens[1:], start=1):
        if token in word_forms.AUXILIARIES:
            return i
        if token in INNER or token.endswith((",", ";", ":")):
            return None
        sure = token in word_forms.third_person() and token not in word_forms.NOUNS_TOO
        if sure and tokens[i - 1] not in OPENING:
            return i
        after = tokens[i + 1 :]
        if (
            after
            and tokens[i - 1].lower() not in OPENING
            and _doubtful(tokens[:i], token, after[0])
            and not _auxiliary_later(after)
        ):
            return i
    return None


def _doubtful(subject: list[str], token: str, after: str) -> bool:
    """Whether a word that may be a noun is rather the verb: `the bank charges $5`, `purchases carry a fee`;
    not `credit limits on`."""
    if token in word_forms.third_person():
        named = subject[0].lower() in word_forms.DETERMINERS or (
            all(word[0].isupper() for word in subject[:2]) and len(subject) > 1
        )
        return named and bool(
            re.match(r"(?:[$€£\d]|(?:a|an|the|no|up|within|at|about|only|its|their|all|any)$)", after.lower())
        )
    return token in word_forms.verbs() and _plural(subject) and _opens(after)


def _plural(subject: list[str]) -> bool:
    head = next(
        (token for token in subject[1:] if token in ("of", "for", "on", "in", "with", "from", "at", "to")),
        None,
    )
    noun = subject[subject.index(head) - 1] if head else subject[-1]
    single = subject[0].lower() in ("a", "an", "each", "every", "one", "this", "to")
    return noun.endswith("s") and not noun.endswith(("ss", "'s", "’s", "us")) and not single


def _opens(token: str) -> bool:
    return token.lower() in OPENING or bool(re.match(r"[$€£\d]", token))


def _auxiliary_later(tokens: list[str]) -> bool:
    for token in tokens:
        if token in INNER or token in ("and", "or", "but") or token.endswith((",", ";", ":")):
            return False
        if token in word_forms.AUXILIARIES:
            return True
    return False


def _is_subject(tokens: list[str]) -> bool:
    return (
        1 <= len(tokens) <= 14
        and not any(_bare(token) in INNER | {"and/or"} for token in tokens)
        and not tokens[-1].endswith(",")
        and _bare(tokens[-1])
        not in OPENING - {"one", "two", "three", "all"} | {"of", "and", "or", "not", "to"}
    )
