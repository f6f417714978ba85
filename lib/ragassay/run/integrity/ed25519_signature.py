"""`signature.json`: who signed a run folder. It stands beside the manifest and is in no hash of the folder.

Each entry is a statement (the SHA-256 of the manifest and of `SHA256SUMS`, who signed, in which role, when),
the public key, and the Ed25519 signature of `message(statement)`. The manifest names tables, figures,
notebooks, parameters, models and inputs; SHA256SUMS the documents too.
"""

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from ragassay import output_files, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run.integrity import checksums, manifest
from ragassay.run.integrity.manifest import FLAW, NOTE, UNCHECKED, Found
from ragassay.sanitized_text import clean

SSH, PEM = serialization.Encoding.OpenSSH, serialization.Encoding.PEM
UNUSABLE = (ValueError, TypeError, UnsupportedAlgorithm)
LONGEST_KEY = 65_536  # bytes of a key's file
MAKE = "make one: `ragassay sign RUN --key FILE --new-key`"
FILE = checksums.SIGNATURES
SIGNED = (manifest.FILE, checksums.FILE)
PARTS = (*SIGNED, "name", "role", "signed_at")  # of a statement
MARK = b"ragassay signature 1\n"
LONGEST = 1_000_000  # bytes of the file
BROKEN = "is broken: the entry was changed after it was signed"
CHANGED = ", but the folder is no longer what was signed"
DO = "restore the file, or sign again: `ragassay sign --replace`"


def make_key(path: Path) -> Path:
    """Make a key that its user alone may read, and its public half beside it, whose path is returned.

    Raises
    ------
    ParameterError
        If one of the two files is there already: a key is never written over.
    """
    public = path.with_name(f"{path.name}.pub")
    output_files.check(path, public)
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    with output_files.refusals(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secret)
    output_files.write_text(public, key_text(key.public_key()) + "\n")
    return public


def read_private(path: Path, passphrase: Callable[[], str]) -> Ed25519PrivateKey:
    """The key that signs; `passphrase` is asked only where the file is encrypted.

    Raises
    ------
    InputError
        If the file holds no private Ed25519 key, or the passphrase does not open it.
    """
    content = _key_content(path)
    is_ssh = b"OPENSSH PRIVATE KEY" in content
    load: Any = serialization.load_ssh_private_key if is_ssh else serialization.load_pem_private_key
    try:
        try:
            key = load(content, None)
        except TypeError:  # it is encrypted
            key = load(content, passphrase().encode())
    except UNUSABLE as problem:
        raise _no_key("private", path, problem) from problem
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key("private", path, type(key).__name__)
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    """The public half by which a signature is checked; InputError if the file holds none."""
    content = _key_content(path)
    is_ssh = content.startswith(b"ssh-")
    load: Any = serialization.load_ssh_public_key if is_ssh else serialization.load_pem_public_key
    try:
        return _of_our_kind(load(content))
    except UNUSABLE as problem:
        raise _no_key("public", path, problem) from problem


def key_text(key: Ed25519PublicKey) -> str:
    """A public key on one line, `ssh-ed25519 AAAA...`."""
    return key.public_bytes(SSH, serialization.PublicFormat.OpenSSH).decode()


def of_text(line: str) -> Ed25519PublicKey:
    """The key of such a line; ValueError if it is none of Ed25519."""
    return _of_our_kind(serialization.load_ssh_public_key(line.encode()))


def _of_our_kind(key: object) -> Ed25519PublicKey:
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("another kind of key than Ed25519")
    return key


def fingerprint(key: Ed25519PublicKey) -> str:
    """The key in short, as `ssh-keygen -l` prints it: SHA256:..., 43 letters."""
    digest = serialization.ssh_key_fingerprint(key, SHA256())
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _key_content(path: Path) -> bytes:
    if not search_paths.regular(path).is_file():
        raise InputError("there is no key", where=path, do=MAKE)
    with path.open("rb") as file:
        content = file.read(LONGEST_KEY + 1)
    if len(content) > LONGEST_KEY:
        raise InputError(
            "a key's file is too long", where=path, expected=f"at most {LONGEST_KEY} bytes", do=MAKE
        )
    return content


def _no_key(half: str, path: Path, found: object) -> InputError:
    what = f"the file holds no {half} Ed25519 key that can be read"
    expected = "PEM and its passphrase, or OpenSSH without one"
    return InputError(what, where=path, found=found, expected=expected, do=MAKE)


def refuse_below(run_dir: Path, path: Path) -> None:
    """ParameterError if the key lies in the run folder: it would be handed on with the run."""
    if search_paths.absolute(path).resolve().is_relative_to(run_dir.resolve()):
        what, do = "the key lies in the run folder", "keep it where the run is not handed on with it"
        raise ParameterError(what, where=path, do=do)


