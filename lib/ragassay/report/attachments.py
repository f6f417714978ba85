"""The files that travel with the report: every table a cell names, the records, and what no page prints."""

import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.report import cell_tags, long_texts, methods_annex
from ragassay.report.blocks import (
    Attached,
    Block,
    Figure,
    Heading,
    Paragraph,
    Table,
    Verbatim,
    csv_name,
    plain,
)
from ragassay.report.numbering import figures_and_tables
from ragassay.report.run_folder import Run
from ragassay.search_paths import file_below
from ragassay.show import clean
from ragassay.show.text_tables import csv_of_rows
from ragassay.spreadsheet_injection import to_csv

FOLDER, UNPRINTED = "attachments", "shown_"  # the folder; how the names of what no page prints begin
RECORDS = {
    "manifest.json": "everything this run was made of and made, with SHA-256",
    "engagement.json": "who validates what, for whom",
    "decision.json": "the rating with its reasons",
}
DEPARTURES = "departures.json"  # what notebooks of the engagement's own change of the kit's
OF_DEPARTURE = {"notebook": str, "sha256": str, "kit_sha256": str, "added": int, "removed": int, "diff": str}
KEPT_HOME = ("contexts", "passages", "secret")  # columns that stay in the run folder
ALWAYS = ("tables/scorecard.parquet", "tables/gates.parquet", "tables/findings.parquet")


def collect(run: Run) -> list[Attached]:
    """The files in the order in which they are listed: records, tables, then what the run was made of."""
    made = [*_records(run), *_tables(run, run.shown), *_unprinted(run), *_texts(run)]
    wholes = [item for item in run.shown if isinstance(item, Table) and item.whole]
    names = {item.name for item in made}
    return [*made, *(_whole(run, item, _free(item.caption, "csv", names)) for item in wholes)]


def write(folder: Path, attached: Iterable[Attached]) -> None:
    """Write the files into the folder; what an earlier report left there and no one writes now is removed."""
    folder.mkdir(exist_ok=True)
    names = {item.name for item in attached}
    for path in folder.iterdir():
        if path.is_file() and path.name not in names:
            path.unlink()
    for item in attached:
        (folder / item.name).write_bytes(item.data)


def _records(run: Run) -> Iterator[Attached]:
    for name, about in RECORDS.items():
        content = run.content(name)
        if content is not None:
            yield Attached(name, content, about)


def _tables(run: Run, shown: list[Table | Figure]) -> Iterator[Attached]:
    """Each table that a cell names, once, as CSV; the caption it is first shown under says what it holds."""
    captions: dict[str, str] = {}
    for item in shown:
        if isinstance(item, Table) and re.fullmatch(r"tables/[\w.-]+\.parquet", item.file):
            captions.setdefault(item.file, item.caption)
    for path in sorted({*captions, *ALWAYS}):
        data = _csv(run, path)
        if data is not None:
            yield Attached(csv_name(path), data, captions.get(path) or f"the table {Path(path).stem}")


def _csv(run: Run, path: str) -> bytes | None:
    """A table of the run as CSV in which nothing runs; None and a gap where it cannot be read."""
    import pandas as pd

    if run.content(path) is None:
        return None
    try:
        table = pd.read_parquet(file_below(run.folder, path))
    except (ValueError, OSError, InputError) as problem:
        run.miss(f"not attached: {path} cannot be read ({type(problem).__name__})")
        return None
    name = Path(path).stem
    is_answers = name.startswith("answers")
    cases = name.replace("answers", "cases", 1) if is_answers else "cases" if name == "labels" else ""
    table = _shareable(run, table, cases)
    for name in [each for each in table if table[each].dtype == object]:
        table[name] = table[name].map(_flat)
    return to_csv(table).encode("utf-8", "backslashreplace")


def _shareable(run: Run, table: Any, cases: str) -> Any:
    """The table as it may travel: personal data in questions, answers and raters' remarks hidden as on the
    pages if it is of `cases`, without the planted secrets and the passages' texts, which their ids name."""
    from ragassay.scores import mask_answers

    if cases and "case_id" in table and {"answer", "remark"} & set(table):
        table = mask_answers(table, run.rows(cases))
    return table.drop(columns=[column for column in KEPT_HOME if column in table])


def _whole(run: Run, item: Table, name: str) -> Attached:
    """All rows of a table of which print has the first; its note names the file from here on."""
    import pandas as pd

    item.note = f"{item.note}; all is in the attached {name}."
    kept = {"usecols": lambda column: column not in KEPT_HOME, "dtype": str, "keep_default_na": False}
    table = _shareable(run, pd.read_csv(io.BytesIO(item.whole), **kept), "cases")
    return Attached(name, to_csv(table).encode("utf-8", "backslashreplace"), item.caption)


