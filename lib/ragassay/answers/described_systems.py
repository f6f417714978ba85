"""An assistant that is described: the text of its description, by what it is known again, whom it asks."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from ragassay import provenance, search_paths
from ragassay.assistant.described import Description, folder_of, hosts, read_description
from ragassay.errors import SystemUnderTestError
from ragassay.web.addresses import host_and_port

LONGEST = 300_000  # characters of a description that are read


class Described(NamedTuple):
    """A description, its text, and the hash of that and of the files that its command line names."""

    description: Description
    text: str
    sha256: str


def read(spec: str) -> Described:
    """The description that `spec` names, a .yml file or its text; files are noted as read.

    Raises
    ------
    SystemUnderTestError
        If there is no such file, or it is no text.
    ParameterError
        If the description is flawed.
    """
    path = None if spec.lstrip().startswith("{") else search_paths.find(spec)
    text = _text(path, spec) if path else spec
    description = read_description(text, spec if path else "00_scope.assistant")
    code = []  # the words of a command line that are files
    if description.command:
        folder = folder_of(description.command, search_paths.folders())
        code = [(word, folder / word) for word in description.command if (folder / word).is_file()]
    for name, file in [*([(spec, path)] if path else []), *code]:
        provenance.reads_code(name, file)
    whole = "\n".join([text, *(provenance.sha256_of(file) for _, file in code)])
    return Described(description, text, hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest())


def endpoint(spec: str) -> str:
    """Host and port of the endpoint that is asked; "" of a command line."""
    url = read(spec).description.url
    return host_and_port(url) if url else ""


def reaches(described: Described, given: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """What its process may reach: an endpoint's its host, or the proxy before it, and nothing else; a command
    line what the run allows. None where no run is sealed. SystemUnderTestError if the environment names a
    proxy that is no address."""
    if given is None or not described.description.url:
        return given
    try:
        return hosts(described.description)
    except ValueError as problem:
        raise SystemUnderTestError(str(problem), do="correct HTTPS_PROXY or HTTP_PROXY") from None


def in_words(spec: str) -> str:
    """What is asked, in a line: the kind and its address, or its command."""
    description = read(spec).description
    return f"{description.kind} {description.url or ' '.join(description.command)}"


def _text(path: Path, spec: str) -> str:
    if not path.is_file():
        what, do = "the assistant's description does not exist", "correct the path"
        raise SystemUnderTestError(what, where=spec, found=f"nothing at {path}", do=do)
    try:
        with search_paths.regular(path).open(encoding="utf-8-sig") as file:
            return file.read(LONGEST)
    except (OSError, UnicodeDecodeError) as problem:
        raise SystemUnderTestError(
            "the assistant's description cannot be read", where=spec, found=problem
        ) from None
