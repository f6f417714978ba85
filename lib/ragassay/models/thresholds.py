"""The thresholds of entailment, one per use, as training/thresholds.py chose them for the networks that ship.

thresholds.json holds them with their curves, docs/thresholds.md tells them to a reader. They hold for these
networks: where a run names another, entailment falls back to UNCALIBRATED, and `uncalibrated` says so.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ragassay.models import encoder, headfile, model_files

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
    another model. A cosine of another encoder is held to the same threshold, uncalibrated."""
    return UNCALIBRATED if use not in OF_ENCODER and _other("entailment") else shipped(use)


def uncalibrated(encoder_named: str = "") -> list[str]:
    """What this run's thresholds do not hold for, in sentences; empty with the networks that ship.

    encoder_named : the encoder, where a call names another than the run's
    """
    found = [
        (what, other, names)
        for what, names in (("entailment", _entailment_uses()), ("encoder", OF_ENCODER))
        if (other := _other(what, encoder_named))
    ]
    return [
        f"Not calibrated with the {what} model {other}: the thresholds of {', '.join(names)} "
        f"({', '.join(f'{threshold(name):g}' for name in names)})."
        for what, other, names in found
    ]


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
    known = {head["name"]: head["sha256"] for head in headfile.shipped_heads()}
    wanted = {name: value for name, value in stored()["networks"].items() if name != "encoder"}
    return all(known.get(name) == value for name, value in wanted.items())
