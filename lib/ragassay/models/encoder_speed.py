"""How fast the encoder reads on this machine."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence

from ragassay.models import encoder

PART = 128  # sentences between two looks at the clock
CACHE = "RAGASSAY_CACHE"


def sentences_a_second(sentences: Sequence[str], seconds: float) -> tuple[float, int]:
    """Sentences that the encoder reads in a second, and how many it read to tell; nothing of it is kept.

    sentences : different ones, more than one; they are read until the time is over or none is left
    """
    with _cache_of_its_own():
        encoder.encode(sentences[:1])  # the model is loaded by now
        started, read = time.perf_counter(), 1
        while read < len(sentences) and time.perf_counter() - started < seconds:
            encoder.encode(sentences[read : read + PART])
            read = min(read + PART, len(sentences))
        return (read - 1) / (time.perf_counter() - started), read - 1


@contextlib.contextmanager
def _cache_of_its_own() -> Iterator[None]:
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE] = folder
        try:
            yield
        finally:
            os.environ.pop(CACHE)
            os.environ.update({CACHE: before} if before is not None else {})
