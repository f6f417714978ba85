"""Which versions of the assistant gave the answers, by what each reply said, or as stated."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.assistant.reply_validation import VERSION, version_text

EVENT = "versions"  # in the trace
BY_REPLY = f"said by each reply, {VERSION}"
BY_STATEMENT = "stated in the description of the assistant"
BY_LOG = f"stated by the log, column {VERSION}"


class Part(NamedTuple):
    """The answers of one version, None where the replies named none: how many, and the case of the first and
    of the last in the order of the questions."""

    version: str | None
    n: int
    first: str
    last: str


def versions_of(answers: pd.DataFrame, stated: str = "") -> list[Part]:
    """The answers by version, in the order in which they first come; none of a table without the column.

    stated : the version of all of them; "" where each reply says its own
    """
    answered = answers[answers["error"].fillna("") == ""]
    if stated:
        answered = answered.assign(**{VERSION: version_text(stated)})
    if VERSION not in answered:
        return []
    cases: dict[str | None, list[str]] = {}
    for case, version in zip(answered["case_id"], answered[VERSION], strict=True):
        cases.setdefault(version if isinstance(version, str) else None, []).append(case)
    return [Part(version, len(own), own[0], own[-1]) for version, own in cases.items()]


def record_versions(journal: str, answers: pd.DataFrame, by: str, stated: str = "") -> None:
    """Into the trace: which versions gave these answers, and by whose word; nothing where there is no
    answer."""
    if parts := versions_of(answers, stated):
        provenance.append(
            {"event": EVENT, "journal": journal, "by": by, "parts": [part._asdict() for part in parts]}
        )


def merge_parts(parts: Iterable[Part]) -> list[Part]:
    """The parts of several tables, those of one version as one, in their order."""
    found: dict[str | None, Part] = {}
    for part in parts:
        one = found.setdefault(part.version, part._replace(n=0))
        found[part.version] = one._replace(n=one.n + part.n, last=part.last)
    return list(found.values())
