"""Whether a run folder is still what it was, what of that cannot be told, and who signed it. SHA256SUMS holds
every file; the manifest the notebooks' files, this machine's models and inputs; `rerun` executes the
notebooks again elsewhere.

`signature.json` stands beside the manifest and is in no hash of the folder. Each entry is a statement (the
SHA-256 of the manifest and of `SHA256SUMS`, who signed, in which role, when), the public key, and the Ed25519
signature of `message(statement)`."""

import base64
import contextlib
import datetime
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from pydantic import BaseModel, TypeAdapter

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.models import load_instrument
from ragassay.run import execute_notebook, run_records
from ragassay.run.parameters import GIVEN_BY_RUNNER, MODELS
from ragassay.run.run_records import MANIFEST, SIGNATURES, SUMS
from ragassay.sanitized_text import one_line

LONGEST = 200  # letters of a name or a role
UNSIGNED = "unsigned: no key vouches for it; `ragassay sign`, or compare hashes"
NUMBERS = "whether the numbers follow from the inputs: --rerun executes the notebooks again"


@dataclass
class Verdict:
    """What was found, in sentences: flaws (none: all agrees), notes, what was not checked; and the SHA-256 of
    `SHA256SUMS` and of the manifest."""

    hashes: dict[str, str]
    flaws: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


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
        parts = {MANIFEST, SUMS, "name", "role", "signed_at"}
        return set(self.statement) == parts and isinstance(self.key, Ed25519PublicKey)


LIST = TypeAdapter(dict[Literal["signatures"], list[Signature]])


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
        raise ParameterError(
            "who signs: --name, --role", found=one_line(f"{name}, {role}"), expected=f"{LONGEST} letters"
        )
    if Path(os.path.realpath(search_paths.absolute(key_file))).is_relative_to(folder.resolve()):
        raise ParameterError("the key lies in the run folder", where=key_file, do="keep it elsewhere")
    verdict = examine(folder)
    if verdict.flaws:
        raise InputError(
            "the folder cannot be signed", where=folder, found="; ".join(verdict.flaws[:5]), do="run again"
        )
    kept = [] if replace else read_signatures(folder)
    if stale := [e for e in kept if not (e.is_valid() and verdict.hashes.items() <= e.statement.items())]:
        raise ParameterError(
            "another state of this folder was signed", where=SIGNATURES, found=stale[0].who, do="--replace"
        )
    key = read_key(key_file, Ed25519PrivateKey, passphrase)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    statement = {**verdict.hashes, "name": name, "role": role, "signed_at": now}
    form = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    made = Signature(
        statement=statement,
        public_key=key.public_key().public_bytes(*form).decode(),
        signature=base64.b64encode(key.sign(message(statement))).decode(),
    )
    entries = [*(each for each in kept if each.public_key != made.public_key), made]
    output_files.write_bytes(folder / SIGNATURES, LIST.dump_json({"signatures": entries}, indent=1) + b"\n")
    return made, verdict.notes


def message(statement: dict[str, str]) -> bytes:
    """The bytes that are signed: a mark, and the statement as JSON with sorted names, without spaces."""
    text = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"ragassay signature 1\n{text}".encode()


def read_signatures(run_dir: Path) -> list[Signature]:
    """The entries, none where there is no such file; InputError if it cannot be read, or an entry is none."""
    try:
        return LIST.validate_json(search_paths.file_below(run_dir, SIGNATURES).read_bytes())["signatures"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError) as problem:
        raise InputError("is no list of signatures", where=SIGNATURES, do="sign --replace") from problem


def check_signatures(run_dir: Path, verdict: Verdict, trusted: Sequence[Ed25519PublicKey]) -> bool:
    """What the signatures say of the folder as it is now goes into the verdict; whether anybody signed.

    trusted : public keys of which each must have signed; without any, whose the keys are is not known
    """
    try:
        signatures = read_signatures(run_dir)
    except InputError as problem:
        verdict.flaws.append(f"{SIGNATURES}: {problem.what}")
        return True
    but = ", but the folder is no longer what was signed" if verdict.flaws else ""
    known, valid = {fingerprint(key) for key in trusted}, set()
    for each in signatures:
        if not each.is_valid():
            verdict.flaws.append(f"{SIGNATURES}: the signature of {each.who} is broken: it was changed")
            continue
        key, changed = fingerprint(each.key), verdict.hashes.items() - each.statement.items()
        valid.add(key)
        verdict.flaws += [f"{name}: is not the one that {each.who} signed" for name, _ in sorted(changed)]
        verdict.notes += [] if changed else [f"signed by {each.who}, key {key}{but}"]
        if key not in known:
            who = f"whether {one_line(each.statement['name'])} holds the key {key}"
            verdict.unchecked.append(f"{who}: name the known one, --key SIGNATURES")
    word = "" if signatures else f"unsigned: there is no {SIGNATURES}; "
    verdict.flaws += [f"{word}the key {key} has not signed" for key in sorted(known - valid)]
    return bool(signatures or trusted)


