"""The models and the device that a call names in place of the run's, checked before anything is computed."""

import contextlib
from collections.abc import Iterator

from ragassay.models import classifier, devices, model_files

CHECKS = {"entailment": classifier.check_entailment}
NAMED = (*CHECKS, "device")


@contextlib.contextmanager
def using(**named: str) -> Iterator[None]:
    """Within it, these (NAMED) in place of the run's; "" is the run's.

    Raises
    ------
    ModelError
        If a model is not on this machine or of another kind, or the device is not here.
    """
    with model_files.naming(**named):
        for kind, check in CHECKS.items():
            if named.get(kind):
                check(named[kind])
        devices.check_device()
        yield
