"""Which versions of the assistant gave the answers, by what each reply said, by identity() or as stated."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.assistant.reply_validation import VERSION, version_text

EVENT = "versions"  # in the trace
BY_IDENTITY = "said by identity() before and after each answer"
BY_REPLY = f"said by each reply, {VERSION}"
BY_STATEMENT = "stated in the description of the assistant"
BY_LOG = f"stated by the log, column {VERSION}"
MOST_NAMED = 4  # versions that a sentence names


class Said(NamedTuple):
    """When a question was put, in seconds, and the version that the reply named."""

    put: float
    version: str


class Part(NamedTuple):
    """The answers of one version, None where the replies named none: how many, and the case of the first and
    of the last in the order of the questions."""

    version: str | None
    n: int
    first: str
    last: str


def replaced(said: Iterable[Said]) -> set[str]:
    """The versions that another has replaced: none of their answers was asked for after the first of the
    version said last. Of versions that take turns none has."""
    versions = [each.version for each in sorted(said, key=lambda each: each.put)]
    if not versions:
        return set()
    begins = versions.index(versions[-1])
    return set(versions[:begins]) - set(versions[begins:])


def versions_of(answers: pd.DataFrame) -> list[Part]:
    """The answers by version, in the order in which they first come; none of a table without the column."""
    if VERSION not in answers:
        return []
    given = _answered(answers)
    cases: dict[str | None, list[str]] = {}
    for case, said in zip(given["case_id"], given[VERSION], strict=True):
        version = said if isinstance(said, str) else None
        cases.setdefault(version, []).append(case)
    return [Part(each, len(own), own[0], own[-1]) for each, own in cases.items()]


def note(journal: str, answers: pd.DataFrame, by: str, version: str = "") -> None:
    """Into the trace: which versions gave these answers, and by whose word; nothing where there is no answer.

    version : of all of them, as it is stated or as identity() says; "" where each reply says its own
    """
    given, said = _answered(answers), version_text(version)
    every = [Part(said, len(given), *given["case_id"].iloc[[0, -1]])] if said and len(given) else []
    parts = every if said else versions_of(answers)
    if parts:
        told = [part._asdict() for part in parts]
        provenance.append({"event": EVENT, "journal": journal, "by": by, "parts": told})


def known_versions(parts: Iterable[Part]) -> list[Part]:
    """Those of a version that is known."""
    return [part for part in parts if part.version is not None]


def sentences(parts: Sequence[Part]) -> list[str]:
    """That more than one version gave these answers, which, how many and from which case on; in how many the
    reply named none. Nothing where all are of one."""
    known, every = known_versions(parts), sum(part.n for part in parts)
    silent = every - sum(part.n for part in known)
    mixed = [_mixture(known)] if len(known) > 1 else []
    unknown = f"In {silent} of {every} answers the reply named no version."
    return mixed + [unknown] * (silent > 0)


def _mixture(known: Sequence[Part]) -> str:
    """Which versions, and of how many answers."""
    shown = ", ".join(f"'{part.version}' {part.n}" for part in known[:MOST_NAMED])
    return f"Answers of {len(known)} versions are mixed: {shown}{', ...' * (len(known) > MOST_NAMED)}."


def _answered(answers: pd.DataFrame) -> pd.DataFrame:
    return answers[answers["error"].fillna("") == ""]


def together(parts: Iterable[Part]) -> list[Part]:
    """The parts of several tables, those of one version as one, in their order."""
    found: dict[str | None, Part] = {}
    for part in parts:
        one = found.setdefault(part.version, part._replace(n=0))
        found[part.version] = one._replace(n=one.n + part.n, last=part.last)
    return list(found.values())
