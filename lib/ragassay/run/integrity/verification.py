"""Whether a run folder is still what it was when its report was signed, and what of that cannot be told.

SHA256SUMS <- every file;  manifest <- the runner's records, the executed notebooks, this machine's models and
inputs;  documents <- the manifest's hash on their covers;  `signed` <- the hash that somebody kept;
signature.json <- the public key that somebody knows
"""

import contextlib
import html
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragassay import provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.report import NAME
from ragassay.report.document_control import MANIFEST_LINE
from ragassay.run.integrity import checksums, ed25519_signature, manifest, verify_rerun
from ragassay.run.integrity.manifest import FLAW, NOTE, UNCHECKED, Found
from ragassay.run.parameter_file.run_settings import FORMATS

LONGEST_COVER = 200_000  # characters read of a cover
BROKEN = (InputError, OSError, ValueError, RuntimeError, KeyError, zipfile.BadZipFile, zlib.error)
PRINTED = re.compile(re.escape(MANIFEST_LINE.replace(" ", "")) + "([0-9a-f]{64})")
KINDS = ("html", "pdf", "docx")
TAGS = re.compile(r"<[^<>]*>|\s+")
NUMBERS = "whether the numbers follow from the inputs: --rerun executes the notebooks again"
UNSIGNED = "unsigned: no key vouches for it; `ragassay sign`, or --signed HASH"
LOOSE = f"whether the documents are those signed: the hash of {checksums.FILE} covers them"


def cover_flaws(run_dir: Path, sha256: str) -> list[str]:
    """What is wrong with the documents, a sentence each: missing, unreadable, or made for another manifest.
    One in a format that the run was not to write is missed by nobody.

    sha256 : of the manifest that the folder holds
    """
    try:
        asked = manifest.read(run_dir).get(FORMATS)
    except InputError:
        asked = None
    formats = asked if isinstance(asked, list) else KINDS  # where the manifest does not say: all
    there = {kind for kind in KINDS if os.path.lexists(run_dir / f"{NAME}.{kind}")}
    named = [f"{NAME}.{kind}" for kind in KINDS if kind in formats or kind in there]
    return [flaw for name in named if (flaw := _cover_flaw(run_dir, name, sha256))]


def _cover_flaw(run_dir: Path, name: str, sha256: str) -> str:
    try:
        path = search_paths.file_below(run_dir, name)
        text = _cover_text(path)
    except FileNotFoundError:
        return f"{name}: missing"
    except BROKEN as problem:
        return f"{name}: cannot be read ({type(problem).__name__})"
    printed = PRINTED.findall(text)[-1:]  # a title may look like one
    if not printed:
        return f"{name}: prints no hash of a manifest on its cover"
    what = f"{manifest.FILE}: is not the one on the cover of {name}"
    return "" if printed == [sha256] else f"{what}: {sha256[:16]}, not {printed[0][:16]}"


def _cover_text(path: Path) -> str:
    """The text around the cover, without tags and spaces: of a PDF the first page, of Word what stands before
    the table of contents."""
    if path.suffix == ".pdf":
        import pypdfium2

        with contextlib.closing(pypdfium2.PdfDocument(path.read_bytes())) as document:
            return TAGS.sub("", document[0].get_textpage().get_text_bounded())
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as packed, packed.open("word/document.xml") as file:
            whole = file.read(LONGEST_COVER).decode("utf-8", errors="replace")
        cover = whole.partition("<w:sdt>")[0]
    else:
        whole = path.read_text(encoding="utf-8", errors="replace")
        cover = whole.partition('<header class="cover">')[2].partition("</header>")[0]
    return TAGS.sub("", html.unescape(cover[:LONGEST_COVER]))


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
    known = [ed25519_signature.read_public(path) for path in key_files]
    changed = [(FLAW, text) for text in checksums.flaws(folder)]
    vouched: list[Found] = []
    if look_at_signatures:
        vouched = list(ed25519_signature.check(folder, hashes, known, is_changed=bool(changed)))
    kept = _kept(signed.strip().lower(), hashes, is_signed=bool(vouched))
    covers = [(FLAW, text) for text in cover_flaws(folder, hashes[manifest.FILE])]
    again = verify_rerun.check(folder) if rerun else [(UNCHECKED, NUMBERS)]
    found = list(dict.fromkeys([*vouched, *kept, *changed, *covers, *manifest.check(folder), *again]))
    of_kind = {kind: [text for each, text in found if each == kind] for kind in (FLAW, NOTE, UNCHECKED)}
    return Verdict(of_kind[FLAW], of_kind[NOTE], of_kind[UNCHECKED], hashes)


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
