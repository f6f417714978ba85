"""An air-gapped bundle for this platform: python bench/bundle.py [--out dist/bundle] [--extras lab,excel]

Wheels of the kit and of everything it needs (the encoder and the heads are in them), an SBOM (CycloneDX JSON)
with every package and model, SHA256SUMS. Then a clean virtual environment is made of the bundle alone
(`--no-index`), in which the kit must start and find its models. Sizes and seconds are printed.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MODELS = "import json, ragassay.models as m; print(json.dumps([m.identity(), *m.shipped_heads()]))"
CONSTRAINTS, SBOM, SUMS = "constraints.txt", "sbom.cdx.json", "SHA256SUMS"


def main() -> None:
    """Make the bundle, install it, describe it, hash it."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, default=ROOT / "dist" / "bundle")
    asked.add_argument("--extras", default="lab,excel,serve")
    given = asked.parse_args()
    wheels, kit = given.out / "wheels", f"ragassay[{given.extras}]" if given.extras else "ragassay"
    wheels.mkdir(parents=True, exist_ok=True)
    timed("wheels", lambda: collect(wheels, given.extras))
    shutil.copy(ROOT / CONSTRAINTS, given.out / CONSTRAINTS)
    with tempfile.TemporaryDirectory() as folder:
        clean, tool = Path(folder) / "clean", Path(folder) / "tool"
        timed("installed with --no-index", lambda: install(clean, kit, given.out))
        models = json.loads(run(clean / "bin" / "python", "-c", MODELS, cwd=folder))
        version = run(clean / "bin" / "ragassay", "--version", cwd=folder).strip()
        print(f"{version} starts; {len(models)} models found")
        timed("SBOM", lambda: describe(tool, clean, given.out / SBOM, models))
    hash_all(given.out)
    sizes = [path.stat().st_size for path in wheels.iterdir()]
    print(f"{len(sizes)} wheels, {sum(sizes) / 2**20:,.0f} MiB, in {given.out}")


def collect(wheels: Path, extras: str) -> None:
    """The wheels of the kit and of all that it needs, for this platform and Python."""
    kit = f"{ROOT}[{extras}]" if extras else str(ROOT)
    pip(sys.executable, "wheel", "-w", str(wheels), "-c", str(ROOT / CONSTRAINTS), kit)


def install(venv: Path, kit: str, bundle: Path) -> None:
    """A clean virtual environment of the bundle alone."""
    run(sys.executable, "-m", "venv", venv)
    own = ("--no-index", "--find-links", str(bundle / "wheels"), "-c", str(bundle / CONSTRAINTS))
    pip(venv / "bin" / "python", "--isolated", "install", *own, kit)


def describe(tool: Path, venv: Path, sbom: Path, models: list[dict[str, Any]]) -> None:
    """The SBOM of a virtual environment, its models added with their hashes."""
    run(sys.executable, "-m", "venv", tool)
    pip(tool / "bin" / "python", "install", "-c", str(ROOT / CONSTRAINTS), "cyclonedx-bom")
    options = ("--of", "JSON", "--output-reproducible", "-o", str(sbom))
    run(tool / "bin" / "cyclonedx-py", "environment", *options, venv / "bin" / "python")
    content = json.loads(sbom.read_text(encoding="utf-8"))
    content["components"] += [component(model) for model in models]
    sbom.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def component(model: dict[str, Any]) -> dict[str, Any]:
    """A model as CycloneDX has it."""
    about = {"bom-ref": f"model:{model['name']}", "name": model["name"], "description": model["file"]}
    hashes = [{"alg": "SHA-256", "content": model["sha256"]}]
    return {"type": "machine-learning-model", **about, "hashes": hashes}


def hash_all(bundle: Path) -> None:
    """SHA256SUMS, as `sha256sum -c` reads it."""
    files = sorted(path for path in bundle.rglob("*") if path.is_file() and path.name != SUMS)
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    named = [path.relative_to(bundle).as_posix() for path in files]
    lines = [f"{sha256}  {name}\n" for sha256, name in zip(hashes, named, strict=True)]
    (bundle / SUMS).write_text("".join(lines), encoding="utf-8")


def timed(what: str, work: Any) -> None:
    """Do it and say how long it took."""
    started = time.monotonic()
    work()
    print(f"{what}: {time.monotonic() - started:.0f} s", flush=True)


def pip(python: Path | str, *words: str) -> str:
    """What pip says."""
    return run(python, "-m", "pip", *words, "-q", "--disable-pip-version-check")


def run(*words: Path | str, cwd: Path | str | None = None) -> str:
    """What a program says; it must end well."""
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
