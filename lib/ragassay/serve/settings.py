"""The limits of a server, and its key."""

import os
from dataclasses import dataclass

from ragassay.errors import ParameterError

KEY = "RAGASSAY_API_KEY"
SHORTEST_KEY = 16  # characters
MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """How much a request may hold, and how much is done at once.

    answers : of a request
    body : bytes of a request
    waiting : requests that are scored or wait for it
    seconds : for a request, until its scores are there
    """

    answers: int = 64
    body: int = 2 * MIB
    waiting: int = 8
    seconds: float = 60.0


def key_given() -> str:
    """The key that every request must show; "" if there is none.

    Raises
    ------
    ParameterError
        If it is shorter than 16 characters.
    """
    key = os.environ.get(KEY, "").strip()
    if key and len(key) < SHORTEST_KEY:
        raise ParameterError(
            "the key is too short",
            where=KEY,
            found=f"{len(key)} characters",
            expected=f"{SHORTEST_KEY} or more",
            do="make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )
    return key
