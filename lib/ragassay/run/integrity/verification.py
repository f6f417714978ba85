"""Whether a run folder is still what it was when its report was signed, and what of that cannot be told.

SHA256SUMS <- every file;  manifest <- the runner's records, the executed notebooks, this machine's models and
inputs;  documents <- the manifest's hash on their covers;  `signed` <- the hash that somebody kept;
signature.json <- the public key that somebody knows
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragassay import provenance
from ragassay.errors import InputError, ParameterError
from ragassay.run.integrity import (
    checksums,
    cover_hash,
    ed25519_signature,
    manifest,
    manifest_checks,
    signing_keys,
)
from ragassay.run.integrity.manifest_checks import FLAW, NOTE, UNCHECKED, Found

NUMBERS = "that the numbers follow from the inputs: hashes are recomputed, results are not; --rerun does that"
UNSIGNED = (
    "unsigned: no key vouches for this folder, and one that somebody changed throughout agrees with itself; "
    "sign it (`ragassay sign`), or give the hash that was kept: --signed HASH"
)
LOOSE = (
    "that the documents are those signed: the hash given is the manifest's; that of "
    f"{checksums.FILE} covers them"
)


@dataclass(frozen=True)
class Verdict:
    """What was found, in sentences: flaws (none: all agrees), notes, what was not checked; and the SHA-256 of
    `SHA256SUMS` and of the manifest."""

    flaws: list[str]
    notes: list[str]
    unchecked: list[str]
    hashes: dict[str, str]


def verify(
    run_dir: str | Path,
    signed: str = "",
    key_files: Sequence[Path] = (),
    *,
    look_at_signatures: bool = True,
    rerun: bool = False,
) -> Verdict:
    """Recompute every hash that a finished run left, whatever the working folder; nothing is written there.

    Parameters
    ----------
    signed : the SHA-256 of `SHA256SUMS`, or that of the manifest as a cover prints it; "": none is known
    key_files : public keys that you know; each must have signed the folder
    look_at_signatures : False where it is about to be signed
    rerun : whether the run's notebooks are executed again elsewhere (`rerun`), which takes as long as the run

    Raises
    ------
    InputError
        If there is no such folder, neither a list of files nor a manifest in it, or a key cannot be read.
    ParameterError
        If `signed` is no SHA-256.
    """
    folder = provenance.source(run_dir)
    hashes = {name: provenance.sha256_below(folder, name) for name in (checksums.FILE, manifest.FILE)}
    if set(hashes.values()) == {"missing"}:
        what, do = "this is no folder of a finished run", "name one, such as reports/bank"
        raise InputError(what, where=folder, expected=f"{checksums.FILE} and {manifest.FILE}", do=do)
    known = [signing_keys.read_public(path) for path in key_files]
    changed = [(FLAW, text) for text in checksums.flaws(folder)]
    vouched = (
        list(ed25519_signature.check(folder, hashes, known, is_changed=bool(changed)))
        if look_at_signatures
        else []
    )
    kept = _kept(signed.strip().lower(), hashes, is_signed=bool(vouched))
    found = list(dict.fromkeys([*vouched, *kept, *changed, *_all(folder, hashes, rerun)]))
    of_kind = {kind: [text for each, text in found if each == kind] for kind in (FLAW, NOTE, UNCHECKED)}
    return Verdict(of_kind[FLAW], of_kind[NOTE], of_kind[UNCHECKED], hashes)


def _all(folder: Path, hashes: dict[str, str], rerun: bool) -> Iterator[Found]:
    yield from ((FLAW, text) for text in cover_hash.flaws(folder, hashes[manifest.FILE]))
    yield from manifest_checks.check(folder)
    if rerun:
        from ragassay.run.integrity import verify_rerun

        yield from verify_rerun.check(folder)
    else:
        yield UNCHECKED, NUMBERS


def _kept(signed: str, hashes: dict[str, str], *, is_signed: bool) -> Iterator[Found]:
    """What the hash that was kept says, and that nothing vouches for the folder where nothing does."""
    if signed and not re.fullmatch("[0-9a-f]{64}", signed):
        expected = "64 letters and digits, as a run and a cover print them"
        raise ParameterError(
            "what was signed is no SHA-256", where="--signed", found=signed, expected=expected
        )
    of = next((name for name, sha256 in hashes.items() if sha256 == signed), None)
    if not signed and not is_signed:
        yield UNCHECKED, UNSIGNED
    elif not signed:
        return
    elif of is None:
        yield FLAW, f"{checksums.FILE}, {manifest.FILE}: neither has the hash that was kept, {signed[:16]}"
    else:
        unsigned = "" if is_signed else f"unsigned: there is no {ed25519_signature.FILE}; "
        yield NOTE, f"{unsigned}the hash that was kept is that of {of}"
        yield from [(UNCHECKED, LOOSE)] if of == manifest.FILE else []
