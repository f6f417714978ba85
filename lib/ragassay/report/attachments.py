"""The files that travel with the report: the run's tables and records, and what tables print has cut."""

import io
import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay.report.blocks import Attached, Table
from ragassay.report.decision_words import read_rows
from ragassay.report.run_folder import Run
from ragassay.sanitized_text import to_csv
from ragassay.show import clean, csv_of_rows

FOLDER = "attachments"
MOST = 40  # files; what would be more is left in the run folder
DEPARTURES = "departures.json"  # what notebooks of the engagement's own change of the kit's
OF_DEPARTURE = {"notebook": str, "added": int, "removed": int, "diff": str}
KEPT_HOME = ("contexts", "passages", "secret")  # columns that stay in the run folder


def collect(run: Run) -> list[Attached]:
    """The files in the order in which they are listed: records and tables, as `attachments.csv` names them,
    then what the run was made of, and of tables that print has cut the whole."""
    from ragassay.scores import metric_registry

    made = []
    for row in read_rows("attachments"):
        source = row["source"]
        content = run.content(source) if source.endswith(".json") else _table(run, source)
        if content is not None:
            made.append(Attached(row["name"], content, row["about"]))
    keys = ("path", "sha256", "notebook", "cell")
    files = [[*(item.get(key) for key in keys), state] for item, state in run.states]
    index = csv_of_rows(["file", "sha256", "notebook", "cell", "at_assembly"], files)
    made.append(Attached("evidence_index.csv", index, "every file of the run: its hash, who made it"))
    for each in departures(run):
        name = re.sub(r"[^A-Za-z0-9_]", "_", each["notebook"])[:80]
        about = f"what departs from the kit's {clean(each['notebook'], 80)}"
        made.append(Attached(f"departure_{name}.diff", _encoded(f"{clean(each['diff'], 0)}\n"), about))
    cards = _encoded(to_csv(metric_registry.card_table()))
    made.append(Attached("metrics.csv", cards, "every metric: meaning, formula, source, limits"))
    cells = [
        f"# %% {name} {called}\n{source}\n"
        for name, walked in run.notebooks.items()
        for called, source in walked.code
    ]
    made.append(Attached("notebooks.py", _encoded("\n".join(cells)), "the notebooks' code"))
    names = {item.name for item in made}
    for item in run.shown:
        if isinstance(item, Table) and item.whole and len(made) < MOST:
            name = _free(item.caption, names)
            item.note = f"{item.note}; all is in the attached {name}."
            table = pd.read_csv(io.BytesIO(item.whole), dtype=str, keep_default_na=False)
            made.append(Attached(name, _encoded(to_csv(_shareable(run, table, ""))), item.caption))
    return made


def write(folder: Path, attached: Iterable[Attached]) -> None:
    """Write the files into the folder; what an earlier report left there and no one writes now is removed."""
    folder.mkdir(exist_ok=True)
    names = {item.name for item in attached}
    for path in folder.iterdir():
        if path.is_file() and path.name not in names:
            path.unlink()
    for item in attached:
        (folder / item.name).write_bytes(item.data)


def departures(run: Run) -> list[dict[str, Any]]:
    """What the run noted of notebooks of the engagement's own; none where it has none, or the note cannot be
    read."""
    try:
        found = json.loads(run.content(DEPARTURES) or b"[]")
        return [{name: kind(each[name]) for name, kind in OF_DEPARTURE.items()} for each in found]
    except (ValueError, TypeError, KeyError, RecursionError):
        run.miss(f"not available: {DEPARTURES} cannot be read")
        return []


def _table(run: Run, table: str) -> bytes | None:
    """All parts of a table one below the other, as CSV in which nothing runs."""
    parts = []
    for path in sorted((run.folder / "tables").glob(f"{table}*.parquet")):
        base, _, part = path.stem.partition(".")
        if base == table:
            rows = _shareable(run, run.rows(path.stem), path.stem)
            parts.append(rows.assign(part=part) if part else rows)
    if not parts:
        return None
    whole = pd.concat(parts, ignore_index=True)
    texts = whole.select_dtypes(object)
    return _encoded(to_csv(whole.assign(**{name: texts[name].map(_flat) for name in texts})))


def _shareable(run: Run, table: Any, name: str) -> Any:
    """The table of this name as it may travel: personal data in questions, answers and raters' remarks hidden
    as on the pages, without the planted secrets and the passages' texts, which their ids name."""
    from ragassay.scores import mask_answers

    if "case_id" in table and {"answer", "remark"} & set(table):
        asked = name.replace("answers", "cases", 1) if name.startswith("answers") else "cases"
        table = mask_answers(table, run.rows(asked))
    return table.drop(columns=[column for column in KEPT_HOME if column in table])


def _free(caption: str, names: set[str]) -> str:
    """A file name made of the caption, other than those given out before."""
    stem = re.sub(r"[^a-z0-9]+", "_", caption.lower())[:42].strip("_") or "table"
    counted = (f"{stem}{f'_{count}' * (count > 1)}.csv" for count in itertools.count(1))
    names.add(free := next(name for name in counted if name not in names))
    return free


def _flat(value: Any) -> Any:
    """A list or a record as JSON, anything else as it is."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
