"""An assistant in a process of its own, as a run asks it."""

import os
from unittest import mock

from ragassay.answers.system_under_test import ALLOW, order_of
from ragassay.assistant.process import AssistantProcess


def load_system(spec, documents="", *, allow=None):
    """Loaded and ready to be asked; `allow` are the endpoints that a run permits, None outside of one."""
    with mock.patch.dict(os.environ, {} if allow is None else {ALLOW: ",".join(allow)}):
        assistant = AssistantProcess(order_of({"assistant": spec, "documents": documents}))
    assistant.start()
    return assistant
