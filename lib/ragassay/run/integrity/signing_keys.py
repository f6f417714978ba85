"""Ed25519 keys of those who sign: read from a file (PEM, or as `ssh-keygen -t ed25519` writes them), or made
anew."""

import base64
import os
from collections.abc import Callable
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256

from ragassay import output_files, search_paths
from ragassay.errors import InputError, ParameterError

SSH, PEM = serialization.Encoding.OpenSSH, serialization.Encoding.PEM
UNUSABLE = (ValueError, TypeError, UnsupportedAlgorithm)
LONGEST = 65_536  # bytes of a key's file
MAKE = "make one: `ragassay sign RUN --key FILE --new-key`, or `ssh-keygen -t ed25519 -f FILE`"


def make(path: Path) -> Path:
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
    output_files.write_text(public, text(key.public_key()) + "\n")
    return public


def read_private(path: Path, passphrase: Callable[[], str]) -> Ed25519PrivateKey:
    """The key that signs; `passphrase` is asked only where the file is encrypted.

    Raises
    ------
    InputError
        If the file holds no private Ed25519 key, or the passphrase does not open it.
    """
    content = _content(path)
    try:
        key = _private(content, passphrase)
    except UNUSABLE as problem:
        raise _no_key("private", path, problem) from problem
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key("private", path, type(key).__name__)
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    """The public half by which a signature is checked; InputError if the file holds none."""
    content = _content(path)
    try:
        return of_text(content.decode()) if content.startswith(b"ssh-") else _public_pem(content)
    except UNUSABLE as problem:
        raise _no_key("public", path, problem) from problem


def text(key: Ed25519PublicKey) -> str:
    """A public key on one line, `ssh-ed25519 AAAA...`."""
    return key.public_bytes(SSH, serialization.PublicFormat.OpenSSH).decode()


def of_text(line: str) -> Ed25519PublicKey:
    """The key of such a line; ValueError if it is none of Ed25519."""
    key = serialization.load_ssh_public_key(line.encode())
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("another kind of key than Ed25519")
    return key


def fingerprint(key: Ed25519PublicKey) -> str:
    """The key in short, as `ssh-keygen -l` prints it: SHA256:..., 43 letters."""
    digest = serialization.ssh_key_fingerprint(key, SHA256())
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def _private(content: bytes, passphrase: Callable[[], str]) -> object:
    load = serialization.load_pem_private_key
    if b"OPENSSH PRIVATE KEY" in content:
        load = serialization.load_ssh_private_key  # type: ignore[assignment]
    try:
        return load(content, None)
    except TypeError:  # it is encrypted
        return load(content, passphrase().encode())


def _public_pem(content: bytes) -> Ed25519PublicKey:
    key = serialization.load_pem_public_key(content)
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("another kind of key than Ed25519")
    return key


def _content(path: Path) -> bytes:
    if not search_paths.regular(path).is_file():
        raise InputError("there is no key", where=path, do=MAKE)
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise InputError("a key's file is too long", where=path, expected=f"at most {LONGEST} bytes", do=MAKE)
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
