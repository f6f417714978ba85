"""Random numbers by name: a result does not change because something else was computed before it."""

import zlib

import numpy as np


def random_stream(base: int, *names: str) -> np.random.Generator:
    """A generator of its own per name: a result does not change because another metric was added before
    it."""
    return np.random.default_rng([base, zlib.crc32("\0".join(names).encode("utf-8", "surrogatepass"))])


def random_base(rng: np.random.Generator | int) -> int:
    """One draw that all streams start from; a seed stands for its generator."""
    return int(np.random.default_rng(rng).integers(0, 2**32))