def read_key(path: Path, kind: Any = Ed25519PublicKey, passphrase: Callable[[], str] = str) -> Any:
    """The key of a file, OpenSSH or PEM: the public half by which a signature is checked, or a private one;
    `passphrase` is asked only where it is encrypted. InputError if the file holds none."""
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
        raise InputError(
            f"no {kind.__name__} in the file", where=path, found=problem, do="`ssh-keygen -t ed25519`"
        ) from problem


def fingerprint(key: Ed25519PublicKey) -> str:
    """The key in short, as `ssh-keygen -l` prints it: SHA256:..., 43 letters."""
    digest = base64.b64encode(serialization.ssh_key_fingerprint(key, SHA256())).decode()
    return f"SHA256:{digest.rstrip('=')}"


def verify(run_dir: str | Path, key_files: Sequence[Path] = (), *, rerun: bool = False) -> Verdict:
    """Recompute every hash that a finished run left, whatever the working folder; nothing is written there.

    key_files : public keys that you know; each must have signed the folder
    rerun : whether the run's notebooks are executed again elsewhere, which takes as long as the run. Code of
        the folder is executed: it should be that of somebody you trust

    Raises InputError if there is no such folder, neither a list of files nor a manifest in it, a key cannot
    be read, or notebooks are to be executed again and the manifest cannot be read."""
    folder = provenance.source(run_dir)
    if not any((folder / name).exists() for name in (SUMS, MANIFEST)):
        do = "name one, such as reports/bank"
        raise InputError("this is no folder of a finished run", where=folder, do=do)
    trusted = [read_key(path) for path in key_files]
    verdict = examine(folder)
    verdict.unchecked += [] if check_signatures(folder, verdict, trusted) else [UNSIGNED]
    if rerun:
        _rerun(folder, verdict)
    else:
        verdict.unchecked.append(NUMBERS)
    return verdict


def examine(run_dir: Path) -> Verdict:
    """Compare every file of the folder with `SHA256SUMS`, and what the manifest names with what is here.
    Nothing that a changed manifest names is opened."""
    hashes = {name: provenance.sha256_below(run_dir, name) for name in (SUMS, MANIFEST)}
    verdict = Verdict(hashes, run_records.find_changes(run_dir))
    if any(flaw.startswith(f"{MANIFEST}: changed") for flaw in verdict.flaws):
        return verdict
    try:
        content = run_records.read_manifest(run_dir)
        verdict.flaws += [flaw for flaw in run_records.changed_files(run_dir) if flaw not in verdict.flaws]
        with places_of(run_dir, content):
            _compare_inputs_and_models(content, verdict)
        _compare_versions(content, verdict)
    except InputError as problem:
        verdict.flaws.append(f"{MANIFEST}: {problem.what}; {problem.found}")
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        verdict.flaws.append(f"{MANIFEST}: is of another form: {one_line(problem)[:200]}")
    return verdict


def places_of(run_dir: Path, content: dict[str, Any]) -> contextlib.AbstractContextManager[None]:
    """The places of the run: its project by where its folder is, its engagement's own folder as recorded."""
    recorded = next(iter(content["parameters"].values())).get("run_dir", "")
    project = search_paths.of_run_folder(run_dir, str(recorded))
    own = project / content["own_folder"]
    return search_paths.pinned(project, own if own.resolve().is_relative_to(project.resolve()) else None)


def _compare_inputs_and_models(content: dict[str, Any], verdict: Verdict) -> None:
    """Inputs, looked for from the project that the run folder belongs to, and models, as they are here."""
    own = [model for model in content["own_models"].values() if model]
    here = [(f"input {e['path']}", provenance.located(e["path"]), e["sha256"]) for e in content["inputs"]]
    for entry in content["models"]:
        path = load_instrument.recorded_file(entry["name"], entry["file"], own)
        here.append((f"model {entry['name']} ({entry['file']})", path, entry["sha256"]))
    for name, path, expected in here:
        try:
            now = provenance.sha256_of(search_paths.regular(path)) if path else "not at hand on this machine"
        except InputError as problem:
            verdict.flaws.append(f"{one_line(name)}: {problem.what}")
            continue
        except OSError as problem:
            now = f"cannot be read ({problem.strerror})"
        if len(now) != 64:
            verdict.unchecked.append(f"{one_line(name)}: {now}")
        elif now != expected:
            verdict.flaws.append(f"{one_line(name)}: changed, {now[:16]} instead of {expected[:16]}")


