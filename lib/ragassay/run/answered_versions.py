"""Which versions of the assistant answered, by the records of the notebooks that asked it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragassay.answers import assistant_versions

SILENT = "nothing: neither its replies nor an identity() say one"
UNTOLD = "nothing, in some of its replies"
STATED_BY_OTHERS = (assistant_versions.BY_LOG, assistant_versions.BY_STATEMENT)


def of_records(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
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
    asked = [record for record in records if isinstance(record.get("system"), dict)]
    return sorted({said for record in asked for said in _said(record)})


def in_words(records: Iterable[Mapping[str, Any]]) -> list[str]:
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


def _said(record: Mapping[str, Any]) -> Iterator[str]:
    system = record["system"]
    if system.get("offers_identity"):
        yield str(system.get("said"))
        return
    events = [event for event in events_of(record) if event["by"] not in STATED_BY_OTHERS]
    said = [part.version for event in events for part in parts_of(event)]
    yield from (UNTOLD if version is None else version for version in said)
    if not said:
        yield SILENT
