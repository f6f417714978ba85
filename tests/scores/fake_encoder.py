"""A fake encoder: equal texts have equal vectors, different texts different ones."""

import hashlib

import numpy as np


def vector(text: str, size: int = 24) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    drawn = np.random.default_rng(seed).normal(size=size)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


class FakeEncoder:
    """Callable like `ragassay.models.encode`; remembers what it was asked."""

    def __init__(self):
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> np.ndarray:
        assert all(text.strip() for text in texts), "an empty text has no vector"
        self.calls.append(list(texts))
        return np.stack([vector(text) for text in texts])
