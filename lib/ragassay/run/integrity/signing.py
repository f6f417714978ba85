"""`signature.json`: who signed a run folder. It stands beside the manifest and is in no hash of the folder.

Each entry is a statement (the SHA-256 of the manifest and of `SHA256SUMS`, who signed, in which role, when),
the public key, and the Ed25519 signature of `message(statement)`. The manifest names tables, figures,
notebooks, parameters, models and inputs; SHA256SUMS the documents too.
"""

import base64
import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from pydantic import BaseModel, TypeAdapter

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run.integrity import checksums, manifest
from ragassay.run.integrity.manifest import Verdict
from ragassay.sanitized_text import clean

SSH, PEM = serialization.Encoding.OpenSSH, serialization.Encoding.PEM
LONGEST = 200  # letters of a name or a role
FILE = checksums.SIGNATURES
SIGNED = (manifest.FILE, checksums.FILE)
PARTS = {*SIGNED, "name", "role", "signed_at"}  # of a statement
MARK = b"ragassay signature 1\n"


class Signature(BaseModel):
    """One entry: the statement, the public key as OpenSSH writes it, and the signature in base 64."""

    statement: dict[str, str]
    public_key: str
    signature: str

    @property
    def who(self) -> str:
        """Name, role and time, as the statement has them."""
        name, role, time = (one_line(self.statement.get(part, "")) for part in ("name", "role", "signed_at"))
        return f"{name}{f' ({role})' if role else ''}, {time}"

    @property
    def key(self) -> Ed25519PublicKey:
        """The public key; ValueError if it is none of Ed25519."""
        key = serialization.load_ssh_public_key(self.public_key.encode())
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError("another kind of key than Ed25519")
        return key

    def is_valid(self) -> bool:
        """Whether the key made this signature of this statement."""
        try:
            signature = base64.b64decode(self.signature, validate=True)
            self.key.verify(signature, message(self.statement))
        except (InvalidSignature, ValueError, UnsupportedAlgorithm):
            return False
        return set(self.statement) == PARTS

    def changed_files(self, hashes: Mapping[str, str]) -> list[str]:
        """The signed files that are no longer those of the statement."""
        return [name for name in SIGNED if self.statement.get(name) != hashes[name]]


SIGNATURES = TypeAdapter(dict[Literal["signatures"], list[Signature]])


def sign(
    run_dir: str | Path,
    key_file: Path,
    *,
    name: str,
    role: str = "",
    new_key: bool = False,
    replace: bool = False,
    passphrase: Callable[[], str] = str,
) -> tuple[Signature, list[str]]:
    """Sign a run folder, beside the signatures that it has; one of the same key is renewed.

    Returns the signature, and what is noted of the folder, such as a library that is not the run's.

    Parameters
    ----------
    key_file : of a private Ed25519 key, which is only read
    name, role : who signs, as they are to be read
    new_key : whether the key is made first, its public half beside it as KEY.pub
    replace : whether signatures of another state of the folder are dropped
    passphrase : gives that of an encrypted key

    Raises
    ------
    InputError
        If something in the folder is not as its hashes say, or the key cannot be read.
    ParameterError
        If no name is given, a name or role has line feeds or hidden characters, the key lies in the run
            folder, is there already and should be made, or another state was signed and is not replaced.
    """
    folder = provenance.source(run_dir)
    for option, text in (("--name", name.strip()), ("--role", role.strip())):
        if one_line(text) != text or len(text) > LONGEST or (option == "--name" and not text):
            expected = f"a line of {LONGEST} letters at most, without control or hidden characters"
            what, found = "it must be said who signs", one_line(text)
            raise ParameterError(what, where=option, found=found, expected=expected)
    if search_paths.absolute(key_file).resolve().is_relative_to(folder.resolve()):
        what, do = "the key lies in the run folder", "keep it where the run is not handed on with it"
        raise ParameterError(what, where=key_file, do=do)
    verdict = manifest.examine(folder)
    if verdict.flaws:
        what = f"cannot be signed: the folder differs from its hashes in {len(verdict.flaws)} point(s)"
        do = "`ragassay verify` lists them; run again or rebuild the report, then sign"
        raise InputError(what, where=folder, found=verdict.flaws[0], do=do)
    kept = [] if replace else read(folder)
    if stale := [each for each in kept if each.changed_files(verdict.hashes) or not each.is_valid()]:
        what = "another state of this folder was signed"
        do = "it was signed before it was changed; --replace drops that signature"
        raise ParameterError(what, where=FILE, found=stale[0].who, do=do)
    if new_key:
        make_key(key_file)
    key = read_private(key_file, passphrase)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    statement = {**verdict.hashes, "name": name.strip(), "role": role.strip(), "signed_at": now}
    made = make(key, statement)
    write(folder, [*(each for each in kept if each.public_key != made.public_key), made])
    return made, verdict.notes


