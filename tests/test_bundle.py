"""The air-gapped bundle: its models stand in the SBOM, its hashes are those of its files; the rest is `make bundle`."""

import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONTAINER = (ROOT / "Containerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def bundle():
    spec = importlib.util.spec_from_file_location("bundle", ROOT / "bench" / "bundle.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_its_hashes_are_what_sha256sum_checks(bundle, tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "a.whl").write_text("a")
    (tmp_path / "sbom.cdx.json").write_text("{}")
    bundle.hash_all(tmp_path)
    bundle.hash_all(tmp_path)
    assert [line.split("  ")[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()] == [
        "sbom.cdx.json",
        "wheels/a.whl",
    ]
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_a_model_is_a_component_with_its_hash(bundle, capsys):
    found = bundle.component({"name": "all-MiniLM-L6-v2", "file": "model.safetensors", "sha256": "ab" * 32})
    assert found["type"] == "machine-learning-model" and found["hashes"] == [
        {"alg": "SHA-256", "content": "ab" * 32}
    ]
    exec(bundle.MODELS)
    assert {"name", "file", "sha256"} <= set.intersection(*map(set, json.loads(capsys.readouterr().out)))


def test_the_container_runs_as_nobody_special_installs_from_the_bundle_and_starts_the_kit():
    lines = [line for line in CONTAINER.splitlines() if line and not line.startswith("#")]
    assert lines[0].startswith("FROM ") and "USER validator" in lines and 'ENTRYPOINT ["ragassay"]' in lines
    assert "--no-index" in CONTAINER and not re.search(r"https?://|apt-get|curl|wget|ADD ", CONTAINER)
    assert lines.index("USER validator") < lines.index('ENTRYPOINT ["ragassay"]')


def test_the_bundle_the_container_and_the_page_name_the_same_extras():
    extras = re.search(r'"--extras", default="([\w,]+)"', (ROOT / "bench" / "bundle.py").read_text())[1]
    page = (ROOT / "docs" / "air-gapped.md").read_text(encoding="utf-8")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert (
        f'"ragassay[{extras}]"' in CONTAINER
        and f'"ragassay[{extras}]"' in page
        and set(extras.split(",")) <= set(known)
    )
