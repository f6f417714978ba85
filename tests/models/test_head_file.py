"""The file of a head: what goes in comes out to half precision; a file that is no head for the kit's encoder is refused."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from small_heads import MATRIX, about, tensors, write

from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import head_file


@pytest.mark.parametrize("kind", ["text", "token", "aligned"])
@pytest.mark.parametrize("hidden", [None, 8])
def test_what_goes_in_comes_out(kind, hidden, tmp_path):
    given = tensors(kind, hidden=hidden)
    head_file.write(tmp_path / "a.safetensors", given, about(kind, scale=2.0))
    head = head_file.read(tmp_path / "a.safetensors")
    assert (head.kind, head.max_length, head.identity["name"]) == (kind, 64, "a")
    np.testing.assert_allclose(head.layers["out.weight"], given["head.out.weight"], atol=1e-3)
    for name, (up, down) in head.changes.items():
        np.testing.assert_allclose(up @ down, 2 * given[f"{name}.up"] @ given[f"{name}.down"], atol=2e-2)


def test_names_as_the_training_network_gives_them(tmp_path):
    import torch

    given = {
        (f"encoder.{name}" if name.startswith("encoder") else name): torch.tensor(value)
        for name, value in tensors("text").items()
    }
    head_file.write(tmp_path / "a.safetensors", given, about("text"))
    changes = head_file.read(tmp_path / "a.safetensors").changes
    assert set(changes) == {MATRIX.format(layer) for layer in range(6)}


@pytest.mark.parametrize(
    ("bias", "changes", "complaint"),
    [([1e9, 0], {}, "float16"), ([np.nan, 0], {}, "float16"), ([0, 0], {"kind": "picture"}, "not a head")],
)
def test_what_is_no_head_is_not_written(bias, changes, complaint, tmp_path):
    made = tensors("text") | {"head.out.bias": np.array(bias)}
    with pytest.raises(ModelError, match=complaint):
        head_file.write(tmp_path / "a.safetensors", made, {**about("text"), **changes})
    assert not (tmp_path / "a.safetensors").exists()


def test_a_head_for_another_encoder_or_without_a_layer_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    path = head_file.find_head(write(tmp_path, "text"))
    content, notes = load_file(path), head_file.read(path).about
    del content["head.out.bias"]
    halved, foreign = tmp_path / "halved.safetensors", tmp_path / "foreign.safetensors"
    save_file(content, halved, metadata={"head": json.dumps(notes)})
    with pytest.raises(ModelError, match=r"out\.bias"):
        models.acceptable(["A fee is due."], model=str(halved))
    save_file(content, foreign, metadata={"head": json.dumps({**notes, "encoder": "0" * 64})})
    with pytest.raises(ModelError, match="another encoder"):
        head_file.read(foreign)
