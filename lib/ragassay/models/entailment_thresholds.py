"""The thresholds of entailment, one per use, as training/thresholds.py chose them for the networks that ship
(thresholds.json, docs/thresholds.md).

Where a run names another model, entailment falls back to UNCALIBRATED, and `uncalibrated` says so, unless it
also names the file that the same script wrote for that one (RAGASSAY_THRESHOLDS).
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ragassay import search_paths
from ragassay.errors import InputError
from ragassay.models import encoder, head_file, model_files

UNCALIBRATED = 0.5  # least probability with another model of entailment: more likely than not
OF_ENCODER = ("citation_similarity",)  # cosines; the other uses are probabilities of entailment's head


@cache
def stored() -> Mapping[str, Any]:
    """What training/thresholds.py wrote: the networks' hashes, and per use threshold and figures."""
    return json.loads(files("ragassay.models").joinpath("thresholds.json").read_text(encoding="utf-8"))


def shipped(use: str) -> float:
    """The threshold that was calibrated, whatever networks this run has."""
    return float(stored()["uses"][use]["threshold"])


def threshold(use: str) -> float:
    """The least score that counts in this use: of the run's own file, as calibrated, or UNCALIBRATED where a
    probability comes from another model. Errors as in `own`."""
    calibrated = use in OF_ENCODER or not _other_entailment()
    return own().get(use, shipped(use) if calibrated else UNCALIBRATED)


def uncalibrated(encoder_named: str = "") -> list[str]:
    """What this run's thresholds do not hold for, in sentences; empty with the networks that ship."""
    named, lacking = encoder.chosen(encoder_named), stored()["uses"].keys() - own().keys()
    others = {"entailment": _other_entailment(), "encoder": "" if named == encoder.DEFAULT else named}
    found = []
    for what, other in others.items():
        uses = ", ".join(sorted(use for use in lacking if (use in OF_ENCODER) == (what == "encoder")))
        if other and uses:
            found.append(f"Not calibrated with the {what} model {other}: thresholds of {uses}.")
    return found


def own() -> Mapping[str, float]:
    """The threshold of each use that the run's own file holds for the run's networks; empty without a file.
    An InputError if the file cannot be read, or was for another model of entailment."""
    named = model_files.of_run("thresholds")
    if not named:
        return {}
    path = search_paths.find(named)
    try:
        content = json.loads(search_paths.regular(path).read_text(encoding="utf-8"))
        found = {use: float(one["threshold"]) for use, one in content["uses"].items()}
        chosen_for = {name: str(sha256) for name, sha256 in content["networks"].items()}
        if not all(0 < value < 1 for value in found.values()):
            raise ValueError("a threshold lies between 0 and 1")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(
            "the thresholds of the run cannot be read",
            where=path,
            found=f"{type(problem).__name__}: {problem}",
            do="write it with training/thresholds.py --entailment FOLDER --out FILE (docs/bigger-models.md)",
        ) from problem
    now, was_for = networks(), chosen_for.get("entailment", "none")
    if was_for != now["entailment"]:
        raise InputError(
            "the thresholds of the run were chosen for another model of entailment",
            where=path,
            found=was_for,
            expected=now["entailment"],
            do="name their model, or choose them anew: training/thresholds.py",
        )
    if chosen_for.get("encoder") != now["encoder"]:
        found = {use: value for use, value in found.items() if use not in OF_ENCODER}
    return found


def networks() -> dict[str, str]:
    """SHA-256 of what the run's thresholds hold for: the head of entailment or the folder of the model named
    in their place, and the encoder's weights."""
    return {
        "entailment": head_file.files_sha256(_other_entailment() or "entailment"),
        "encoder": encoder.identity()["sha256"],
    }


def _other_entailment() -> str:
    """The model of entailment in place of the one that was calibrated; "" where it is that one."""
    named = model_files.of_run("entailment")
    return "" if named == "entailment" else named
