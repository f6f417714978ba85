"""One thread for what scikit-learn computes: on several, the last bits hang on the number of cores."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager:
    """Within it every thread pool of the numerical libraries has one thread; to be entered when what computes
    is imported."""
    return _pools().limit(limits=1)


@cache
def _pools() -> Any:
    """Those of this process, looked up once: a search through every loaded library takes longer than most
    fits."""
    import sklearn.cluster
    from threadpoolctl import ThreadpoolController

    assert sklearn.cluster.KMeans  # loaded, and with it the pool of its threads
    return ThreadpoolController()