@dataclass(frozen=True)
class Signature:
    """One entry: the statement, the key that is beside it, and whether the signature is of both."""

    statement: dict[str, str]
    key: Ed25519PublicKey
    signature: bytes

    @property
    def who(self) -> str:
        """Name, role and time, as the statement has them."""
        role = self.statement["role"]
        name = one_line(self.statement["name"] + (f" ({role})" if role else ""), 200)
        return f"{name}, {one_line(self.statement['signed_at'], 40)}"

    def holds(self) -> bool:
        """Whether the key made this signature of this statement."""
        try:
            self.key.verify(self.signature, message(self.statement))
        except InvalidSignature:
            return False
        return True

    def other_files(self, hashes: Mapping[str, str]) -> list[str]:
        """The files that are not those of the statement."""
        return [name for name in SIGNED if self.statement[name] != hashes[name]]


def one_line(text: str, limit: int) -> str:
    """Somebody's words, harmless to look at; line feeds and tabs become their pictures too."""
    return clean(text, limit).translate({ord("\t"): "\u2409", ord("\n"): "\u240a"})


def message(statement: Mapping[str, str]) -> bytes:
    """The bytes that are signed: a mark, and the statement as JSON with sorted names, without spaces."""
    written = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return MARK + written.encode()


def make(key: Ed25519PrivateKey, statement: dict[str, str]) -> Signature:
    """The statement, signed."""
    return Signature(statement, key.public_key(), key.sign(message(statement)))


def write(run_dir: Path, signatures: Sequence[Signature]) -> None:
    """Write all entries, in the order given."""
    entries = [
        {
            "statement": each.statement,
            "public_key": key_text(each.key),
            "signature": base64.b64encode(each.signature).decode(),
        }
        for each in signatures
    ]
    text = json.dumps({"signatures": entries}, indent=1, ensure_ascii=False)
    output_files.write_text(run_dir / FILE, text + "\n")


def read(run_dir: Path) -> list[Signature]:
    """The entries; none where there is no such file.

    Raises
    ------
    InputError
        If it cannot be read, or an entry is none.
    """
    try:
        with search_paths.file_below(run_dir, FILE).open("rb") as file:
            entries = json.loads(file.read(LONGEST))["signatures"]
        return [_entry(each) for each in entries]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, RecursionError, UnsupportedAlgorithm) as problem:
        what = "is no list of signatures"
        raise InputError(what, where=FILE, found=type(problem).__name__, do=DO) from problem


def check(
    run_dir: Path, hashes: Mapping[str, str], trusted: Sequence[Ed25519PublicKey], *, is_changed: bool
) -> Iterator[Found]:
    """What the signatures say of the folder as it is now; nothing where it has none and no key is given.

    trusted : public keys of which each must have signed; without any, whose the keys are is not known
    is_changed : whether a file of the folder is not as its list of files says
    """
    try:
        found = read(run_dir)
    except InputError as problem:
        yield FLAW, f"{FILE}: {problem.what}"
        return
    known = [key_text(key) for key in trusted]
    for each in found:
        yield from _one(each, hashes, is_trusted=key_text(each.key) in known, is_changed=is_changed)
    signed = [key_text(each.key) for each in found if each.holds()]
    for key in (key for key in trusted if key_text(key) not in signed):
        word = "" if found else f"unsigned: there is no {FILE}; "
        yield FLAW, f"{word}the key {fingerprint(key)} has not signed"


def _one(
    each: Signature, hashes: Mapping[str, str], *, is_trusted: bool, is_changed: bool
) -> Iterator[Found]:
    if not each.holds():
        yield FLAW, f"{FILE}: the signature of {each.who} {BROKEN}"
        return
    others = each.other_files(hashes)
    for name in others:
        now = hashes[name] if len(hashes[name]) != 64 else hashes[name][:16]
        then = one_line(each.statement[name][:16], 16)
        yield FLAW, f"{name}: is not the one that {each.who} signed: {now}, not {then}"
    printed = fingerprint(each.key)
    if not others:
        yield NOTE, f"signed by {each.who}, key {printed}{CHANGED if is_changed else ''}"
    if not is_trusted:
        name = one_line(each.statement["name"], 100)
        yield UNCHECKED, f"whether {name} holds the key {printed}: name the known one, --key FILE"


def _entry(entry: Any) -> Signature:
    statement = {name: entry["statement"][name] for name in PARTS}
    if not all(isinstance(value, str) for value in [*statement.values(), entry["public_key"]]):
        raise TypeError("a part is no text")
    if set(entry["statement"]) != set(PARTS):
        raise ValueError("a statement has other parts")
    signature = base64.b64decode(entry["signature"], validate=True)
    return Signature(statement, of_text(entry["public_key"]), signature)
