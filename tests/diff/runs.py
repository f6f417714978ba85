"""Small run folders made up by hand, to be compared; what the kit reads of a run, and no more."""

import json
from pathlib import Path

import pandas as pd

QUESTIONS = [f"What does article {n} of the fee schedule say?" for n in range(40)]


def make_run(folder: Path, **change) -> Path:
    """A run folder: tables as DataFrames by name, `engagement`, `manifest` and `decision` as records."""
    (folder / "tables").mkdir(parents=True)
    records = {
        "engagement": {
            "system": "bank",
            "model_name": "Assistant",
            "model_version": "1",
            "date": "2026-01-01",
        },
        "manifest": {"ragassay": "1.0", "packages": {"numpy": "2"}, "parameters": {"00_scope": {"seed": 0}}},
        "decision": {"rating": "Not fit"},
    }
    for name, record in records.items():
        text = json.dumps(record | change.pop(name, {}))
        (folder / f"{name}.json").write_text(text)
    tables = {
        "cases": cases(QUESTIONS),
        "answers": answers([f"It says {n}." for n in range(40)]),
        "scores": scores("support", [0.5] * 40),
        "gates": gates(),
        "findings": findings(),
    }
    for name, table in (tables | {key.replace("__", "."): value for key, value in change.items()}).items():
        if table is not None:
            table.to_parquet(folder / "tables" / f"{name}.parquet")
    return folder


def cases(questions, ids=None, **columns) -> pd.DataFrame:
    ids = ids or [f"c{n}" for n in range(len(questions))]
    return pd.DataFrame({"case_id": ids, "question": questions, **columns})


def answers(texts, ids=None) -> pd.DataFrame:
    ids = ids or [f"c{n}" for n in range(len(texts))]
    return pd.DataFrame({"case_id": ids, "system": "bank", "repeat": 0, "answer": texts})


def scores(metric, values, ids=None) -> pd.DataFrame:
    ids = ids or [f"c{n}" for n in range(len(values))]
    state = ["scored" if value == value else "not_measured" for value in values]
    return pd.DataFrame({"case_id": ids, "system": "bank", "metric": metric, "value": values, "state": state})


def gates(outcome="fail", gate="support", **columns) -> pd.DataFrame:
    value = 0.8 if outcome == "pass" else 0.5
    row = {"gate": gate, "value": value, "low": value - 0.1, "high": value + 0.1, "n": 40}
    row |= {"threshold": 0.7, "outcome": outcome}
    return pd.DataFrame([row | columns])


FINDING = "finding_id subject rule name aspect metric slice severity title status threshold bound".split()
FINDING += ["carried_from", "closed_by", "closed_evidence"]


def findings(*rows) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=FINDING)


def finding(number, name="support", **change) -> dict:
    row = dict.fromkeys(FINDING, "") | {"finding_id": f"F{number}", "title": f"Finding {number}"}
    row |= {"subject": name, "name": name, "rule": "gate", "bound": "low", "threshold": 0.7}
    return row | {"status": "open", "severity": "High"} | change
