"""Whether the assistant that later questions are put to is still the one that the first were put to."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files, provenance
from ragassay.answers.asking import REUSED, UNASKED
from ragassay.answers.question_inputs import NOT_APPLICABLE
from ragassay.errors import SystemUnderTestError

FIRST = "answers"  # the journal of the first questions, notebook 02's
MOST_REASONS = 3  # why questions failed, the commonest, that the terminal tells
RECORD = "system.json"  # beside the journals: whom the first questions were put to


def check(run_dir: str | Path, journal: str, facts: Mapping[str, Any], said: str) -> None:
    """Record whom the first questions were put to; refuse later answers of another.

    Raises
    ------
    SystemUnderTestError
        If the engagement's version, the assistant's file, the documents or what identity() says is not what
        it was when notebook 02 asked.
    """
    path = provenance.find(run_dir) / "journal" / RECORD
    now = {name: value for name, value in facts.items() if name != "allow"} | {"identity()": said}
    if journal == FIRST:
        output_files.write_text(path, json.dumps(now, indent=1, ensure_ascii=False))
        return
    before = _read(path)
    different = [name for name in now if name in before and before[name] != now[name]]
    if different:
        raise SystemUnderTestError(
            "the assistant is not the one any more that the first questions were put to",
            where=path,
            found="; ".join(f"{name}: {now[name]}" for name in different),
            expected="; ".join(f"{name}: {before[name]}" for name in different),
            do="run again: every question is put to the assistant as it is now",
        )


def note(
    spec: str, documents: str | None, facts: Mapping[str, Any], offers_identity: bool, given: pd.DataFrame
) -> None:
    """Into the trace: who was asked, how many questions failed and why, how many answers were asked
    before."""
    errors = given["error"].fillna("")
    failed = (errors != "") & (errors != UNASKED) & ~errors.str.startswith(NOT_APPLICABLE)
    provenance.append(
        {
            "event": "system",
            "assistant": spec,
            "documents": documents,
            "allow": facts["allow"],
            "offers_identity": offers_identity,
            "said": given.attrs["asked"]["said"],
            "failed": int(failed.sum()),
            "why": errors[failed].value_counts(sort=False).nlargest(MOST_REASONS).to_dict(),
            "taken_up": given.attrs["asked"]["taken_up"],
            "reused": given.attrs.get(REUSED),
        }
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
