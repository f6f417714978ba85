"""The real network under small random heads: as training sees it, the same bits in any company."""

import numpy as np
import pytest
from small_heads import write

from ragassay import models
from ragassay.models import cache, encoder, head_file

pytestmark = pytest.mark.slow
TEXTS = [
    f"Sentence number {i} of the schedule says that the fee is ${i}.00{' a month' * (i % 7)}."
    for i in range(40)
]
PAIRS = [(f"{text} {TEXTS[i - 1]}", text) for i, text in enumerate(TEXTS)]


def test_entailment_is_what_the_training_network_says():
    """By the network of training/aligned.py with the numbers of the file."""
    import torch

    import aligned
    import entailment
    import loop

    tokenizer, bare = loop.encoder()
    trained = aligned.Aligned(bare, aligned.RANK).eval()
    loop.start_from(trained, head_file.find_head("entailment"))
    read = entailment.Reader(tokenizer, 256)
    with torch.inference_mode():
        scores = trained(read([(*pair, "") for pair in PAIRS[:8]])).double().numpy()
    found, weights = models.entail(PAIRS[:8]), trained.head.out.weight.detach().double().numpy()
    odds = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.probabilities, odds, atol=1e-5)
    z = scores[:, 0] - scores[:, 1:].mean(axis=1)
    np.testing.assert_allclose(found.z, z, atol=1e-4)
    norm = np.linalg.norm(weights[0] - weights[1:].mean(axis=0))
    np.testing.assert_allclose(found.distance, z / norm, atol=1e-4)


def test_scores_are_the_same_bits_in_any_company(tmp_path):
    """A run that was killed computes the rest by itself: its tables are those of an undisturbed one."""
    model = write(tmp_path, "aligned")
    few = (
        models.entail(PAIRS[3:5], model=model).z,
        models.encode(TEXTS[3:5]),
        models.token_vectors(TEXTS[3:4]),
    )
    cache.location().unlink()
    encoder._held.clear()
    every = models.entail(PAIRS, model=model).z, models.encode(TEXTS), models.token_vectors(TEXTS)
    assert (every[0][3:5] == few[0]).all() and (every[1][3:5] == few[1]).all()
    assert (every[2][3] == few[2][0]).all()
