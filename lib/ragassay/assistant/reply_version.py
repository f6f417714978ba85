"""The version that a reply says it is of, as one bounded line: the same line whenever the same is said, and
another one whenever something else is."""

import hashlib
import json

from ragassay.sanitized_text import clean

LONGEST = 200  # characters of a version that stands whole
SHOWN = 80  # characters of a longer one, before its hash
_LINES = str.maketrans({"\n": "\u240a", "\t": "\u2409"})


def version_text(value: object) -> str | None:
    """What stands where a reply has its version, as one line of at most 200 characters; None if it says none.

    A text stands as it is, with hidden characters made visible; anything else as JSON in the order of its
    keys. Of a longer one the beginning stands, with its length and the SHA-256 of the whole. Nothing is said
    by null, by a text without a sign, and by what is nested too deeply to be written.
    """
    text = value if isinstance(value, str) else _json(value)
    if text is None or not text.strip():
        return None
    whole = text.strip()
    line = _line(whole[: LONGEST + 1])
    if len(line) <= LONGEST:
        return line
    return f"{line[:SHOWN]}… ({len(whole):,} characters, SHA-256 {_sha256(whole)[:16]})"


def _line(text: str) -> str:
    return clean(text, 0).translate(_LINES)


def _json(value: object) -> str | None:
    if value is None:
        return None
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
