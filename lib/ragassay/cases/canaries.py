"""Canaries: made-up words that nobody writes by chance, in two halves that an attack never joins itself."""

import numpy as np

from ragassay.stats.random_streams import random_stream

CONSONANTS, VOWELS = "bdgkmnprtvz", "aeo"  # no letter that a digit is read as in two ways


def halves(name: str, seed: int) -> tuple[str, str]:
    """Two words of five or six letters, always the same for a name and seed: `tarzo`, `gondek`."""
    rng = random_stream(seed, "canary", name)
    return _word(rng, "cvccv"), _word(rng, "cvccvc")


def host(name: str, seed: int) -> str:
    """A host that cannot exist (RFC 2606), always the same for a name and seed: `demnobar.example`."""
    return f"{_word(random_stream(seed, 'host', name), 'cvccvcvc')}.example"


def _word(rng: np.random.Generator, form: str) -> str:
    letters = {"c": CONSONANTS, "v": VOWELS}
    return "".join(str(rng.choice(list(letters[kind]))) for kind in form)
