"""The manifest: SHA-256 of every input, parameter, model file, table, figure and notebook, versions, seeds,
git revision, network."""

import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import ragassay
from ragassay import evidence
from ragassay.errors import InputError
from ragassay.run import state

FILE = "manifest.json"


def make(
    run_dir: Path, engagement: str, parameters: dict[str, dict[str, Any]], own_models: dict[str, str]
) -> Path:
    """Write `manifest.json` from what the notebooks' records say; nothing in it depends on time or place.

    `own_models`: the encoder and the entailment model named in place of the kit's, "" where none is.
    """
    records = {name: record for name in parameters if (record := state.load(run_dir, name))}
    content = {
        "ragassay": ragassay.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git_revision": _git_revision(),
        "code_sha256": state.code_sha256(),
        "engagement": engagement,
        "parameters": parameters,
        "own_models": own_models,
        "seeds": {name: values["seed"] for name, values in parameters.items() if "seed" in values},
        "inputs": _unique(
            [{"path": e["path"], "sha256": e["sha256"]} for r in records.values() for e in r["inputs"]]
        ),
        "models": _unique([e for r in records.values() for e in r["models"]]),
        "artefacts": [{"notebook": name, **entry} for name, r in records.items() for entry in r["writes"]],
        "packages": state.packages(),
        "network": {
            "policy": "; ".join(sorted({r["policy"] for r in records.values()})),
            "assistant": "; ".join(sorted({r["assistant"] for r in records.values()} - {""})),
            "attempts": [{"notebook": n, **e} for n, r in records.items() for e in r["attempts"]],
        },
    }
    path = run_dir / FILE
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def verify(run_dir: Path) -> list[dict[str, str]]:
    """Recompute every hash of the manifest; one row per file that is missing or differs, empty if all agree.

    Raises
    ------
    InputError
        If there is no manifest, or it cannot be read as one.
    """
    try:
        content = json.loads((run_dir / FILE).read_text(encoding="utf-8"))
        files = [(e["path"], run_dir / e["path"], e["sha256"]) for e in content["artefacts"]]
        files += [(e["path"], evidence.located(e["path"]), e["sha256"]) for e in content["inputs"]]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise InputError(
            "the manifest cannot be read",
            where=run_dir / FILE,
            found=problem,
            do="name the folder of a finished run",
        ) from problem
    flaws = []
    for name, path, expected in files:
        found = evidence.sha256_of(path) if path is not None and path.exists() else "missing"
        if found != expected:
            flaws.append({"file": name, "expected": expected, "found": found})
    return flaws


def sha256(run_dir: Path) -> str:
    """The manifest's own hash: the one printed on the cover and beside the signatures."""
    return evidence.sha256_of(run_dir / FILE)


def _unique(entries: list[dict]) -> list[dict]:
    return [dict(pairs) for pairs in sorted({tuple(sorted(e.items())) for e in entries})]


def _git_revision() -> str:
    """The commit the library was run from, with a mark when files differ from it; "" outside a repository."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(state.PACKAGE), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""
