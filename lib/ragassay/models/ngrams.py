"""Texts to hashed n-grams, and what a linear head reads in them and, of English, in the encoder's vectors.

A text is folded (plain lower-case letters, numbers as 0). Counted are its runs of 1 to 3 words, its pairs of
words with one between them and, within words, its runs of 3 to 5 letters. Each has a place by its CRC-32,
words in the lower half of `BUCKETS`, letters in the upper; a place weighs (1 + log count) times the `idf` of
the head, and each half of a row has length 1.
"""

import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.models import encoder, head_file

BUCKETS = 1 << 18
HALF = BUCKETS // 2
LONGEST = 2000  # signs of a text that are read
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARKS = re.compile(r"[*_#`>|]+")
_WORD = re.compile(r"[\w']+|[^\w\s]")


def fold(text: str) -> str:
    """The text in plain lower-case letters, numbers as 0, without accents and marks of Markdown."""
    plain = unicodedata.normalize("NFKD", text[:LONGEST].replace("\u2019", "'"))
    bare = plain if plain.isascii() else "".join(sign for sign in plain if not unicodedata.combining(sign))
    return " ".join(_MARKS.sub(" ", _NUMBER.sub("0", bare.lower())).split())


def places(text: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The places of a text's n-grams, rising, and 1 + log of how often each stands there."""
    folded = fold(text)
    words = ["^", *_WORD.findall(folded)]  # the text begins with a mark
    runs = [" ".join(words[i : i + size]) for size in (1, 2, 3) for i in range(len(words) - size + 1)]
    runs += [f"{one} .. {other}" for one, other in zip(words, words[2:], strict=False)]
    found = [zlib.crc32(run.encode("utf-8", "replace")) % HALF for run in runs]
    for word in folded.split():
        padded = f" {word} "
        for size in (3, 4, 5):
            runs = [padded[i : i + size] for i in range(max(1, len(padded) - size + 1))]
            found += [HALF + zlib.crc32(run.encode("utf-8", "replace")) % HALF for run in runs]
    where, counts = np.unique(np.array(found, dtype=np.intp), return_counts=True)
    return where, 1 + np.log(counts)


def weights(text: str, idf: NDArray) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The places of a text's n-grams and their weights, each half of length 1, or 0 if none is known."""
    where, row = places(text)
    row = row * idf[where]
    for half in (where < HALF, where >= HALF):
        row[half] /= np.linalg.norm(row[half]) or 1.0
    return where, row


def refusals(texts: Sequence[str], language: str = "en") -> NDArray[np.float64]:
    """Scores (n, 3) that a sentence declines, asserts, does neither: of their softmax the shares are made.

    Raises ValueError if a text is empty, ModelError if the head is damaged.
    """
    head = head_file.read(head_file.FOLDER / "refusals.safetensors")
    provenance.model(**head.identity)
    return score(texts, language, head.layers)


def score(texts: Sequence[str], language: str, layers: Mapping[str, NDArray]) -> NDArray[np.float64]:
    """What a head of these layers reads in each text: in its n-grams and, where it is English as the encoder
    is, in its inner vector."""
    found = np.zeros((len(texts), len(layers["out.bias"])))
    for row, text in zip(found, texts, strict=True):
        where, weighed = weights(text, layers["idf"])
        row += layers["out.weight"][:, where] @ weighed
    if language == "en":
        inner = encoder.inner_vectors(texts).astype(float) - layers["inner.center"]
        # not a matrix product: the bits of a row are to be independent of the others
        found += np.einsum("nd,ld->nl", inner, layers["inner.weight"])
    return found + layers["out.bias"]
