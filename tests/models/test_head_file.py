"""The file of a head: what goes in comes out to half precision; a file that is no head for the kit's encoder is refused."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from small_heads import about, tensors, write

from data import write_head
from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import head_file


@pytest.mark.parametrize("kind", ["text", "token", "aligned"])
def test_what_goes_in_comes_out(kind, tmp_path):
    given = tensors(kind, hidden=8)
    inside = {f"encoder.{n}" if n.startswith("encoder") else n: value for n, value in given.items()}
    write_head(tmp_path / "a.safetensors", inside, about(kind, scale=2.0))
    head = head_file.read(tmp_path / "a.safetensors")
    assert (head.kind, head.max_length, head.identity["name"]) == (kind, 64, "a") and len(head.changes) == 6
    np.testing.assert_allclose(head.layers["out.weight"], given["head.out.weight"], atol=1e-3)
    for name, (up, down) in head.changes.items():
        np.testing.assert_allclose(up @ down, 2 * given[f"{name}.up"] @ given[f"{name}.down"], atol=2e-2)


@pytest.mark.parametrize("bias", [[1e9, 0], [np.nan, 0]])
def test_what_does_not_fit_is_not_written(bias, tmp_path):
    made = tensors("text") | {"head.out.bias": np.array(bias)}
    with pytest.raises(ValueError, match="float16"):
        write_head(tmp_path / "a.safetensors", made, about("text"))
    assert not (tmp_path / "a.safetensors").exists()


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [({"encoder": "0" * 64}, "for our encoder"), ({"kind": "picture"}, "not a head"), ({}, r"out\.bias")],
)
def test_what_is_no_whole_head_for_the_encoder_is_refused(changes, complaint, tmp_path):
    path = head_file.find_head(write(tmp_path, "text"))
    content, notes = load_file(path), head_file.read(path).about
    del content["head.out.bias"]
    save_file(content, tmp_path / "b.safetensors", metadata={"head": json.dumps({**notes, **changes})})
    with pytest.raises(ModelError, match=complaint):
        models.acceptable(["A fee is due."], model=str(tmp_path / "b.safetensors"))
