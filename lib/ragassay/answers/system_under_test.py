"""The system under test: a Python function, or a factory that makes one, named as "module:name" or
"path/to/file.py:name", or an endpoint or a command line that a YAML describes; asked in a process of its
own."""

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragassay import provenance, search_paths
from ragassay.assistant.described import folder_of, hosts
from ragassay.assistant.description import Description, is_described, read_description
from ragassay.assistant.process import AssistantProcess
from ragassay.assistant.worker import FORM, Order
from ragassay.errors import SystemUnderTestError
from ragassay.models import cache
from ragassay.web import host_and_port

ALLOW = "RAGASSAY_ALLOW"  # set by a run: what its sealed kernels may reach, with commas
_KEPT: list[tuple[str, list[AssistantProcess]]] = []  # those loaded last, and the trace they are loaded for
VERSION = ("system", "model_name", "model_id", "model_version")  # of the engagement: what is validated


class Described(NamedTuple):
    """A description, its text, and the hash of that and of the files that its command line names."""

    description: Description
    text: str
    sha256: str


def load_system(
    spec: str, documents: str | Path | None = None, *, allow: Sequence[str] | None = None
) -> AssistantProcess:
    """The assistant that `spec` names, loaded in a process of its own and ready to be asked.

    spec : "module:name", "path/to/file.py:name", or a description: a .yml file, or its text, which begins
        with a brace
    documents : the documents' folder, handed to a factory as an absolute path, and part of the identity
    allow : endpoints that it may reach; None takes those of the run that this process belongs to, and leaves
        the network open where it belongs to none

    SystemUnderTestError if it cannot be found, called or made. ParameterError if a description is flawed.
    """
    assistant = _named_system(spec, documents, {}, allow)
    assistant.start()
    provenance.append({"event": "confined", "policy": assistant.policy})
    return assistant


def kept_system(
    spec: str, documents: str | Path | None, *, engagement: Mapping[str, Any]
) -> list[AssistantProcess]:
    """As `load_system`, in as many processes as the run asks questions at a time; but those that were loaded
    last go on where it is the same assistant by its version, source, documents and endpoints, and for the
    same notebook: loading takes seconds."""
    wanted, trace = _named_system(spec, documents, engagement, None), os.environ.get(provenance.TRACE, "")
    while _KEPT and not (_KEPT[0][0] == trace and _KEPT[0][1][0].order == wanted.order):
        for system in _KEPT.pop()[1]:
            system.close()
    if not _KEPT:
        n = int(os.environ.get("RAGASSAY_CONCURRENCY") or 1)
        _KEPT.append((trace, [wanted, *(AssistantProcess(wanted.order) for _ in range(n - 1))]))
    systems = _KEPT[0][1]
    for system in systems:  # by this thread: on Linux a process dies with the one that started it
        system.start()
    provenance.append({"event": "confined", "policy": systems[0].policy})
    return systems


def _named_system(
    spec: str, documents: str | Path | None, engagement: Mapping[str, Any], allow: Sequence[str] | None
) -> AssistantProcess:
    """The assistant's process, not started."""
    folder = provenance.source(documents) if documents else None
    if allow is None and ALLOW in os.environ:
        allow = list(filter(None, os.environ[ALLOW].split(",")))
    reachable, text, file, place = None if allow is None else tuple(allow), "", "", spec
    if is_described(spec):
        description, text, digest = read_described(spec)
        if description.url and reachable is not None:  # its host, or the proxy before it, and nothing else
            reachable = hosts(description)
    else:
        source = _source_file(spec)
        digest = provenance.sha256_of(source) if source else ""
        file = str(source.absolute()) if source and spec.rpartition(":")[0].endswith(".py") else ""
        place = str(source.resolve()) if source else spec
    facts = {
        **{name: str(engagement.get(name) or "") for name in VERSION},
        "assistant": spec,
        "source_sha256": digest,
        "documents_sha256": provenance.sha256_of(folder) if folder else "",
        "allow": endpoints(spec, allow or ()),
    }
    order = Order(
        spec,
        file,
        str(folder.absolute()) if folder else "",
        tuple(map(str, search_paths.folders())),
        tuple(str(Path(entry).absolute()) for entry in sys.path if entry),
        reachable,
        text,
        facts,
        str(cache.location().parent / "assistant" / _sha256(place)[:16]),  # it spoils no vectors but its own
        str(cache.location()),
    )
    return AssistantProcess(order)


def endpoints(spec: str, allow: Sequence[str]) -> list[str]:
    """Whom an assistant asks, as far as its answers depend on it: the endpoint that is described, else what
    the run allows."""
    url = read_described(spec).description.url if is_described(spec) else ""
    return [host_and_port(url)] if url else sorted(allow)


def read_described(spec: str) -> Described:
    """The description that `spec` names, a .yml file or its text; files are noted as read.

    SystemUnderTestError if there is no such file, or it is no text. ParameterError if the description is
    flawed.
    """
    path, text = None, spec
    if not spec.lstrip().startswith("{"):
        path = search_paths.find(spec)
        if not path.is_file():
            raise _absent("description", path, spec)
        try:
            with search_paths.regular(path).open(encoding="utf-8-sig") as file:
                text = file.read(300_000)
        except (OSError, UnicodeDecodeError) as problem:
            raise SystemUnderTestError(
                "the assistant's description cannot be read", where=spec, found=problem
            ) from None
    description = read_description(text, spec if path else "00_scope.assistant")
    code = []  # the words of a command line that are files
    if description.command:
        folder = folder_of(description.command, search_paths.folders())
        code = [(word, folder / word) for word in description.command if (folder / word).is_file()]
    for name, place in [*([(spec, path)] if path else []), *code]:
        provenance.reads_code(name, place)
    whole = "\n".join([text, *(provenance.sha256_of(file) for _, file in code)])
    return Described(description, text, _sha256(whole))


def _source_file(spec: str) -> Path | None:
    """The file that will be run, noted as read; None where a module's cannot be told."""
    place, colon, name = spec.rpartition(":")
    if not (colon and place and name):
        raise SystemUnderTestError(
            "the assistant is not named as it should be",
            found=repr(spec),
            expected=f"{FORM}, or a .yml file",
            do="write both parts",
        )
    is_file = place.endswith(".py")
    named = place if is_file else f"{provenance.MODULE}{place}"
    path = search_paths.find(place) if is_file else provenance.located(named)
    if is_file and not (path and path.is_file()):
        raise _absent("file", path, spec)
    if path:
        provenance.reads_code(named, path)
    return path


def _absent(what: str, path: Path | None, spec: str) -> SystemUnderTestError:
    message, found = f"the assistant's {what} does not exist", f"nothing at {path}"
    return SystemUnderTestError(message, where=spec, found=found, do="correct the path")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
