"""Whether a notebook that asked the assistant must ask it again though nothing that it read has changed:
because questions failed, it may reach other endpoints now, or it says that it is another version."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragassay.answers import assistant_versions, load_system
from ragassay.answers.engagement_answers import in_days
from ragassay.answers.system_under_test import endpoints
from ragassay.errors import KitError
from ragassay.sanitized_text import clean

SILENT = "nothing: neither its replies nor an identity() say one"
UNTOLD = "nothing, in some of its replies"
STATED_BY_OTHERS = (assistant_versions.BY_LOG, assistant_versions.BY_STATEMENT)
LONGEST = 500  # characters of a line
IDENTITY_S = 60.0  # seconds that identity() may take
FAILED = "{} question(s) failed and are asked again"
ENDPOINTS = "the assistant may reach other endpoints: it is asked again"
OTHER = "the assistant says another version, or none: it is asked again"


def versions_of_records(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each version and by whose word it is known: version (None where a reply named none), by,
    answers, first and last (journal, case), in the order in which the notebooks asked."""
    found: dict[tuple, dict[str, Any]] = {}
    for event in (event for record in records for event in events_of(record)):
        for part in parts_of(event):
            ends = [{"journal": event["journal"], "case_id": case} for case in (part.first, part.last)]
            new = {"version": part.version, "by": event["by"], "answers": 0, "first": ends[0]}
            row = found.setdefault((part.version, event["by"]), new)
            row |= {"answers": row["answers"] + part.n, "last": ends[1]}
    return list(found.values())


def said_of_version(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the assistant itself said of its version, each once; that it said nothing, or not always."""
    found: set[str] = set()
    for record in (record for record in records if isinstance(record.get("system"), dict)):
        if record["system"].get("offers_identity"):
            found.add(str(record["system"].get("said")))
            continue
        events = [event for event in events_of(record) if event["by"] not in STATED_BY_OTHERS]
        said = {part.version for event in events for part in parts_of(event)} or {SILENT}
        found |= {UNTOLD if version is None else version for version in said}
    return sorted(found)


def mixed_versions_in_words(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """That versions are mixed, or not always known, a line each."""
    parts = [part for record in records for event in events_of(record) for part in parts_of(event)]
    return assistant_versions.sentences(assistant_versions.together(parts))


def events_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a record tells of versions; nothing of one of an earlier release."""
    found = record.get("versions")
    return found if isinstance(found, list) else []


def parts_of(event: Mapping[str, Any]) -> list[assistant_versions.Part]:
    """The parts of which a record tells."""
    return [assistant_versions.Part(**part) for part in event["parts"]]


class Assistants:
    """The assistants of a run, each asked at most once which version it is, and only if it says.

    Parameters
    ----------
    allow : endpoints that this run may reach
    """

    def __init__(self, allow: Sequence[str]):
        self.allow = tuple(allow)
        self._said: dict[tuple[str, str], str | None] = {}

    def why_ask_again(self, record: Mapping[str, Any] | None) -> str:
        """Why a notebook of this record asks again; "" if it does not, or never asked."""
        asked = (record or {}).get("system")
        if not isinstance(asked, dict):
            return ""
        if asked.get("failed"):
            return FAILED.format(asked["failed"])
        named = str(asked.get("assistant")), str(asked.get("documents") or "")
        if asked.get("allow") != endpoints(named[0], self.allow):
            return ENDPOINTS
        if asked.get("offers_identity") and named not in self._said:
            self._said[named] = None  # where it does not say, which its notebook then tells
            with contextlib.suppress(KitError), load_system(*named, allow=self.allow) as system:
                self._said[named] = system.say_identity(IDENTITY_S)
        return OTHER if asked.get("offers_identity") and self._said[named] != asked.get("said") else ""


def of_all_sets(entries: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What a notebook's trace says of the assistant, over all sets of questions put to it: the last entry,
    with the failures and the answers not asked now (n, from the first day to the last) of them all; None if
    nothing was asked."""
    asked = [entry for entry in entries if entry["event"] == "system"]
    if not asked:
        return None
    failed, why = sum(each.get("failed") or 0 for each in asked), Counter[str]()
    for each in asked:
        why.update(each.get("why") or {})
    found = {**asked[-1], "failed": failed, "why": dict(why)}
    for name in ("taken_up", "reused"):
        known = [each[name] for each in asked if each.get(name)]
        days = (
            {"first": min(e["first"] for e in known), "last": max(e["last"] for e in known)} if known else {}
        )
        found[name] = {"n": sum(e["n"] for e in known), **days} if known else None
    return found


def reuse_in_words(record: Mapping[str, Any] | None) -> list[str]:
    """Of a notebook executed now: the questions that failed and why, and the answers that were not asked now,
    a line each for earlier runs and for this one."""
    asked = (record or {}).get("system") or {}
    earlier, own, failed = asked.get("reused"), asked.get("taken_up"), asked.get("failed")
    return [
        *([f"{failed} question(s) failed; the next run asks them again"] if failed else []),
        *(clean(f"  {n} of them: {why}", LONGEST) for why, n in (asked.get("why") or {}).items()),
        *([f"{earlier['n']} answers reused from an earlier run, {in_days(earlier)}"] if earlier else []),
        *([f"{own['n']} answers taken up from the interrupted run, {in_days(own)}"] if own else []),
    ]
