"""What is going to be asked, fixed before any answer exists: its hash tells later whether anything was changed (pre-registration)."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

ASKED = (
    "case_id",
    "question",
    "answer_type",
    "query_type",
    "answerable",
    "reference_answer",
    "kind",
    "group_id",
)


def plan(cases: pd.DataFrame, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as a record: number of cases, counts by kind, the settings that made them, the hash of cases and settings.

    Parameters
    ----------
    settings : whatever decides the test set and is worth fixing with it: seed, numbers, thresholds; JSON values
    """
    kinds = {str(kind): int(n) for kind, n in sorted(cases["kind"].fillna("logged").value_counts().items())}
    record = {
        "n_cases": len(cases),
        "kinds": kinds,
        "settings": dict(sorted(settings.items())),
        "cases_sha256": sha256(cases),
    }
    return record | {"plan_sha256": _hash(json.dumps(record, sort_keys=True, ensure_ascii=False))}


def sha256(cases: pd.DataFrame) -> str:
    """Hash of what is asked and expected, in the order of case ids; columns that later steps add do not count."""
    rows = cases.sort_values("case_id")[[name for name in ASKED if name in cases]]
    plain = ([None if pd.isna(value) else value for value in row] for row in rows.itertuples(index=False))
    lines = (json.dumps(row, ensure_ascii=False, default=str) for row in plain)
    return _hash("\n".join(lines))


def kept(record: Mapping[str, Any], cases: pd.DataFrame) -> str:
    """ "" if the cases are those of the plan and the plan was not edited, else what differs."""
    own = {name: value for name, value in record.items() if name != "plan_sha256"}
    if _hash(json.dumps(own, sort_keys=True, ensure_ascii=False)) != record.get("plan_sha256"):
        return "the plan itself was changed after it was made"
    if len(cases) != record["n_cases"]:
        return f"{len(cases)} cases; {record['n_cases']} were planned"
    return "" if sha256(cases) == record["cases_sha256"] else "as many cases as planned, but not the same"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
