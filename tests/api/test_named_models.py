"""`ragassay.score` and the verbs with local models and a device named in the call: used, checked first, forgotten afterwards."""

import pytest
from click.testing import CliRunner

import ragassay
from models.tiny_classifier import made
from ragassay.api import score_files
from ragassay.cli import cli
from ragassay.errors import ModelError
from ragassay.models import batching, model_files
from ragassay.scores.families import similarity

FEE = "The fee is 28 dollars."
ANSWERS = [{"question": "What is the fee?", "answer": FEE, "contexts": [FEE, "A wire leaves the same day."]}]
LABELS = ["contradiction", "neutral", "entailment"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(batching, "available_devices", lambda: ["cpu"])


@pytest.fixture(scope="module")
def nli(tmp_path_factory):
    return made(tmp_path_factory.mktemp("models") / "nli", LABELS)


def test_a_named_model_of_entailment_judges_one_call(nli):
    named = ragassay.score(ANSWERS, metrics=["groundedness_nli"], entailment=nli)
    ours = ragassay.score(ANSWERS, metrics=["groundedness_nli"])
    assert named.to_pandas().value[0] != ours.to_pandas().value[0]
    judged, thresholds = [note for note in named.notes if note not in ours.notes]
    assert nli in thresholds and "Not calibrated" in thresholds
    assert judged.startswith(f"Entailment is judged by {nli} (SHA-256 ")
    assert model_files.identify(model_files.Path(nli), nli)["sha256"][:16] in judged
    assert model_files.of_run("entailment") == ""


@pytest.mark.parametrize("named", [{"device": "cuda"}, {"entailment": "nobody/nowhere"}])
def test_what_cannot_be_used_is_refused_before_anything_is_scored(named, monkeypatch):
    monkeypatch.setattr(similarity, "sigma", lambda distance: pytest.fail("it was scored"))
    with pytest.raises(ModelError, match="not on this machine"):
        ragassay.score(ANSWERS, metrics=["groundedness_nli"], **named)


@pytest.mark.parametrize("verb", [("score", "answers.jsonl", "--metrics", "answer_words"), ("instruments",)])
def test_the_verbs_take_them_and_refuse_in_the_same_words(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").write_text('{"question": "Why?", "answer": "So.", "contexts": []}\n')
    told = CliRunner().invoke(cli, [*verb, "--model", "device=cuda"]).exception
    assert isinstance(told, ModelError) and "cuda" in str(told) and "name cpu" in str(told)


def test_a_file_of_scores_says_which_models_judged(nli, tmp_path):
    folder_hash = model_files.folder_sha256(model_files.Path(nli))
    named = {"support": nli, "entailment": nli, "out": tmp_path / "s.parquet"}
    found = ragassay.score(ANSWERS, metrics=["support", "groundedness"], **named)
    assert found.encoder["support"] == folder_hash and "entailment" not in found.encoder
    assert score_files.encoder_of(tmp_path / "s.parquet") == found.encoder