def make(key: Ed25519PrivateKey, statement: dict[str, str]) -> Signature:
    """The statement, signed."""
    signature = base64.b64encode(key.sign(message(statement))).decode()
    return Signature(statement=statement, public_key=key_text(key.public_key()), signature=signature)


def message(statement: Mapping[str, str]) -> bytes:
    """The bytes that are signed: a mark, and the statement as JSON with sorted names, without spaces."""
    return MARK + json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def write(run_dir: Path, signatures: Sequence[Signature]) -> None:
    """Write all entries, in the order given."""
    text = json.dumps(
        {"signatures": [each.model_dump() for each in signatures]}, indent=1, ensure_ascii=False
    )
    output_files.write_text(run_dir / FILE, text + "\n")


def read(run_dir: Path) -> list[Signature]:
    """The entries; none where there is no such file.

    Raises
    ------
    InputError
        If it cannot be read, or an entry is none.
    """
    try:
        content = search_paths.file_below(run_dir, FILE).read_bytes()
        return SIGNATURES.validate_json(content)["signatures"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError) as problem:
        do = "restore the file, or sign again: `ragassay sign --replace`"
        found = type(problem).__name__
        raise InputError("is no list of signatures", where=FILE, found=found, do=do) from problem


def check(run_dir: Path, verdict: Verdict, trusted: Sequence[Ed25519PublicKey]) -> bool:
    """What the signatures say of the folder as it is now goes into the verdict; whether anybody signed.

    trusted : public keys of which each must have signed; without any, whose the keys are is not known
    """
    try:
        signatures = read(run_dir)
    except InputError as problem:
        verdict.flaws.append(f"{FILE}: {problem.what}")
        return True
    but = ", but the folder is no longer what was signed" if verdict.flaws else ""
    known, valid = [key_text(key) for key in trusted], []
    for each in signatures:
        if not each.is_valid():
            verdict.flaws.append(f"{FILE}: the signature of {each.who} is broken, the entry was changed")
            continue
        valid.append(each.public_key)
        changed, printed = each.changed_files(verdict.hashes), fingerprint(each.key)
        verdict.flaws += [f"{name}: is not the one that {each.who} signed" for name in changed]
        if not changed:
            verdict.notes.append(f"signed by {each.who}, key {printed}{but}")
        if each.public_key not in known:
            who = f"whether {one_line(each.statement['name'])} holds the key {printed}"
            verdict.unchecked.append(f"{who}: name the known one, --key FILE")
    for key in (key for key in trusted if key_text(key) not in valid):
        word = "" if signatures else f"unsigned: there is no {FILE}; "
        verdict.flaws.append(f"{word}the key {fingerprint(key)} has not signed")
    return bool(signatures or trusted)


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
    """The key that signs, PEM or OpenSSH; `passphrase` is asked only where the file is encrypted.

    Raises
    ------
    InputError
        If the file holds no private Ed25519 key, or the passphrase does not open it.
    """

    def load(content: bytes) -> Any:
        is_ssh = b"OPENSSH PRIVATE KEY" in content
        loader: Any = serialization.load_ssh_private_key if is_ssh else serialization.load_pem_private_key
        try:
            return loader(content, None)
        except TypeError:  # it is encrypted
            return loader(content, passphrase().encode())

    return _read_key(path, load, Ed25519PrivateKey)


def read_public(path: Path) -> Ed25519PublicKey:
    """The public half by which a signature is checked, OpenSSH or PEM; InputError if the file holds none."""

    def load(content: bytes) -> Any:
        is_ssh = content.startswith(b"ssh-")
        return (serialization.load_ssh_public_key if is_ssh else serialization.load_pem_public_key)(content)

    return _read_key(path, load, Ed25519PublicKey)


def _read_key(path: Path, load: Callable[[bytes], Any], kind: Any) -> Any:
    try:
        key = load(search_paths.regular(path).read_bytes())
        if not isinstance(key, kind):
            raise TypeError(f"a {type(key).__name__}")
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as problem:
        what, do = f"there is no {kind.__name__} in the file", "`ragassay sign --new-key` makes one"
        raise InputError(what, where=path, found=problem, do=do) from problem
    return key


def key_text(key: Ed25519PublicKey) -> str:
    """A public key on one line, `ssh-ed25519 AAAA...`."""
    return key.public_bytes(SSH, serialization.PublicFormat.OpenSSH).decode()


def fingerprint(key: Ed25519PublicKey) -> str:
    """The key in short, as `ssh-keygen -l` prints it: SHA256:..., 43 letters."""
    digest = serialization.ssh_key_fingerprint(key, SHA256())
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def one_line(text: str) -> str:
    """Somebody's words, harmless to look at; line feeds and tabs become their pictures too."""
    return clean(text, LONGEST + 2).translate({ord("\t"): "\u2409", ord("\n"): "\u240a"})
