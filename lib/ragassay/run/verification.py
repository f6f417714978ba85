"""Whether a run folder is still what it was when its report was signed, and what of that cannot be told.

SHA256SUMS <- every file;  manifest <- the runner's records, the executed notebooks, this machine's models and
inputs;  documents <- the manifest's hash on their covers;  `signed` <- the hash that somebody kept
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragassay import evidence
from ragassay.errors import InputError, ParameterError
from ragassay.run import covers, manifest, manifest_checks, sums
from ragassay.run.manifest_checks import FLAW, NOTE, UNCHECKED, Found

NUMBERS = (
    "that the numbers follow from the inputs: hashes are recomputed, results are not; run again for that"
)
UNSIGNED = (
    "that this is the folder that was signed: one that somebody changed throughout agrees with itself; give "
    "the hash that was signed: --signed HASH"
)
LOOSE = (
    f"that the documents are those signed: the hash given is the manifest's; that of {sums.FILE} covers them"
)


@dataclass(frozen=True)
class Verdict:
    """What was found, in sentences: flaws (none: all agrees), notes, what was not checked; and the SHA-256 of
    `SHA256SUMS` and of the manifest."""

    flaws: list[str]
    notes: list[str]
    unchecked: list[str]
    hashes: dict[str, str]


def verify(run_dir: str | Path, signed: str = "") -> Verdict:
    """Recompute every hash that a finished run left, whatever the working folder; nothing is written.

    Parameters
    ----------
    signed : the SHA-256 of `SHA256SUMS`, or that of the manifest as a cover prints it; "": none is known

    Raises
    ------
    InputError
        If there is no such folder, or neither a list of files nor a manifest in it.
    ParameterError
        If `signed` is no SHA-256.
    """
    folder = evidence.source(run_dir)
    hashes = {name: evidence.sha256_below(folder, name) for name in (sums.FILE, manifest.FILE)}
    if set(hashes.values()) == {"missing"}:
        what, do = "this is no folder of a finished run", "name one, such as reports/bank"
        raise InputError(what, where=folder, expected=f"{sums.FILE} and {manifest.FILE}", do=do)
    found = list(dict.fromkeys(_all(folder, hashes, signed.strip().lower())))
    of_kind = {kind: [text for each, text in found if each == kind] for kind in (FLAW, NOTE, UNCHECKED)}
    return Verdict(of_kind[FLAW], of_kind[NOTE], of_kind[UNCHECKED], hashes)


def _all(folder: Path, hashes: dict[str, str], signed: str) -> Iterator[Found]:
    yield from _signature(signed, hashes)
    yield from ((FLAW, text) for text in sums.flaws(folder))
    yield from ((FLAW, text) for text in covers.flaws(folder, hashes[manifest.FILE]))
    yield from manifest_checks.check(folder)
    yield UNCHECKED, NUMBERS


def _signature(signed: str, hashes: dict[str, str]) -> Iterator[Found]:
    """What the hash that was kept says."""
    if signed and not re.fullmatch("[0-9a-f]{64}", signed):
        expected = "64 letters and digits, as a run and a cover print them"
        raise ParameterError(
            "what was signed is no SHA-256", where="--signed", found=signed, expected=expected
        )
    of = next((name for name, sha256 in hashes.items() if sha256 == signed), None)
    if not signed:
        yield UNCHECKED, UNSIGNED
    elif of is None:
        yield FLAW, f"{sums.FILE}, {manifest.FILE}: neither has the hash that was signed, {signed[:16]}"
    else:
        yield NOTE, f"the hash that was signed is that of {of}"
        yield from [(UNCHECKED, LOOSE)] if of == manifest.FILE else []
