"""What else differs between two runs, so that no difference of a number is laid to the system alone: the kit,
its packages, models, parameters, raters."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ragassay.diff.run_side import Side
from ragassay.report import document_control
from ragassay.show import value_text

ABOUT = {  # of the record of the engagement
    "System": "model_name",
    "Version": "model_version",
    "Date of the report": "date",
    "Data cut-off": "data_cutoff",
    "Validation type": "validation_type",
}
PROGRAM = ("ragassay", "code_sha256", "python", "platform", "device")  # of the manifest
ABOUT_THE_RUN = ("run_dir", *ABOUT.values())  # parameters that say which run it is
OTHER_KIT = (
    "The runs were scored by another kit, other packages or models ({names}): a difference may be theirs. "
    "Run A again with this kit to tell."
)
OTHER_RATERS = "The labels are of other raters ({a}; {b}): a difference of ratings may be theirs."


def about(a: Side, b: Side) -> pd.DataFrame:
    """what, A, B: which runs these are."""
    rows = [(words, a.stated(key), b.stated(key)) for words, key in ABOUT.items()]
    decided = [str(side.decision.get("rating") or "not stated") for side in (a, b)]
    folders = [side.folder.resolve().name for side in (a, b)]
    answered = [_versions(side) for side in (a, b)]
    every = [("Run folder", *folders), *rows, ("Version that answered", *answered), ("Rating", *decided)]
    return pd.DataFrame(every, columns=["what", "A", "B"])


def _versions(side: Side) -> str:
    """Every version that answered, with how many answers."""
    rows = document_control.version_rows(side)
    return "; ".join(f"{document_control.name_of(row)} ({row['answers']:,})" for row in rows) or "none said"


def changed_settings(a: Side, b: Side) -> pd.DataFrame:
    """what, A, B: parameters, packages and models that are not the same, but for those that name a run."""
    one, other = (dict(_settings(side)) for side in (a, b))
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    rows = [(name, *(value_text(side.get(name)) for side in (one, other))) for name in names]
    return pd.DataFrame(rows, columns=["what", "A", "B"])


def cautions(a: Side, b: Side) -> list[str]:
    """What a reader must know before laying a difference to the system."""
    changed = changed_settings(a, b)["what"]
    kit = [name for name in changed if name in PROGRAM or name.startswith(("package ", "model "))]
    raters = [_raters(side) for side in (a, b)]
    told = [OTHER_KIT.format(names=", ".join(kit[:6]))] if kit else []
    if all(raters) and raters[0] != raters[1]:
        told.append(OTHER_RATERS.format(a=", ".join(raters[0]), b=", ".join(raters[1])))
    return told


def _settings(side: Side) -> Iterator[tuple[str, Any]]:
    manifest = side.manifest
    yield from ((name, manifest.get(name)) for name in PROGRAM if name in manifest)
    for kind, word in (("packages", "package"), ("own_models", "model")):
        yield from ((f"{word} {name}", value) for name, value in (manifest.get(kind) or {}).items())
    yield from (
        (f"model {each['name']} {each['file']}", each["sha256"]) for each in manifest.get("models") or []
    )
    for notebook, values in (manifest.get("parameters") or {}).items():
        yield from ((f"{notebook}.{name}", v) for name, v in values.items() if name not in ABOUT_THE_RUN)


def _raters(side: Side) -> list[str]:
    """Who rated, by the names of the labels; none where nobody did."""
    if "" not in side.parts("labels"):
        return []
    return sorted(map(str, side.read_rows("labels", needs=("rater",))["rater"].unique()))
