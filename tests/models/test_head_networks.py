"""The aligned head: each text is read as if alone; padding changes nothing, nor does judging without masks."""

import pytest
from small_heads import about, tensors

from ragassay.errors import ModelError
from ragassay.models import head_file


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


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


@pytest.mark.parametrize("gone", ["head.query.weight", "head.norm.bias"])
def test_a_layer_that_is_absent_is_named(tmp_path, gone):
    kept = {name: value for name, value in tensors("aligned").items() if name != gone}
    with pytest.raises(ModelError, match="do not fit its kind") as refused:
        head_file.write(tmp_path / "aligned.safetensors", kept, about("aligned"))
    assert gone in str(refused.value)
