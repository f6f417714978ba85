"""One thread for what scikit-learn computes: on several, the last bits hang on the number of cores."""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


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
