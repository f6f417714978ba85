"""The manifest: SHA-256 of every input, parameter, model file, table, figure and notebook, versions, seeds,
git revision, network."""

import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import ragassay
from ragassay import output_files, provenance, report
from ragassay.run import answered_versions
from ragassay.run.execution import notebook_record, skip_unchanged

FILE = "manifest.json"
UNCHANGED: dict[str, Any] = {"overrides": {}, "departures": [], "formats": list(report.FORMATS)}


def make(
    run_dir: Path,
    engagement: str,
    parameters: dict[str, dict[str, Any]],
    own_models: dict[str, str],
    own_folder: str = "",
    device: str = "cpu",
    changes: dict[str, Any] | None = None,
) -> Path:
    """Write `manifest.json` from what the notebooks' records say; nothing in it depends on time or place.

    own_models : the models named in place of the kit's (`run_settings.MODELS`), "" where none is
    own_folder : the engagement's own folder seen from the project, "" if it is outside
    device : where the models computed; numbers of another differ in the last bits
    changes : `overrides`, the values given on the command line in place of those of the file, by
        `section.name`, `departures`, what notebooks of the engagement's own change of the kit's, and
        `formats`, the documents that the report is written as
    """
    content = {
        "ragassay": ragassay.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git_revision": _git_revision(),
        "code_sha256": skip_unchanged.code_sha256(),
        "engagement": engagement,
        "own_folder": own_folder,
        "parameters": parameters,
        **UNCHANGED,
        **(changes or {}),
        "own_models": own_models,
        "device": device,
        "packages": skip_unchanged.packages(),
        **of_records(run_dir, parameters),
    }
    path = run_dir / FILE
    output_files.write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return path


def of_records(run_dir: Path, parameters: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The parts of a manifest that follow from its parameters and from the records of their notebooks."""
    records = {name: record for name in parameters if (record := notebook_record.load(run_dir, name))}
    return {
        "seeds": {name: values["seed"] for name, values in parameters.items() if "seed" in values},
        "inputs": _unique(("path", "sha256"), [e for r in records.values() for e in r["inputs"]]),
        "models": _unique(("file", "name", "sha256"), [e for r in records.values() for e in r["models"]]),
        "artefacts": [{"notebook": name, **entry} for name, r in records.items() for entry in r["writes"]],
        "said_of_version": answered_versions.said_of_version(records.values()),
        "versions": answered_versions.of_records(records.values()),
        "network": {
            "policy": "; ".join(sorted({r["policy"] for r in records.values()})),
            "assistant": "; ".join(sorted({r["assistant"] for r in records.values()} - {""})),
            "attempts": [{"notebook": n, **e} for n, r in records.items() for e in r["attempts"]],
        },
    }


def sha256(run_dir: Path) -> str:
    """The manifest's own hash: the one printed on the cover and beside the signatures."""
    return provenance.sha256_of(run_dir / FILE)


def _unique(names: tuple[str, ...], entries: list[dict]) -> list[dict]:
    return [
        dict(zip(names, row, strict=True)) for row in sorted({tuple(e[n] for n in names) for e in entries})
    ]


def _git_revision() -> str:
    """The commit the library was run from, with a mark when files differ from it; "" outside a repository."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(skip_unchanged.PACKAGE), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""