def _flat(value: Any) -> Any:
    """A list or a record as JSON, anything else as it is."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value


def _unprinted(run: Run) -> Iterator[Attached]:
    """What cells tagged `file` show and no table of the run holds: tables as CSV, figures as they are."""
    names: set[str] = set()
    for item in figures_and_tables(cell_tags.filed(run.notebooks)):
        if isinstance(item, Table) and not (item.file or item.whole):
            rows = [[plain(cell) for cell in row] for row in item.rows]
            yield Attached(
                _free(UNPRINTED + item.caption, "csv", names),
                csv_of_rows([plain(name) for name in item.columns], rows),
                item.caption,
            )
        elif isinstance(item, Figure):
            yield Attached(
                _free(UNPRINTED + (item.caption or item.alt), item.kind, names), item.data, item.caption
            )


def _free(caption: str, ending: str, names: set[str]) -> str:
    """A file name made of the caption, other than those given out before."""
    stem = re.sub(r"[^a-z0-9]+", "_", caption.lower())[:42].strip("_") or "table"
    counted = (f"{stem}{f'_{count}' * (count > 1)}.{ending}" for count in itertools.count(1))
    free = next(name for name in counted if name not in names)
    names.add(free)
    return free


def departures(run: Run) -> list[dict[str, Any]]:
    """What the run noted of notebooks of the engagement's own; none where it has none, or the note cannot be
    read."""
    try:
        found = json.loads(run.content(DEPARTURES) or b"[]")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(map(_is_departure, found)):
        run.miss(f"not available: {DEPARTURES} cannot be read")
        return []
    return found


def _is_departure(found: Any) -> bool:
    kinds = OF_DEPARTURE.items()
    return isinstance(found, dict) and all(isinstance(found.get(part), kind) for part, kind in kinds)


def _departures(run: Run) -> Iterator[Attached]:
    """Each difference, whole."""
    for each in departures(run):
        name = re.sub(r"[^A-Za-z0-9_]", "_", each["notebook"])[:80]
        about = f"what departs from the kit's {clean(each['notebook'], 80)}"
        yield Attached(f"departure_{name}.diff", clean(each["diff"], 0).encode() + b"\n", about)


def _texts(run: Run) -> Iterator[Attached]:
    """Evidence index, parameters, packages, inputs, sections, metric cards and code."""
    manifest = run.manifest
    yield Attached("evidence_index.csv", _evidence(run), "every file of the run: its hash, who made it")
    yield Attached("parameters.csv", _parameters(manifest), "every parameter of this run, seeds included")
    yield Attached("packages.csv", _packages(manifest), "packages with their versions, models and inputs")
    yield Attached("sections.csv", _sections(run), "of each notebook: tested, result, interpretation, limits")
    yield from _departures(run)
    yield Attached("metric_cards.txt", metric_cards(), "every metric: meaning, formula, source, limits")
    yield from _long_texts(run)
    for name, walked in run.notebooks.items():
        if walked.code:
            text = "\n\n".join(f"# %% {called}\n{source}" for called, source in walked.code) + "\n"
            yield Attached(f"code_{name}.py", text.encode("utf-8", "backslashreplace"), f"code of {name}")


def _long_texts(run: Run) -> Iterator[Attached]:
    """What cells show and pages cut, whole, if there is any."""
    kept = [item for walked in run.notebooks.values() for item in walked.long]
    whole = "\n".join(f"## {where}\n{clean(text, 0)}\n" for where, text in kept)
    if kept:
        data = whole.encode("utf-8", "backslashreplace")
        yield Attached(long_texts.FILE, data, "texts that are too long for a page, whole")


def _evidence(run: Run) -> bytes:
    columns = ["file", "sha256", "notebook", "cell", "at_assembly"]
    keys = ("path", "sha256", "notebook", "cell")
    return csv_of_rows(columns, [[*(item.get(key) for key in keys), state] for item, state in run.states])


def _parameters(manifest: dict[str, Any]) -> bytes:
    given = manifest.get("parameters")
    by_notebook = sorted(given.items()) if isinstance(given, dict) else []
    rows = [
        [notebook, name, _flat(value)] for notebook, those in by_notebook for name, value in those.items()
    ]
    return csv_of_rows(["notebook", "parameter", "value"], rows)


def _packages(manifest: dict[str, Any]) -> bytes:
    packages, models, inputs = (manifest.get(key) or {} for key in ("packages", "models", "inputs"))
    rows = [["package", name, packages[name], ""] for name in sorted(packages, key=str.casefold)]
    rows += [["model", item.get("name"), item.get("file"), item.get("sha256")] for item in models]
    rows += [["input", item.get("path"), "", item.get("sha256")] for item in inputs]
    return csv_of_rows(["kind", "name", "version_or_file", "sha256"], rows)


def _sections(run: Run) -> bytes:
    keys = ["tested", "result", "interpretation", "limits", "files"]
    rows = [[name, *(_flat(record.get(key)) for key in keys)] for name, record in run.sections.items()]
    return csv_of_rows(["notebook", *keys], rows)


def metric_cards() -> bytes:
    """The cards of all metrics as text."""
    from ragassay.scores.metric_registry import METRICS

    cards = (_card_text(block) for metric in METRICS.values() for block in methods_annex.metric_card(metric))
    return "".join(cards).encode("utf-8", "backslashreplace")


def _card_text(block: Block) -> str:
    match block:
        case Heading(_, words):
            return f"\n{plain(words)}\n{'-' * len(plain(words))}\n"
        case Paragraph(words):
            return f"{plain(words)}\n"
        case Verbatim(text):
            return f"{text}\n"
    return f"{getattr(block, 'tex', '')}\n"
