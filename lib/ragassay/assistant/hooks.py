"""Hooks: what an assistant may take beside the question, told by the names of its parameters.

history   : what was said before, as [{"role": "user" or "assistant", "content": text}, ...], the user first
passages  : [{"id": text, "text": text}, ...], to answer from instead of those that it would retrieve itself
"""

import inspect
from collections.abc import Callable

HISTORY, PASSAGES = HOOKS = ("history", "passages")
IN_WORDS = {HISTORY: "the conversation so far", PASSAGES: "passages in place of those retrieved"}


def hooks_of(ask: Callable[..., object]) -> tuple[str, ...]:
    """The hooks that a callable takes: those that its signature names and that may be passed by name.

    `**options` names none: it would swallow what it does not know, and nobody could tell.
    """
    try:
        parameters = inspect.signature(ask).parameters
    except (ValueError, TypeError):
        return ()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(name for name in HOOKS if name in parameters and parameters[name].kind in by_name)
