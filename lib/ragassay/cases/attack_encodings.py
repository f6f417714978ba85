"""Disguises of an instruction: the same words encoded, hidden between letters, or broken up; one function a
way, by the names of `data/injections/attack_texts.jsonl`.
"""

import base64
import codecs
import unicodedata
from collections.abc import Callable

LEET = str.maketrans("aeiost", "431057")
HOMOGLYPHS = str.maketrans("aceopxyisABEKMHOPCTX", "асеорхуіѕАВЕКМНОРСТХ")  # Cyrillic twins
_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- "
    "-.-- --.."
)
MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz", _CODES.split(" "), strict=True))
ZERO_WIDTH, SOFT_HYPHEN, TAGS = "\u200b", "\u00ad", 0xE0000


def _morse(text: str) -> str:
    return " / ".join(" ".join(MORSE[c] for c in word.lower() if c in MORSE) for word in text.split())


def _fullwidth(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _tags(text: str) -> str:
    """The text in tag characters, which are not displayed."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "".join(chr(TAGS + ord(c)) for c in plain)


DISGUISES: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "hex": lambda text: text.encode().hex(" "),
    "binary": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()),
    "backwards": lambda text: text[::-1],
    "leet": lambda text: text.lower().translate(LEET),
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "morse": _morse,
    "zero_width": ZERO_WIDTH.join,
    "soft_hyphens": SOFT_HYPHEN.join,
    "tags": _tags,
    "homoglyphs": lambda text: text.translate(HOMOGLYPHS),
    "fullwidth": _fullwidth,
    "spaced": lambda text: "   ".join(" ".join(word) for word in text.split()),
    "lines": lambda text: "\n".join(text.split()),
    "bullets": lambda text: "\n".join(f"- {word}" for word in text.split()),
    "numbered": lambda text: "\n".join(f"{i}. {word}" for i, word in enumerate(text.split(), 1)),
    "table": lambda text: "\n".join(f"| {word} |" for word in text.split()),
    "dots": lambda text: "...".join(text.split()),
}
