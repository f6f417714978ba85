"""`signature.json`: who signed a run folder. It stands beside the manifest and is in no hash of the folder.

Each entry is a statement (the SHA-256 of the manifest and of `SHA256SUMS`, who signed, in which role, when),
the public key, and the Ed25519 signature of `message(statement)`.
"""

import base64
import datetime
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from pydantic import BaseModel, TypeAdapter

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run import manifest
from ragassay.run.manifest import Verdict
from ragassay.sanitized_text import clean

SSH = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
LONGEST = 200  # letters of a name or a role
FILE = manifest.SIGNATURES
PARTS = {manifest.FILE, manifest.SUMS, "name", "role", "signed_at"}  # of a statement
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
    def key(self) -> Any:
        """The public key."""
        return serialization.load_ssh_public_key(self.public_key.encode())

    def is_valid(self) -> bool:
        """Whether the key, of Ed25519, made this signature of this statement."""
        try:
            self.key.verify(base64.b64decode(self.signature, validate=True), message(self.statement))
        except (InvalidSignature, ValueError, TypeError, UnsupportedAlgorithm):
            return False
        return set(self.statement) == PARTS and isinstance(self.key, Ed25519PublicKey)


SIGNATURES = TypeAdapter(dict[Literal["signatures"], list[Signature]])


def sign(
    run_dir: str | Path,
    key_file: Path,
    *,
    name: str,
    role: str = "",
    replace: bool = False,
    passphrase: Callable[[], str] = str,
) -> tuple[Signature, list[str]]:
    """Sign a run folder, beside the signatures that it has; one of the same key is renewed.

    Returns the signature, and what is noted of the folder, such as a library that is not the run's.

    key_file : of a private Ed25519 key, PEM or OpenSSH, which is only read
    name, role : who signs, as they are to be read
    replace : whether signatures of another state of the folder are dropped
    passphrase : gives that of an encrypted key

    Raises InputError if something in the folder is not as its hashes say, or the key cannot be read;
    ParameterError if no name is given, a name or role has line feeds or hidden characters, the key lies in
    the run folder, or another state was signed and is not replaced."""
    folder, name, role = provenance.source(run_dir), name.strip(), role.strip()
    if not name or any(one_line(text) != text or len(text) > LONGEST for text in (name, role)):
        found, expected = f"{one_line(name)}, {one_line(role)}", f"plain lines of {LONGEST} letters at most"
        raise ParameterError("it must be said who signs: --name, --role", found=found, expected=expected)
    if search_paths.absolute(key_file).resolve().is_relative_to(folder.resolve()):
        raise ParameterError("the key lies in the run folder", where=key_file, do="keep it elsewhere")
    verdict = manifest.examine(folder)
    if verdict.flaws:
        found = "; ".join(verdict.flaws[:5])
        raise InputError("the folder cannot be signed", where=folder, found=found, do="run again, then sign")
    kept = [] if replace else read(folder)
    if stale := [e for e in kept if not (e.is_valid() and verdict.hashes.items() <= e.statement.items())]:
        what = "another state of this folder was signed"
        raise ParameterError(what, where=FILE, found=stale[0].who, do="drop that signature: --replace")
    key = _read_key(key_file, Ed25519PrivateKey, passphrase)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    statement = {**verdict.hashes, "name": name, "role": role, "signed_at": now}
    signature = base64.b64encode(key.sign(message(statement))).decode()
    public_key = key.public_key().public_bytes(*SSH).decode()
    made = Signature(statement=statement, public_key=public_key, signature=signature)
    entries = [*(each for each in kept if each.public_key != public_key), made]
    output_files.write_bytes(folder / FILE, SIGNATURES.dump_json({"signatures": entries}, indent=1) + b"\n")
    return made, verdict.notes


def message(statement: dict[str, str]) -> bytes:
    """The bytes that are signed: a mark, and the statement as JSON with sorted names, without spaces."""
    return MARK + json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def read(run_dir: Path) -> list[Signature]:
    """The entries, none where there is no such file; InputError if it cannot be read, or an entry is none."""
    try:
        content = search_paths.file_below(run_dir, FILE).read_bytes()
        return SIGNATURES.validate_json(content)["signatures"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError) as problem:
        raise InputError("is no list of signatures", where=FILE, do="sign again, --replace") from problem


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
    known, valid = {fingerprint(key) for key in trusted}, set()
    for each in signatures:
        if not each.is_valid():
            verdict.flaws.append(f"{FILE}: the signature of {each.who} is broken, the entry was changed")
            continue
        key, changed = fingerprint(each.key), verdict.hashes.items() - each.statement.items()
        valid.add(key)
        verdict.flaws += [f"{name}: is not the one that {each.who} signed" for name, _ in sorted(changed)]
        if not changed:
            verdict.notes.append(f"signed by {each.who}, key {key}{but}")
        if key not in known:
            who = f"whether {one_line(each.statement['name'])} holds the key {key}"
            verdict.unchecked.append(f"{who}: name the known one, --key FILE")
    word = "" if signatures else f"unsigned: there is no {FILE}; "
    verdict.flaws += [f"{word}the key {key} has not signed" for key in sorted(known - valid)]
    return bool(signatures or trusted)


def read_public(path: Path) -> Ed25519PublicKey:
    """The public half by which a signature is checked, OpenSSH or PEM; InputError if the file holds none."""
    return _read_key(path, Ed25519PublicKey)


def _read_key(path: Path, kind: Any, passphrase: Callable[[], str] = str) -> Any:
    """The key of a file, of whichever form; `passphrase` is asked only where it is encrypted."""
    try:
        content = search_paths.regular(path).read_bytes()
        form = "ssh" if content.startswith(b"ssh-") or b"OPENSSH PRIVATE KEY" in content else "pem"
        half = () if kind is Ed25519PublicKey else (None,)  # a private one takes a passphrase
        load = getattr(serialization, f"load_{form}_{'private' if half else 'public'}_key")
        try:
            key = load(content, *half)
        except TypeError:  # it is encrypted
            key = load(content, passphrase().encode())
        if isinstance(key, kind):
            return key
        raise ValueError(f"a {type(key).__name__}")
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as problem:
        what, do = f"there is no {kind.__name__} in the file", "`ssh-keygen -t ed25519` makes one"
        raise InputError(what, where=path, found=problem, do=do) from problem


def fingerprint(key: Ed25519PublicKey) -> str:
    """The key in short, as `ssh-keygen -l` prints it: SHA256:..., 43 letters."""
    digest = serialization.ssh_key_fingerprint(key, SHA256())
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def one_line(text: str) -> str:
    """Somebody's words, harmless to look at; line feeds and tabs become their pictures too."""
    return clean(text, LONGEST + 2).translate({ord("\t"): "\u2409", ord("\n"): "\u240a"})
