"""A language model as judge within a run: permitted before anything runs, and what it took said at the end."""

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragassay.errors import ParameterError
from ragassay.models.judge import Spent, make_judge
from ragassay.run import seal

ENDPOINT, MODEL = "judge", "judge_model"  # parameters of a notebook that may ask a judge


def check(path: Path, notebooks: Mapping[str, Mapping[str, Any]], allow: Sequence[str]) -> None:
    """Refuse an engagement whose judge could not be asked; one that names no judge passes.

    Parameters
    ----------
    path : the engagement's YAML
    notebooks : notebook name -> its departures from the defaults
    allow : endpoints that the sealed run may reach

    Raises
    ------
    ModelError
        If the endpoint is no address, holds a secret, or only one of endpoint and model is named.
    ParameterError
        If the sealed run may not reach it, or the package `openai` is not installed.
    """
    for name, values in notebooks.items():
        judge = make_judge(values.get(ENDPOINT) or "", values.get(MODEL) or "")
        if judge is None:
            continue
        where = f"{path}, {name}.{ENDPOINT}"
        if not seal.permits(allow, judge.host):
            raise ParameterError(
                "the sealed run may not reach the judge's endpoint, nothing was run",
                where=where,
                found=judge.host,
                expected=", ".join(allow) or "nothing is allowed",
                do=f"permit it in the section run: allow: ['{judge.host}']; or name no judge",
            )
        if importlib.util.find_spec("openai") is None:
            raise ParameterError(
                "the judge needs the package openai, nothing was run",
                where=where,
                do="pip install 'ragassay[judge]'",
            )


def used(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a trace's entries: what each judge took, the last count of each endpoint and model."""
    return list(
        {
            (entry["endpoint"], entry["model"]): entry for entry in entries if entry["event"] == "judge"
        }.values()
    )


def in_words(entry: Mapping[str, Any]) -> str:
    """What one judge took, in a line."""
    spent = Spent(**{name: entry[name] for name in Spent.__dataclass_fields__})
    return f"judge {entry['model']} at {entry['endpoint']}: {spent}"
