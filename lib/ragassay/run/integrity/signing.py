"""A finished run, signed: its folder is checked first, then its two hashes with name, role and time are
signed."""

import datetime
from collections.abc import Callable
from pathlib import Path

from ragassay import provenance
from ragassay.errors import InputError, ParameterError
from ragassay.run.integrity import ed25519_signature, verification

LONGEST = 200  # letters of a name or a role
FIRST = "`ragassay verify` lists them; run again or rebuild the report, then sign"
EARLIER = "it was signed before it was changed; --replace drops that signature"


def sign(
    run_dir: str | Path,
    key_file: Path,
    *,
    name: str,
    role: str = "",
    new_key: bool = False,
    replace: bool = False,
    passphrase: Callable[[], str] = str,
) -> tuple[ed25519_signature.Signature, list[str]]:
    """Sign a run folder, beside the signatures that it has; one of the same key is renewed.

    Returns the signature, and what `verify` notes of the folder, such as a library that is not the run's.

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
    if not name.strip() or max(len(name), len(role)) > LONGEST:
        expected = f"a name, and a role if any, of {LONGEST} letters at most"
        raise ParameterError("it must be said who signs", where="--name", found=name, expected=expected)
    for option, text in (("--name", name.strip()), ("--role", role.strip())):
        if (plain := ed25519_signature.one_line(text, 0)) != text:
            what, expected = "who signs is read on one line", "no line feed, control or hidden character"
            raise ParameterError(what, where=option, found=plain, expected=expected)
    ed25519_signature.refuse_below(folder, key_file)
    verdict = verification.verify(folder, look_at_signatures=False)
    if verdict.flaws:
        what = f"cannot be signed: the folder differs from its hashes in {len(verdict.flaws)} point(s)"
        raise InputError(what, where=folder, found=verdict.flaws[0], do=FIRST)
    kept = [] if replace else ed25519_signature.read(folder)
    if stale := [each for each in kept if each.other_files(verdict.hashes) or not each.holds()]:
        what = "another state of this folder was signed"
        raise ParameterError(what, where=ed25519_signature.FILE, found=stale[0].who, do=EARLIER)
    if new_key:
        ed25519_signature.make_key(key_file)
    key = ed25519_signature.read_private(key_file, passphrase)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    statement = {**verdict.hashes, "name": name.strip(), "role": role.strip(), "signed_at": now}
    made = ed25519_signature.make(key, statement)
    others = [
        each for each in kept if ed25519_signature.key_text(each.key) != ed25519_signature.key_text(made.key)
    ]
    ed25519_signature.write(folder, [*others, made])
    return made, verdict.notes
