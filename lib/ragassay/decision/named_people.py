"""Whether a text names a person, by rule: not empty, no placeholder (TBD, n/a), no role or unit (the team,
Model Validation), but a given name and a surname. That the person exists is not known from a name."""

import re
from functools import lru_cache
from importlib import resources

APART = re.compile(r"[,;:/()\[\]\n&]|\b(?:and|of|by)\b")
SMALL = re.compile(
    r"al|bin|da|das|de|del|della|den|der|di|do|dos|du|el|ibn|la|le|van|von|y|zu|Dr|Mrs?|Ms|Prof"
)
MARKS = ".'’\"“”‘–-"  # about a word, and within a name: O'Neill, Silva-Núñez
LONGEST = 2000  # characters that are read


def names_person(text: str) -> bool:
    """Whether a part of the text, up to a sign or "and", "of", "by", is a person's name: two words or more
    that begin with a capital (one may be an initial), or one in a script without capitals; none of them in
    `no_names.txt`, which holds placeholders, roles and units."""
    return any(_is_name(part.split()) for part in APART.split(text[:LONGEST]))


def _is_name(words: list[str]) -> bool:
    known = [word for each in words if (word := each.strip(MARKS)) and not SMALL.fullmatch(word)]
    if not all(map(_may_be_name, known)):
        return False
    if any(word.lower() == word.upper() and len(word) > 1 for word in known):
        return True
    return len(known) > 1 and all(word[0].isupper() for word in known) and max(map(len, known)) > 1


def _may_be_name(word: str) -> bool:
    letters = "".join(sign for sign in word if sign not in MARKS)
    return letters.isalpha() and (len(word) == 1 or letters.casefold() not in _no_names())


@lru_cache(maxsize=1)
def _no_names() -> frozenset[str]:
    file = resources.files("ragassay.decision") / "no_names.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
