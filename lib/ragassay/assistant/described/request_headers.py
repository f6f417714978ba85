"""The headers of a request: made of environment variables, kept out of everything that is written."""

import os
from collections.abc import Mapping

from ragassay.assistant.described.description_checks import HEADER
from ragassay.web.retries import Failure

SECRET = 6  # characters from which a value is taken for a secret
HIDDEN = "***"


class Headers:
    """What is sent, and what has to be hidden wherever the endpoint repeats it.

    Parameters
    ----------
    described : header -> `${VARIABLE}`, or a word and `${VARIABLE}`

    Raises
    ------
    Failure
        If a variable is not set, or holds what no header can.
    """

    def __init__(self, described: Mapping[str, str]):
        self._values: dict[str, str] = {}
        self._secrets: list[str] = []
        for name, written in described.items():
            variable = HEADER.fullmatch(written)["name"]  # type: ignore[index]
            value = _value(name, variable)
            self._values[name] = written.replace("${" + variable + "}", value)
            self._secrets += [value] if len(value) >= SECRET else []

    def values(self) -> dict[str, str]:
        """Header -> value."""
        return dict(self._values)

    def hide(self, text: str) -> str:
        """The text without a header's value."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def hide_in_bytes(self, body: bytes) -> bytes:
        """The same of what was received."""
        for secret in self._secrets:
            body = body.replace(secret.encode(), HIDDEN.encode())
        return body


def missing(described: Mapping[str, str]) -> list[str]:
    """What is wrong with the variables that headers are made of, a sentence each; never their values."""
    flaws = []
    for name, written in described.items():
        try:
            _value(name, HEADER.fullmatch(written)["name"])  # type: ignore[index]
        except Failure as problem:
            flaws.append(problem.reason)
    return flaws


def _value(header: str, variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    wrong = "is not set" if not value else "" if _fits(value) else "holds what no header can"
    if wrong:
        why = f"the header {header} cannot be sent: the environment variable {variable} {wrong}"
        raise Failure(why, passing=False, hopeless=True)
    return value


def _fits(value: str) -> bool:
    return value.isascii() and value.isprintable()
