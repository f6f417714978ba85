"""The aligned head: each text is read as if alone; padding changes nothing, nor does judging without masks."""

import numpy as np
import pytest
from small_heads import about, tensors

from ragassay.errors import ModelError
from ragassay.models import head_file

PAIRS = [
    ("The fee is 28 dollars and is due at once.", "A fee is due."),
    ("It rains.", "It has been dry for three weeks, says the bank."),
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


@pytest.mark.slow
def test_each_text_is_read_as_if_alone():
    import torch
    from transformers import AutoModel, AutoTokenizer

    from ragassay.models import encoder as default
    from ragassay.models import head_networks

    folder = str(default.folder())
    tokenizer, encoder = (
        AutoTokenizer.from_pretrained(folder),
        AutoModel.from_pretrained(folder, add_pooling_layer=False).eval(),
    )
    read = tokenizer([p for p, _ in PAIRS], [h for _, h in PAIRS], padding=True, return_tensors="pt")
    inputs, premise, hypothesis = head_networks.separate_texts(
        read["input_ids"], read["attention_mask"], read["token_type_ids"]
    )
    with torch.inference_mode():
        together = encoder(**inputs).last_hidden_state
        for row, pair in enumerate(PAIRS):
            for text, mask in zip(pair, (premise, hypothesis), strict=True):
                alone = encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
                assert torch.allclose(together[row][mask[row] == 1], alone, atol=1e-4)


def test_padding_changes_nothing():
    import torch

    from ragassay.models.head_networks import AlignedHead

    torch.manual_seed(0)
    head, states = AlignedHead(inner=4, hidden=8).eval(), torch.randn(1, 6, 384)
    premise, hypothesis = torch.tensor([[1, 1, 1, 0, 0, 0]]), torch.tensor([[0, 0, 0, 1, 1, 1]])
    wide = torch.cat([states, torch.randn(1, 3, 384)], dim=1)
    more = torch.zeros(1, 3, dtype=torch.int64)
    with torch.inference_mode():
        found = head(wide, torch.cat([premise, more], 1), torch.cat([hypothesis, more], 1))
        assert torch.allclose(found, head(states, premise, hypothesis), atol=1e-5)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 5), (7, 3)])
def test_a_pair_by_itself_has_the_scores_of_a_padded_row(sizes):
    import torch

    from ragassay.models.head_networks import AlignedHead

    torch.manual_seed(0)
    head, (premise, hypothesis) = (
        AlignedHead(inner=4, hidden=8).eval(),
        (torch.randn(size, 384) for size in sizes),
    )
    row = torch.cat([premise, hypothesis, torch.randn(2, 384)])[None]
    whose = torch.tensor([0] * sizes[0] + [1] * sizes[1] + [2] * 2)[None]
    with torch.inference_mode():
        padded = head(row, (whose == 0).long(), (whose == 1).long())
        assert torch.allclose(head.score_pair(premise, hypothesis), padded[0], atol=1e-6)


@pytest.mark.parametrize("gone", ["head.query.weight", "head.norm.bias"])
def test_a_layer_that_is_absent_is_named(tmp_path, gone):
    kept = {name: value for name, value in tensors("aligned").items() if name != gone}
    with pytest.raises(ModelError, match="do not fit its kind") as refused:
        head_file.write(tmp_path / "aligned.safetensors", kept, about("aligned"))
    assert gone in str(refused.value)


def test_a_layer_of_another_shape_is_named(tmp_path):
    wrong = tensors("aligned") | {"head.compare.weight": np.zeros((4, 3))}
    with pytest.raises(ModelError, match="do not fit its kind") as refused:
        head_file.write(tmp_path / "aligned.safetensors", wrong, about("aligned"))
    assert "head.compare.weight" in str(refused.value)
