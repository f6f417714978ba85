"""The aligned head: a layer that is absent is named."""

import pytest
from small_heads import about, tensors

from ragassay.errors import ModelError
from ragassay.models import head_file


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("gone", ["head.query.weight", "head.norm.bias"])
def test_a_layer_that_is_absent_is_named(tmp_path, gone):
    kept = {name: value for name, value in tensors("aligned").items() if name != gone}
    with pytest.raises(ModelError, match="do not fit its kind") as refused:
        head_file.write(tmp_path / "aligned.safetensors", kept, about("aligned"))
    assert gone in str(refused.value)
