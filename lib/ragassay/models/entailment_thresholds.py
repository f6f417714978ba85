"""The thresholds of entailment, one per use, as training/thresholds.py chose them for the networks that ship.

thresholds.json holds them with their curves, docs/thresholds.md tells them to a reader. They hold for these
networks: where a run names another, entailment falls back to UNCALIBRATED, and `uncalibrated` says so, unless
it also names the file that the same script wrote for that one (RAGASSAY_THRESHOLDS).
"""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ragassay import search_paths
from ragassay.errors import InputError
from ragassay.models import encoder, head_file, model_files

UNCALIBRATED = 0.5  # least probability with another model of entailment: more likely than not
OF_ENCODER = ("citation_similarity",)  # cosines; the other uses are probabilities of entailment's head


@cache
def stored() -> Mapping[str, Any]:
    """What training/thresholds.py wrote: the networks' hashes, and per use threshold, interval, criterion,
    figures by set left out, curve."""
    return json.loads(files("ragassay.models").joinpath("thresholds.json").read_text(encoding="utf-8"))


def shipped(use: str) -> float:
    """The threshold that was calibrated, whatever networks this run has."""
    return float(stored()["uses"][use]["threshold"])


def threshold(use: str) -> float:
    """The least score that counts in this use: as calibrated, or UNCALIBRATED where a probability comes from
    another model. A cosine of another encoder is held to the same threshold, uncalibrated. The run's own file
    stands before both; errors as in `own`."""
    if use in own():
        return own()[use]
    return UNCALIBRATED if use not in OF_ENCODER and _other_entailment() else shipped(use)


def uncalibrated(encoder_named: str = "") -> list[str]:
    """What this run's thresholds do not hold for, in sentences; empty with the networks that ship.

    encoder_named : the encoder, where a call names another than the run's
    """
    known, named = own(), encoder.chosen(encoder_named)
    others = {
        "entailment": (_other_entailment(), [use for use in stored()["uses"] if use not in OF_ENCODER]),
        "encoder": ("" if named == encoder.DEFAULT else named, OF_ENCODER),
    }
    found = []
    for what, (other, uses) in others.items():
        lacking = [use for use in uses if use not in known]
        if other and lacking:
            names = ", ".join(lacking)
            found.append(f"Not calibrated with the {what} model {other}: thresholds of {names}.")
    return found


def own() -> Mapping[str, float]:
    """The threshold of each use that the run's own file holds for the run's networks; empty without a file.

    Raises
    ------
    InputError
        If the file is missing, was not written by training/thresholds.py, or was for another model of
        entailment.
    """
    named = model_files.of_run("thresholds")
    if not named:
        return {}
    path = search_paths.find(named)
    modified = path.stat().st_mtime_ns if path.is_file() else 0
    return _read(path, modified, model_files.of_run("entailment"), encoder.chosen())


def networks() -> dict[str, str]:
    """SHA-256 of what the run's thresholds hold for: the head of entailment or the folder of the model named
    in their place, and the encoder's weights."""
    named = model_files.of_run("entailment") or "entailment"
    judge = _shipped_head() if named == "entailment" else head_file.files_sha256(named)
    return ({"entailment": judge} if judge else {}) | {"encoder": encoder.identity()["sha256"]}


@lru_cache(maxsize=8)
def _read(path: Path, modified: int, entailment: str, encoder_named: str) -> Mapping[str, float]:
    """As `own`; the last three tell when to read anew."""
    try:
        content = json.loads(search_paths.regular(path).read_text(encoding="utf-8"))
        found = {use: float(one["threshold"]) for use, one in content["uses"].items()}
        chosen_for = {name: str(sha256) for name, sha256 in content["networks"].items()}
        odd = [value for value in found.values() if not 0 < value < 1]
        if odd:
            raise ValueError(f"a threshold lies between 0 and 1, found {odd[0]}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        do = "write it with training/thresholds.py --entailment FOLDER --out FILE (docs/bigger-models.md)"
        what = "the thresholds of the run cannot be read"
        raise InputError(what, where=path, found=f"{type(problem).__name__}: {problem}", do=do) from problem
    now = networks()
    if chosen_for.get("entailment") != now.get("entailment"):
        raise InputError(
            "the thresholds of the run were chosen for another model of entailment",
            where=path,
            found=chosen_for.get("entailment", "none")[:16],
            expected=now.get("entailment", "none")[:16],
            do="name the model that they were chosen for, or choose them anew with training/thresholds.py",
        )
    if chosen_for.get("encoder") != now["encoder"]:
        found = {use: value for use, value in found.items() if use not in OF_ENCODER}
    return found


def _other_entailment() -> str:
    """The model of entailment in place of the one that was calibrated; "" where it is that one."""
    named = model_files.of_run("entailment") or "entailment"
    if named != "entailment":
        return named
    return "" if _shipped_head() == stored()["networks"]["entailment"] else "of this installation"


def _shipped_head() -> str | None:
    path = head_file.find_head("entailment")
    return head_file.read(path).identity["sha256"] if path else None
