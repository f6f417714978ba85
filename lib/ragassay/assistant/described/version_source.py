"""How the version of a described assistant is known: the user states it, or each reply says it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragassay.assistant.described import reply_paths
from ragassay.assistant.reply_version import LONGEST, version_text

REPLY, HEADER = PLACES = ("reply", "header")
OPTIONAL = "?"  # at the end of a path, as elsewhere; a version may always be missing
FORM = "a text in quotes, {reply: path.to.field} or {header: X-Version}"


@dataclass(frozen=True)
class VersionSource:
    """Where the version stands: `stated` by the user, at a path in each `reply`, or in a `header` of each; at
    most one of them, "" the others."""

    stated: str = ""
    reply: str = ""
    header: str = ""

    @property
    def is_said(self) -> bool:
        """Whether each reply is to say it."""
        return bool(self.reply or self.header)

    def in_words(self) -> str:
        """Where each reply says it; "" if none is to."""
        if self.header:
            return f"said by each reply, header {self.header}"
        return f"said by each reply, at {self.reply}" if self.reply else ""

    def said(self, documents: Sequence[Any], headers: Mapping[str, str]) -> str | None:
        """What a reply says, by the last of its documents in which it stands, or by its headers, whose names
        are in small letters; None if it says nothing."""
        if self.header:
            return version_text(headers.get(self.header.lower()))
        for document in reversed(documents):
            try:
                return version_text(reply_paths.find(document, self.reply))
            except reply_paths.NothingThere:
                continue
        return None


def version_source(given: Any) -> VersionSource:
    """The source that a description without flaws names."""
    if isinstance(given, dict):
        return VersionSource(**{name: str(each).removesuffix(OPTIONAL) for name, each in given.items()})
    return VersionSource(stated=(given or "").strip())


def version_flaws(given: Any, *, is_name: Any, places: Sequence[str]) -> Iterator[str]:
    """What is wrong with the key `version`, each flaw in a line.

    is_name : whether a text may name a header
    places : where in a reply of this kind a version may stand: reply, header, or nowhere
    """
    if given is None:
        return
    if isinstance(given, str):
        if version_text(given) != given.strip():
            yield f"version: must be a text of 1 to {LONGEST} printable characters, found {given[:80]!r}"
    elif not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in PLACES:
        quotes = "" if isinstance(given, dict | list) else " (YAML reads 2.10 as 2.1: write it in quotes)"
        yield f"version: must be {FORM}, found {str(given)[:80]!r}{quotes}"
    else:
        yield from _place_flaws(*next(iter(given.items())), is_name, places)


def _place_flaws(place: str, named: Any, is_name: Any, places: Sequence[str]) -> Iterator[str]:
    if place not in places:
        yield f"version: a {place} of this assistant holds none: {_instead(places)}"
    elif place == HEADER and not (isinstance(named, str) and is_name(named)):
        yield f"version.header: must be the name of a header, such as X-Version, found {str(named)[:80]!r}"
    elif place == REPLY:
        try:
            reply_paths.parse(named.removesuffix(OPTIONAL) if isinstance(named, str) else "")
        except ValueError as problem:
            yield f"version.reply: {problem}"


def _instead(places: Sequence[str]) -> str:
    return f"name a {' or '.join(places)}, or state it as a text" if places else "state it as a text"
