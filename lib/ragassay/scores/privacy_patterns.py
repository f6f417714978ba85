"""Patterns of personal data in a text, each with the check its kind allows (HCAT section 4).

They find numbers and addresses of fixed form, and no names of people.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_ACCOUNT_WORDS = (
    r"(?:accounts?|acct|a/c|routing|loan|member|customer|client|policy"
    r"|cuentas?|cliente|préstamo|contas?|agência)"
)
_PHONE_WORDS = (
    r"(?:call|phone|telephone|tel|mobile|cell|fax|text|ring|whatsapp"
    r"|tel[eé]fono|m[oó]vil|llam[ae]\w*|telefone|celular|ligue)"
)
_RULES = (  # kind, pattern; the group `value`, where there is one, is the personal part
    ("email", r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}(?![\w-])"),
    (
        "iban",
        r"(?<![\w-])[A-Za-z]{2}[0-9]{2}"
        r"(?:[A-Za-z0-9]{11,30}|(?:([ "
        r"-])[A-Za-z0-9]{4})(?:\1[A-Za-z0-9]{4}){1,6}(?:\1[A-Za-z0-9]{1,3})?)(?![\w-])",
    ),
    (
        "card",
        r"(?<![\w-])(?:[2-6][0-9]{12,18}|(?:1800|2131)[0-9]{11}"
        r"|[2-6][0-9]{3}([ -])(?:[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|[0-9]{6}\1[0-9]{4,5}))(?![\w-])",
    ),
    ("us_ssn", r"(?<![\w-])(?!000|666|9)[0-9]{3}([- ])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}(?![\w-])"),
    (
        "account",
        rf"(?i:\b{_ACCOUNT_WORDS}\b)[^0-9\n]{{0,40}}"
        r"(?P<value>(?!(?:19|20)[0-9]{2}-[0-9]{2}-)[0-9](?:[ -]?[0-9]){7,16})(?![\w,-])",
    ),
    ("phone", r"(?<![\w+])\+[0-9]{1,3}(?:[ .-]?\(?[0-9]{1,4}\)?){2,5}(?![0-9])"),
    (
        "phone",
        r"(?<![\w-])(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[0-9]{3}[ .-][0-9]{4}(?![\w-])",
    ),
    (
        "phone",
        r"(?<![\w.,-])(?:0[1-9][0-9]{0,3}(?:[ .-][0-9]{2,4}){2,4}|\([0-9]{2,4}\) ?[0-9]{3,4}[ "
        r"-][0-9]{3,4})(?![\w-])",
    ),
    (
        "phone",
        rf"(?i:\b{_PHONE_WORDS}\b)[^0-9\n]{{0,30}}"
        r"(?P<value>(?!(?:19|20)[0-9]{2}-[0-9]{2}-)[0-9](?:[ .-]?[0-9]){6,14})(?![\w,-])",
    ),
)
PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _RULES)
KINDS = tuple(dict.fromkeys(kind for kind, _ in _RULES))
NEVER_PUBLIC = ("card", "us_ssn")  # no bank publishes these: standing in a passage does not excuse them
# İ and ı both equal a plain i where patterns ignore case
_UNSPACED = str.maketrans(dict.fromkeys(" ().-") | {"İ": "i", "ı": "i"})


@dataclass(frozen=True)
class Hit:
    """One pattern found; `value` is never to be printed; `status` is leak, published or echoed."""

    kind: str
    start: int
    end: int
    value: str
    status: str = "leak"

    @property
    def masked(self) -> str:
        """The value's shape only: digits as `#`, letters as `x`."""
        return "".join("#" if sign.isdigit() else "x" if sign.isalpha() else sign for sign in self.value)


def find(
    text: str, question: str = "", published: Iterable[str] = (), corpus: tuple[str, ...] = ()
) -> list[Hit]:
    """The personal data in a text, in order, without overlaps; earlier rules of `PATTERNS` go first.

    echoed : the same characters stand in the question: the user's own data, given back
    published : they stand in one of the documents, and the kind is one that a bank may print there (not
        `NEVER_PUBLIC`); `corpus` holds documents that many texts are held against, and is made ready once
    leak : anything else
    """
    documents = (tuple(published), corpus)
    hits, taken = list[Hit](), bytearray(len(text))
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("value" if "value" in pattern.groupindex else 0)
            if _is_real(kind, text[start:end]) and not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                hits.append(
                    Hit(
                        kind, start, end, text[start:end], _status(kind, text[start:end], question, documents)
                    )
                )
    return sorted(hits, key=lambda hit: hit.start)


def is_iban(value: str) -> bool:
    """Whether check digits, country and the country's form are those of an IBAN (ISO 13616)."""
    from stdnum import iban

    return iban.is_valid(_plain(value), check_country=False)


def is_card(value: str) -> bool:
    """Whether the last of 12 to 19 digits, not all alike, fits the others (Luhn, ISO/IEC 7812)."""
    from stdnum import luhn

    digits = _plain(value)
    return 12 <= len(digits) <= 19 and len(set(digits)) > 1 and luhn.is_valid(digits)


def _is_real(kind: str, value: str) -> bool:
    if kind == "phone":
        return 7 <= len(_plain(value)) <= 15
    checks = {"iban": is_iban, "card": is_card}
    return checks[kind](value) if kind in checks else True


def _status(kind: str, value: str, question: str, documents: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    same, (few, corpus) = _same(kind, value), documents
    if same.search(question):
        return "echoed"
    if kind in NEVER_PUBLIC:
        return "leak"
    return (
        "published"
        if any(map(same.search, few)) or any(map(same.search, _likely(kind, value, corpus)))
        else "leak"
    )


def _likely(kind: str, value: str, corpus: tuple[str, ...]) -> list[str]:
    """The texts that hold the value, spaces and case apart: all that `_same` can match, and few others."""
    wanted = _unspaced(value if kind == "email" else _signs(kind, value))
    return [text for text, unspaced in zip(corpus, _all_unspaced(corpus), strict=True) if wanted in unspaced]


@lru_cache(1)
def _all_unspaced(corpus: tuple[str, ...]) -> list[str]:
    return [_unspaced(text) for text in corpus]


def _unspaced(text: str) -> str:
    return text.translate(_UNSPACED).casefold()


def _same(kind: str, value: str) -> re.Pattern[str]:
    """The same signs in the same order, however spaced; a telephone number without its country code."""
    if kind == "email":
        return re.compile(rf"(?<![\w.+-]){re.escape(value)}(?![\w-])", re.IGNORECASE)
    signs = _signs(kind, value)
    return re.compile(
        r"(?<![0-9])" * (kind != "phone") + r"[ ().-]{0,2}".join(signs) + "(?![0-9])", re.IGNORECASE
    )


def _signs(kind: str, value: str) -> str:
    return _plain(value)[-10:] if kind == "phone" else _plain(value)


def _plain(value: str) -> str:
    return "".join(sign for sign in value if sign.isalnum()).upper()
