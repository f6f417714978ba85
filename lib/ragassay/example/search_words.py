"""The words by which the bundled assistant searches: of a text, in order; and each once, remembered."""

import re
import unicodedata
from functools import lru_cache

TEXTS = 20_000  # texts whose words are remembered
WORD = re.compile(r"\w+(?:[.,]\d+)*")
STOP = frozenset(
    WORD.findall("""
    a an the of to in on at for from by with and or if is are was were be been am do does did can could
    will would should may might must i me my we us our you your it its he she his her they them their
    this that these those what which who whom when where how why there here have has had not no so as
    than then too also el la los las un una unos unas de del al en por para con y o si es son se mi su
    sus que cual cuando cuanto como donde os um uma uns umas do da dos das ao na nas nos e ou eu meu
    minha seu sua qual quando quanto onde nao""")
)


def words(text: str) -> list[str]:
    """Words and numbers in lower case, without accents, stop words and the s of a plural (Harman's S stemmer,
    shortened)."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return [
        re.sub(r"(?<=\w[^us])s$", "", re.sub(r"(?<=\w\w)ies$", "y", word))
        for word in WORD.findall(plain)
        if word not in STOP
    ]


@lru_cache(maxsize=TEXTS)
def vocabulary(text: str) -> tuple[str, ...]:
    """The words of a text, each once, in the order of the alphabet; one question meets the same passages as
    another."""
    return tuple(sorted(set(words(text))))
