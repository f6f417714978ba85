"""The token states of the texts encoded last, so that a text's tokens need no second pass of the network."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from numpy.typing import NDArray

LIMIT = 128 * 2**20  # bytes held: some 85,000 tokens of the default encoder


class RecentStates:
    """States (tokens, width) by the token ids of their text; the oldest go where `limit` bytes are passed."""

    def __init__(self, limit: int = LIMIT):
        self._limit, self._held, self._bytes, self._lock = limit, OrderedDict[bytes, NDArray](), 0, Lock()

    def keep(self, ids: Sequence[int], states: NDArray) -> None:
        """Hold a copy of the states; of a text held already nothing changes."""
        with self._lock:
            if (key := _key(ids)) in self._held:
                return
            self._held[key] = states.copy()
            self._bytes += states.nbytes
            while self._bytes > self._limit:
                self._bytes -= self._held.popitem(last=False)[1].nbytes

    def find(self, ids: Sequence[int]) -> NDArray | None:
        """The states of the text with these ids, None where they are held no longer."""
        return self._held.get(_key(ids))


def _key(ids: Sequence[int]) -> bytes:
    return b"".join(one.to_bytes(4, "little") for one in ids)
