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
from ragassay.models import encoder, head_file, load_instrument, model_files

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
    return UNCALIBRATED if use not in OF_ENCODER and _other("entailment") else shipped(use)


def uncalibrated(encoder_named: str = "") -> list[str]:
    """What this run's thresholds do not hold for, in sentences; empty with the networks that ship.

    encoder_named : the encoder, where a call names another than the run's
    """
    known = own()
    found = [
        (what, other, lacking)
        for what, names in (("entailment", _entailment_uses()), ("encoder", OF_ENCODER))
        if (other := _other(what, encoder_named)) and (lacking := [one for one in names if one not in known])
    ]
    return [
        f"Not calibrated with the {what} model {other}: thresholds of {', '.join(names)}."
        for what, other, names in found
    ]


def own() -> Mapping[str, float]:
    """The threshold of each use that the run's own file holds for the run's networks; empty without a file.

    Raises
    ------
    InputError
        If the file is missing, was not written by training/thresholds.py, or was for another model of
        entailment.
    """
    given = model_files.of_run("thresholds")
    if not given:
        return {}
    path = search_paths.find(given)
    named = model_files.of_run("entailment"), encoder.chosen()
    return _read(path, path.stat().st_mtime_ns if path.is_file() else 0, *named)


def networks() -> dict[str, str]:
    """SHA-256 of what the run's thresholds hold for: the head of entailment or the folder of the model named
    in their place, and the encoder's weights."""
    named = model_files.of_run("entailment") or "entailment"
    heads = {head["name"]: head["sha256"] for head in head_file.shipped_heads()}
    judge = heads.get(named) if named == "entailment" else load_instrument.files_sha256(named)
    return ({"entailment": judge} if judge else {}) | {"encoder": encoder.identity()["sha256"]}


@lru_cache(maxsize=8)
def _read(path: Path, modified: int, entailment: str, encoder_named: str) -> Mapping[str, float]:
    """As `own`; the last three tell when to read anew."""
    try:
        content = json.loads(search_paths.regular(path).read_text(encoding="utf-8"))
        found = {use: _share(one["threshold"]) for use, one in content["uses"].items()}
        of = {name: str(sha256) for name, sha256 in content["networks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        do = "write it with training/thresholds.py --entailment FOLDER --out FILE (docs/bigger-models.md)"
        what = "the thresholds of the run cannot be read"
        raise InputError(what, where=path, found=f"{type(problem).__name__}: {problem}", do=do) from problem
    now, encoder_then = networks(), of.pop("encoder", "")
    if encoder_then != now.pop("encoder"):
        found = {use: value for use, value in found.items() if use not in OF_ENCODER}
    if of != now:
        raise InputError(
            "the thresholds of the run were chosen for another model of entailment",
            where=path,
            found=_short(of),
            expected=_short(now),
            do="name the model that they were chosen for, or choose them anew with training/thresholds.py",
        )
    return found


def _share(value: Any) -> float:
    if not 0 < float(value) < 1:
        raise ValueError(f"a threshold lies between 0 and 1, found {value}")
    return float(value)


def _short(hashes: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {sha256[:16]}" for name, sha256 in hashes.items())


def _entailment_uses() -> list[str]:
    return [name for name in stored()["uses"] if name not in OF_ENCODER]


def _other(what: str, encoder_named: str = "") -> str:
    """The model that the run has in place of the one that was calibrated; "" where it is that one."""
    if what == "encoder":
        chosen = encoder.chosen(encoder_named)
        return "" if chosen == encoder.DEFAULT else chosen
    named = model_files.of_run("entailment") or "entailment"
    if named != "entailment":
        return named
    return "" if _is_calibrated() else "of this installation"


@cache
def _is_calibrated() -> bool:
    """Whether the heads that ship are those that were calibrated."""
    known = {head["name"]: head["sha256"] for head in head_file.shipped_heads()}
    wanted = {name: value for name, value in stored()["networks"].items() if name != "encoder"}
    return all(known.get(name) == value for name, value in wanted.items())
