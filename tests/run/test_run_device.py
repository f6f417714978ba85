"""The device and the named models of a run: checked before anything runs, told to the kernels, part of what makes a notebook unchanged, stated in the manifest and the report."""

import json

import pytest

from ragassay.errors import ParameterError
from ragassay.models import devices
from ragassay.run import run
from ragassay.run.execution import execute_notebook
from ragassay.run.integrity import manifest, verification
from ragassay.run.parameter_file import engagement
from ragassay.run.parameter_file.run_settings import SETTINGS


@pytest.fixture
def there(monkeypatch):
    """A machine that says it has every device."""
    monkeypatch.setattr(devices, "available", lambda: list(devices.DEVICES))


def go(folder, device):
    (folder / "tiny.yml").write_text(f"run:\n  device: {device}\n")
    run(folder / "tiny.yml", reports=folder / "reports", render=False)
    return json.loads((folder / "reports/tiny/manifest.json").read_text())


def test_kernels_are_told(tmp_path):
    settings = {**engagement.effective(list(SETTINGS), {}), "device": "mps"}
    assert execute_notebook._environment(settings, tmp_path / "trace", "ipc")["RAGASSAY_DEVICE"] == "mps"


@pytest.mark.parametrize(
    ("device", "complaint"),
    [("cuda", "line 2: run.device: the device 'cuda' is not on this machine"), ("gpu", "one of cpu, cuda")],
)
def test_one_that_is_not_here_is_refused_before_anything_runs(quick, device, complaint, monkeypatch):
    monkeypatch.setattr(devices, "available", lambda: ["cpu"])
    with pytest.raises(ParameterError, match=complaint):
        go(quick, device)
    assert not (quick / "reports").exists()


def test_the_manifest_states_it_and_another_executes_anew(quick, there, capsys):
    assert go(quick, "cpu")["device"] == "cpu"
    go(quick, "cpu")
    assert "unchanged" in capsys.readouterr().err
    assert go(quick, "cuda")["device"] == "cuda"
    assert "unchanged" not in capsys.readouterr().err


def test_verification_says_where_the_device_is_not_here(quick, there, monkeypatch):
    go(quick, "cuda")
    folder = quick / "reports/tiny"
    assert not [note for note in verification.verify(folder).notes if "cuda" in note]
    monkeypatch.setattr(devices, "available", lambda: ["cpu"])
    (said,) = [note for note in verification.verify(folder).notes if "cuda" in note]
    assert "last bits" in said and "(cpu)" in said


def test_a_manifest_of_an_older_release_names_none(quick):
    """Its records were kept under a key without a device."""
    content = go(quick, "cpu")
    name = next(iter(content["parameters"]))
    program = {"code": content["code_sha256"], "packages": content["packages"], "python": content["python"]}
    keys = {manifest._key(quick / "reports/tiny", name, content, program)}
    del content["device"]
    keys.add(manifest._key(quick / "reports/tiny", name, content, program))
    assert len(keys) == 2 and list(manifest._program(content)) == []


def test_thresholds_of_another_model_are_refused_before_anything_runs(quick):
    (quick / "mine.json").write_text('{"networks": {"entailment": "0"}, "uses": {}}')
    (quick / "tiny.yml").write_text("run:\n  thresholds: mine.json\n")
    with pytest.raises(ParameterError, match=r"run\.thresholds: .*another model of entailment"):
        run(quick / "tiny.yml", reports=quick / "reports", render=False)
    assert not (quick / "reports").exists()


@pytest.mark.parametrize("name", ["support", "entailment"])
def test_a_model_that_is_not_here_is_refused_with_its_line(quick, name):
    (quick / "tiny.yml").write_text(f"run:\n  {name}: nobody/nowhere\n")
    with pytest.raises(
        ParameterError, match=f"line 2: run.{name}: the model 'nobody/nowhere' is not on this"
    ):
        run(quick / "tiny.yml", reports=quick / "reports", render=False)
