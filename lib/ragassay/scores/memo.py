"""What was read of a text, kept for a while: measures of one answer read the same sentences many times."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

TEXTS, LONGEST = 2048, 4000  # texts whose reading is kept; characters of the longest: 8 MB of text at most
Read = TypeVar("Read")


def remembered(read: Callable[[str], Read], texts: int = TEXTS) -> Callable[[str], Read]:
    """`read`, which gives for a short text that it read lately the same object, not to be changed; a longer
    text is read anew.

    texts : how many are kept
    """
    known = lru_cache(texts)(read)

    @wraps(read)
    def look_up(text: str) -> Read:
        return known(text) if len(text) <= LONGEST else read(text)

    return look_up