def _compare_versions(content: dict[str, Any], verdict: Verdict) -> None:
    """Library and packages: another one now is no flaw of the folder, but results may differ."""
    here, packages = run_records.versions_here(), {"packages": ""}
    now = here | here["packages"] | packages
    then = {name: content[name] for name in here} | content["packages"] | packages
    differ = [f"{n} {then.get(n)} (now {now.get(n)})" for n in then | now if then.get(n) != now.get(n)]
    if differ:
        verdict.notes.append(f"made with other versions than here: {one_line(', '.join(differ))}")


def _rerun(run_dir: Path, verdict: Verdict) -> None:
    """Execute the run's notebooks again in a folder of their own; the first file that is another one, and no
    more after it, becomes a flaw. Nothing outside is reached: where the run could reach endpoints, the
    answers of its journals stand in for them, and texts that tell of it are not compared."""
    content, progress, same = run_records.read_manifest(run_dir), execute_notebook.Progress(), 0
    asked = [(run_records.load(run_dir, name) or {}).get("system") or {} for name in content["parameters"]]
    is_anew = not any(each.get(name) for each in asked for name in ("allow", "reused"))
    settings = {model: content.get("own_models", {}).get(model, "") for model in MODELS}
    settings |= {"allow": [], "device": content.get("device", "cpu"), execute_notebook.RUN_ID: ""}
    with tempfile.TemporaryDirectory(prefix="ragassay-") as folder, places_of(run_dir, content):
        work = Path(folder)
        state = work / ".state"
        state.mkdir()
        if any(each.get("allow") for each in asked):
            shutil.copytree(run_dir / "journal", work / "journal")
            verdict.unchecked.append("whether the answers are the assistant's: the journal's were used")
        for name, values in content["parameters"].items():
            path, found = f"notebooks/{name}.ipynb", ""
            listed = {e["path"]: e["sha256"] for e in content["artefacts"] if e["notebook"] == name}
            try:
                if listed.get(path) != provenance.sha256_below(run_dir, path):
                    raise InputError("its executed copy is not the one that the manifest names", where=path)
                source = state / f"{name}.ipynb"
                book = run_records.without_outputs(_book(run_dir, path))
                source.write_text(json.dumps(book), encoding="utf-8")
                how: Any = {"settings": settings, "trace": state / f"{name}.trace", "progress": progress}
                execute_notebook.execute(source, work / path, values | {GIVEN_BY_RUNNER: str(work)}, **how)
                compared = (_difference(run_dir, work, each, is_anew=is_anew) for each in listed)
                found = next(filter(None, compared), "")
            except Exception as problem:  # of a folder that somebody changed
                found = f"not run again: {name}: {problem}"
            progress.end(name, "differs" if found else "same")
            if found:
                verdict.flaws.append(found)
                return
            same += len(listed)
    n = len(content["parameters"])
    verdict.notes.append(f"run again: the {same} files that {n} notebooks wrote are the same")


def _difference(here: Path, again: Path, name: str, *, is_anew: bool) -> str:
    """How a file, or what a notebook shows, differs when made again, in words; "" if it does not. Where
    answers came from a journal, only tables and figures are compared."""
    if not is_anew and not name.startswith(("tables/", "figures/")):
        return ""
    if name.startswith("notebooks/"):
        cells = [_book(side, name)["cells"] for side in (here, again)]
        shown = [[each.get("outputs") for each in cell if each["cell_type"] == "code"] for cell in cells]
        pairs = enumerate(zip(*shown, strict=True), 1)
        places = [place for place, (one, other) in pairs if one != other]
        return f"{name}: its code cell {places[0]} shows something else when run again" if places else ""
    now, then = provenance.sha256_below(again, name), provenance.sha256_below(here, name)
    if now == then and len(now) == 64:
        return ""
    why = "it is not written" if now == "missing" else "its bytes differ"
    return f"{one_line(name)}: is another one when run again; {why}"


def _book(folder: Path, name: str) -> dict[str, Any]:
    return json.loads(search_paths.file_below(folder, name).read_text(encoding="utf-8"))
