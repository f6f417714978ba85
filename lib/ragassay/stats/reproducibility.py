"""The same numbers on every machine and in every order: random numbers by name, and one thread for what
scikit-learn computes, whose last bits on several hang on the number of cores."""

import sys
import zlib
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

import numpy as np


def random_stream(base: int, *names: str) -> np.random.Generator:
    """A generator of its own per name: a result does not change because another metric was added before
    it."""
    return np.random.default_rng([base, zlib.crc32("\0".join(names).encode("utf-8", "surrogatepass"))])


def random_base(rng: np.random.Generator | int) -> int:
    """One draw that all streams start from; a seed stands for its generator."""
    return int(np.random.default_rng(rng).integers(0, 2**32))


def one_thread() -> AbstractContextManager:
    """Within it every thread pool of the numerical libraries has one thread; to be entered when what computes
    is imported."""
    return _pools(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _pools(modules: int) -> Any:
    """Those of this process, looked up again only where modules were loaded since: a search through every
    loaded library takes longer than most fits."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
