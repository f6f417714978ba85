"""A run's own encoder and entailment model: used wherever ours would be, never under a head that belongs to ours."""

import numpy as np
import pytest

from models.tiny_classifier import made
from models.tiny_encoder import save_tiny_encoder
from ragassay import models, provenance
from ragassay.errors import ModelError
from ragassay.models import model_files

TEXTS = ["The fee is 28 dollars.", "A wire leaves the same day."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_encoder(tmp_path_factory.mktemp("models") / "own")


@pytest.fixture
def own(folder, monkeypatch):
    monkeypatch.setenv("RAGASSAY_ENCODER", folder)
    return folder


def test_it_agrees_with_sentence_transformers(own):
    from sentence_transformers import SentenceTransformer

    rival = SentenceTransformer(own, device="cpu").encode(TEXTS, normalize_embeddings=True)
    np.testing.assert_allclose(models.encode(TEXTS), rival, atol=1e-5)


def test_both_are_inputs_with_the_hash_of_the_whole_folder(own, tmp_path, monkeypatch):
    nli = made(tmp_path / "nli", ["LABEL_0", "LABEL_1", "LABEL_2"])
    monkeypatch.setenv("RAGASSAY_ENTAILMENT", f"{nli}#LABEL_2,LABEL_1,LABEL_0")
    monkeypatch.setenv("RAGASSAY_TRACE", str(tmp_path / "trace"))
    model_files.note_inputs()
    noted = [eval(line.replace("null", "None")) for line in (tmp_path / "trace").read_text().splitlines()]
    assert [entry["path"] for entry in noted] == [own, nli]
    assert noted[0]["sha256"] == provenance.sha256_of(model_files.Path(own))


@pytest.mark.parametrize("missing", ["model.safetensors", "tokenizer.json", "config.json"])
def test_an_encoder_that_is_not_whole_is_refused_before(folder, tmp_path, missing):
    import shutil

    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / missing).unlink()
    with pytest.raises(ModelError, match=missing.replace(".", r"\.")):
        models.check_model("encoder", str(copy))
    models.check_model("encoder", folder)
