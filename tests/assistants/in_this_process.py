"""A plain function as the assistant that is asked, in the tests' own process: no time limit, nothing kept apart; or
one in a process of its own, as a run asks it."""

import os
from unittest import mock

from ragassay.answers import asking
from ragassay.answers.system_under_test import ALLOW, order_of
from ragassay.assistant.process import AssistantProcess
from ragassay.assistant.reply_validation import hooks_of, row_of, row_without_answer
from ragassay.assistant.worker import describe_error


class InThisProcess:
    """What `ask_all` needs of an assistant's process; `version` is by what its answers are known again."""

    def __init__(self, function, version=""):
        self.function, self.facts, self.hooks = function, {"version": version}, hooks_of(function)

    def ask(self, question, timeout_s, given=None):
        try:
            return row_of(self.function(question, **given or {})), False
        except (Exception, SystemExit) as problem:
            return row_without_answer(describe_error(problem)), False

    def close(self):
        """Nothing is there to be ended."""


def ask_all(cases, assistant, **options):
    taken = assistant if hasattr(assistant, "facts") else InThisProcess(assistant)
    return asking.ask_all(cases, [taken], **options)


def load_system(spec, documents="", *, allow=None):
    """Loaded and ready to be asked; `allow` are the endpoints that a run permits, None outside of one."""
    with mock.patch.dict(os.environ, {} if allow is None else {ALLOW: ",".join(allow)}):
        assistant = AssistantProcess(order_of({"assistant": spec, "documents": documents}))
    assistant.start()
    return assistant
