"""Which versions of the assistant gave the answers, by what each reply said, by identity() or as stated."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.assistant.reply_validation import VERSION, version_text

EVENT = "versions"  # in the trace
BY_IDENTITY = "said by identity() before and after the questions"
BY_REPLY = f"said by each reply, {VERSION}"
BY_STATEMENT = "stated in the description of the assistant"
BY_LOG = f"stated by the log, column {VERSION}"
MOST_NAMED = 4  # versions that a sentence names


class Part(NamedTuple):
    """The answers of one version, None where the replies named none: how many, and the case of the first and
    of the last in the order of the questions."""

    version: str | None
    n: int
    first: str
    last: str


def versions_of(answers: pd.DataFrame) -> list[Part]:
    """The answers by version, in the order in which they first come; none of a table without the column."""
    if VERSION not in answers:
        return []
    given = answers[answers["error"].fillna("") == ""]
    cases: dict[str | None, list[str]] = {}
    for case, said in zip(given["case_id"], given[VERSION], strict=True):
        cases.setdefault(said if isinstance(said, str) else None, []).append(case)
    return [Part(version, len(own), own[0], own[-1]) for version, own in cases.items()]


def note(journal: str, answers: pd.DataFrame, by: str, version: str = "") -> None:
    """Into the trace: which versions gave these answers, and by whose word; nothing where there is no answer.

    version : of all of them, as it is stated or as identity() says; "" where each reply says its own
    """
    said, given = version_text(version), answers[answers["error"].fillna("") == ""]
    parts = versions_of(answers)
    if said:
        parts = [Part(said, len(given), *given["case_id"].iloc[[0, -1]])] if len(given) else []
    if parts:
        provenance.append(
            {"event": EVENT, "journal": journal, "by": by, "parts": [part._asdict() for part in parts]}
        )


def known_versions(parts: Iterable[Part]) -> list[Part]:
    """Those of a version that is known."""
    return [part for part in parts if part.version is not None]


def sentences(parts: Sequence[Part]) -> list[str]:
    """That more than one version gave these answers, which, and how many; in how many the reply named none.
    Nothing where all are of one."""
    known, every = known_versions(parts), sum(part.n for part in parts)
    silent, said = every - sum(part.n for part in known), []
    if len(known) > 1:
        shown = ", ".join(f"'{part.version}' {part.n}" for part in known[:MOST_NAMED])
        more = ", ..." if len(known) > MOST_NAMED else ""
        said.append(f"Answers of {len(known)} versions are mixed: {shown}{more}.")
    if silent:
        said.append(f"In {silent} of {every} answers the reply named no version.")
    return said


def together(parts: Iterable[Part]) -> list[Part]:
    """The parts of several tables, those of one version as one, in their order."""
    found: dict[str | None, Part] = {}
    for part in parts:
        one = found.setdefault(part.version, part._replace(n=0))
        found[part.version] = one._replace(n=one.n + part.n, last=part.last)
    return list(found.values())
