"""The forms of personal data (forms.txt); and national identity, tax and insurance numbers: by their shape,
their check digits (python-stdnum), and, where digits alone say little, by words beside them.

Which numbers there are stands in national_ids.csv: a shape has 9 for a digit, A for a letter; words are those
of which one must stand near, none where shape and check tell enough.
"""

import importlib
import re
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragassay.scores.text_reading import word_lists

BEFORE, AFTER = 60, 30  # characters
_WORD = re.compile(r"[^\W\d_]+")
_END = re.compile(r"[.!?](?=\s)|\n\s*\n")
# a number that is said to be made up, in the same sentence
_MADE_UP = re.compile(
    r"\b(?:test|testing|sample|dummy|specimen|fictitious|fictional|made-up|placeholder|example) "
    r"(?:\w{1,12} )?(?:cards?|numbers?|accounts?|ibans?|ids?|values?|data)\b"
    r"|\b(?:for|in) (?:tests|testing|test purposes|documentation)\b"
    r"|\b(?:tarjetas?|números?|cuentas?|datos?) (?:\w{1,12} )?(?:de (?:prueba|ejemplo)|ficticio)"
    r"|\b(?:cartão|cartões|números?|contas?|dados) (?:\w{1,12} )?(?:de (?:teste|exemplo)|fictício)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|nor|isn't|non|não)\b", re.IGNORECASE)


def stands_near(text: str, start: int, end: int, words: Sequence[str]) -> bool:
    """Whether one of the words (lower case, whole words) stands within 60 characters before the place or 30
    after it."""
    around = f"{text[max(0, start - BEFORE) : start]} {text[end : end + AFTER]}"
    told = f" {' '.join(_WORD.findall(around.casefold()))} "
    return any(f" {word} " in told for word in words)


def is_made_up(text: str, start: int, end: int) -> bool:
    """Whether the sentence of the place says that the number is one for tests or an example, and does not
    deny it."""
    first, last = max(0, start - 200), end + 200
    before = _END.split(text[first:start])[-1]
    after = _END.split(text[end:last])[0]
    found = _MADE_UP.search(before) or _MADE_UP.search(after)
    return bool(found) and not _DENIED.search(f"{before} {after}")


PATTERNS = tuple(
    (kind, re.compile(pattern)) for kind, pattern in word_lists.patterns("personal_data/forms.txt")
)
BEFORE_IDS = ("url_credentials", "email", "iban", "card", "us_ssn")  # the rest yields to national numbers
NO_PHONE = re.compile(  # a date, two years, thousands parted by points
    r"[0-9]{1,2}[-. ][0-9]{1,2}[-. ](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}[- ](?:19|20)[0-9]{2}"
    r"|[0-9]{1,3}(?:\.[0-9]{3})+"
)
NUMBERED = re.compile(  # what is numbered like an address of the internet: 3.6.1.4
    r"(?:\b(?:v|versions?|releases?|sections?|clauses?|parts?|rules?|chapters?|articles?|paragraphs?|tables?"
    r"|figures?|items?|annex|appendix|no|nr)\.?|[§#(]) ?$",
    re.IGNORECASE,
)


ROWS = "personal_data/national_ids.csv"
LONGEST, PIECES = 24, 7  # characters of a number, and pieces that signs or spaces part
_PIECE = re.compile(r"[^\W_]+")
_NINO = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]", re.IGNORECASE)
_SHAPE = str.maketrans(dict.fromkeys("0123456789", "9") | dict.fromkeys(string.ascii_letters, "A"))
Place = tuple[str, int, int]  # kind, first character, end


@dataclass(frozen=True)
class NationalId:
    """A number of one country, in certain shapes; `words` is empty where it needs no context."""

    kind: str
    country: str
    name: str
    module: str
    words: tuple[str, ...]

    def is_valid(self, value: str) -> bool:
        """Whether the value's check digits and dates are right."""
        plain = "".join(filter(str.isalnum, value))
        if not self.module:
            return bool(_NINO.fullmatch(plain))
        is_valid = importlib.import_module(f"stdnum.{self.module}").is_valid
        return bool(is_valid(value) or is_valid(plain))


@lru_cache(1)
def by_shape() -> dict[str, list[NationalId]]:
    """The numbers that each shape may be, in the order of the file."""
    shapes: dict[str, list[NationalId]] = defaultdict(list)
    for row in word_lists.rows(ROWS):
        words = tuple(filter(None, row["words"].split("|")))
        number = NationalId(row["kind"], row["country"], row["name"], row["module"], words)
        for shape in row["shapes"].split("|"):
            shapes[shape].append(number)
    return dict(shapes)


def kinds() -> tuple[str, ...]:
    """All kinds, in the order of the file."""
    return tuple(dict.fromkeys(row["kind"] for row in word_lists.rows(ROWS)))


def find_ids(text: str) -> Iterator[Place]:
    """Every national number of a text: kind, first character and end; the longest first where several begin
    at one place."""
    shapes, shaped = by_shape(), shape(text)
    pieces = [piece.span() for piece in _PIECE.finditer(text)]
    for place, (start, _) in enumerate(pieces):
        for _, end in reversed(pieces[place : place + PIECES]):
            numbers = shapes.get(shaped[start:end]) if end - start <= LONGEST else None
            if numbers and (found := _number(numbers, text, start, end)):
                yield found.kind, start, end
                break


def _number(numbers: Iterable[NationalId], text: str, start: int, end: int) -> NationalId | None:
    """Which of the numbers of this shape stands there, from the first to the last character, if one does."""
    if not _is_apart(text, start, end):
        return None
    likely = (number for number in numbers if not number.words or stands_near(text, start, end, number.words))
    return next((number for number in likely if number.is_valid(text[start:end])), None)


def shape(value: str) -> str:
    """The value with 9 for every digit and A for every letter."""
    return value.translate(_SHAPE)


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether no sign ties the value to more digits: -, ., / or , beside a digit."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return not (_ties(before[::-1]) or _ties(after))


def _ties(beside: str) -> bool:
    return len(beside) == 2 and beside[0] in "-./,+" and beside[1].isdecimal()
