"""The file of a head: what goes in comes out to half precision; a file that does not fit its kind is refused with what is wrong."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from small_heads import MATRIX, about, tensors, write

from ragassay.errors import ModelError
from ragassay.models import head_file


@pytest.mark.parametrize("kind", list(head_file.PARTS))
@pytest.mark.parametrize("hidden", [None, 8])
def test_what_goes_in_comes_out(kind, hidden, tmp_path):
    given = tensors(kind, hidden=hidden)
    head_file.write(tmp_path / "a.safetensors", given, about(kind, scale=2.0))
    head = head_file.read(tmp_path / "a.safetensors")
    assert (head.kind, head.max_length, head.identity["name"]) == (kind, 64, "a")
    np.testing.assert_allclose(head.layers["out.weight"], given["head.out.weight"], atol=1e-3)
    assert ("dense.weight" in head.layers) == bool(hidden)
    for name, (up, down) in head.changes.items():
        np.testing.assert_allclose(up @ down, 2 * given[f"{name}.up"] @ given[f"{name}.down"], atol=2e-2)


def test_names_as_the_training_network_gives_them(tmp_path):
    import torch

    given = {
        (f"encoder.{name}" if name.startswith("encoder") else name): torch.tensor(value)
        for name, value in tensors("text").items()
    }
    head_file.write(tmp_path / "a.safetensors", given, about("text"))
    assert set(head_file.read(tmp_path / "a.safetensors").changes) == {
        MATRIX.format(layer) for layer in range(6)
    }


def without(name):
    return lambda made, notes: made.pop(name)


def put(name, value):
    return lambda made, notes: made.update({name: value})


@pytest.mark.parametrize(
    "spoil, complaint",
    [
        (without("head.out.bias"), "layers"),
        (without(f"{MATRIX.format(0)}.up"), "other half"),
        (put("encoder.layer.0.output.LayerNorm.bias", np.zeros(384)), "out of place"),
        (put("head.out.weight", np.zeros((3, 384))), "shape"),
        (put("head.out.weight", np.zeros((2, 384 * 5))), "labels"),
        (put("head.out.bias", np.zeros(5)), "shape"),
        (put("head.dense.weight", np.zeros((4, 384 * 5))), "layers"),
        (put("head.out.bias", np.array([1e9, 0, 0])), "float16"),
        (put("head.out.bias", np.array([np.nan, 0, 0])), "float16"),
        (lambda made, notes: notes.update(kind="picture"), "not a head"),
        (lambda made, notes: notes.pop("labels"), "not a head"),
    ],
)
def test_a_head_that_does_not_fit_is_refused_and_not_written(spoil, complaint, tmp_path):
    made, notes = tensors("pair"), about("pair")
    spoil(made, notes)
    with pytest.raises(ModelError, match=complaint):
        head_file.write(tmp_path / "a.safetensors", made, notes)
    assert not (tmp_path / "a.safetensors").exists()


def test_a_sentence_head_may_not_change_the_encoder(tmp_path):
    with pytest.raises(ModelError, match="changes the encoder"):
        head_file.write(
            tmp_path / "a.safetensors",
            tensors("sentence") | {"x.up": np.ones((3, 1)), "x.down": np.ones((1, 3))},
            about("sentence"),
        )


def test_a_head_for_another_encoder_is_refused(tmp_path):
    path = head_file.find_head(write(tmp_path, "text"))
    notes = {**head_file.read(path).about, "encoder": "0" * 64}
    save_file(load_file(path), path, metadata={"head": json.dumps(notes)})
    with pytest.raises(ModelError, match="another encoder"):
        head_file.read(path)
