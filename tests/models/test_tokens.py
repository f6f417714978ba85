"""Token vectors: as the network gives them, the same bits from the cache, in any company and in any order."""

import numpy as np
import pytest

from ragassay import models
from ragassay.models import encoder, tokens

pytestmark = pytest.mark.slow
TEXTS = [
    "The fee is $5.",
    "",
    "Cards are posted within five days of the order.",
    " ",
    "word " * 400,
    "\ud800 \0 🙂",
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


def test_as_the_network_gives_them():
    import torch

    tokenizer, network = tokens._loaded()
    with torch.inference_mode():
        expected = network(**tokenizer(TEXTS[0], return_tensors="pt")).last_hidden_state[0, 1:-1].numpy()
    np.testing.assert_allclose(models.token_vectors(TEXTS[:1])[0], expected, atol=1e-5)


def test_one_row_per_token():
    lengths = [len(found) for found in models.token_vectors(TEXTS)]
    assert lengths[1] == lengths[3] == 0 and lengths[4] == tokens.LIMIT - 2
    assert {found.shape[1] for found in models.token_vectors(TEXTS)} == {encoder.WIDTH}


def test_the_cache_gives_the_same_bits_without_the_network(monkeypatch):
    first = models.token_vectors(TEXTS)
    monkeypatch.setattr(tokens, "_loaded", lambda: pytest.fail("the network was loaded again"))
    again = models.token_vectors(TEXTS[::-1])[::-1]
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))


def test_the_same_bits_alone(tmp_path, monkeypatch):
    together = models.token_vectors(TEXTS)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "other"))
    alone = [models.token_vectors([text])[0] for text in TEXTS]
    assert all(np.array_equal(one, other) for one, other in zip(together, alone, strict=True))


def test_no_text_gives_no_vectors():
    assert models.token_vectors([]) == []
