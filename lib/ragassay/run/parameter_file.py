"""Parameter files that the kit writes, each checked first: a new engagement's, a log's, what a form saves,
the demonstration's."""

import datetime
import re
import shutil
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay import output_files, parameter_ranges, provenance, search_paths
from ragassay.answers.answer_batches import mapping_lines
from ragassay.answers.log_import import open_log
from ragassay.errors import KitError, ParameterError, install
from ragassay.run import engagement, parameters
from ragassay.sanitized_text import clean

FOLDER = Path("params")
OFTEN_SET = """size documents assistant answers_log model_name model_version owner developer validator
    validator_independent next_review purpose users prohibited_uses languages date own_questions labels raters
    raters_independent accept_from probe_set gates previous_run finding_owner""".split()
DEMO, MARKS = "demo.yml", "demo_documents/documents.csv"  # its file; the documents that it takes


def new_text(name: str, given: engagement.Sections | None = None, *, everything: bool = True) -> str:
    """The text of a new engagement's file: every parameter of every notebook, or those of OFTEN_SET,
    commented, at its default, but for the values given and the date of the validation, which is today."""
    engagement.check_name(name)
    lines = [Path(__file__).with_name("head.yml").read_text(encoding="utf-8").format(name=name)]
    for section, schema in {"run": list(engagement.SETTINGS), **parameters.schemas()}.items():
        values = {"date": datetime.date.today().isoformat()} | (given or {}).get(section, {})
        shown = [each for each in schema if everything or each.name in OFTEN_SET or each.name in values]
        lines += [f"{section}:"] if shown else []
        for each in (each for each in shown if each.name != parameters.GIVEN_BY_RUNNER):
            written = f"{each.name}: {engagement.as_yaml(values.get(each.name, each.default))}"
            mark = "" if each.name in values else "# "
            lines.append(f"  {mark}{written}  # {each.annotation}; {each.help}")
        lines += [""] if shown else []
    return "\n".join(lines)


def write(
    name: str,
    documents: str = "",
    log: str = "",
    assistant: str = "",
    *,
    mapping: Mapping[str, str] | None = None,
    size: str | None = None,
    folder: Path = FOLDER,
    everything: bool = False,
    replace: bool = False,
) -> Path:
    """Write `folder/name.yml`; with a log or an assistant it runs as it is.

    documents, log, assistant : as the parameters `documents`, `answers_log` and `assistant`; "" leaves the
        default
    mapping : of the log's columns, ours -> theirs, as the parameter `map`
    size : of section `run`; None leaves the default
    everything : whether every parameter is shown, and not only those of OFTEN_SET

    Raises ParameterError if the name cannot be a file name, the file exists, or what is given cannot be
    run: with the flaw."""
    if size:
        known = next(each.range for each in engagement.SETTINGS if each.name == "size")
        parameter_ranges.check("run.size", size, str(known))
    values: dict[str, Any] = {"documents": documents, "answers_log": log, "assistant": assistant}
    if log:
        opened = open_log(provenance.source(log), mapping)
        systems = {str(row.get("system") or "") for _, row, _ in opened.rows()} - {""}
        values |= {"map": dict(mapping or {}), "system": min(systems, default="")}
    values = {key: value for key, value in values.items() if value}
    given = {engagement.SCOPE: values, "run": {"size": size} if size else {}}
    text = new_text(name, given, everything=everything)
    path = folder / f"{name}.yml"
    if log or assistant:
        check_text(path, text)
    output_files.check(path, replace=replace)
    output_files.write_text(path, text)
    return path


def check_text(path: Path, text: str) -> None:
    """Read the text as a run would, without writing it to the file; errors as of `engagement.load`."""
    pinned = search_paths.pinned(search_paths.root(), search_paths.own_folder(path))
    with tempfile.TemporaryDirectory() as drafts, pinned:
        draft = Path(drafts) / path.name
        draft.write_text(text, encoding="utf-8")
        try:
            engagement.load(draft, parameters.schemas())
        except ParameterError as flaw:
            where = f"{path}, not written"
            raise ParameterError(flaw.what, where=where, found=flaw.found, do="correct it") from None


def write_for_log(
    log: str,
    path: Path | None = None,
    documents: str = "",
    mapping: Mapping[str, str] | None = None,
    size: str | None = None,
    drafts: Path | None = None,
) -> tuple[Path, list[str]]:
    """The parameter file that validates a log: written as by `write`, unless it is there already; and where
    it is new, how the log's columns are read, a line each.

    path : None names it after the log, `params/NAME.yml`
    drafts : the folder in which it is written instead, for a dry run

    Raises ParameterError if it is there and validates something else, or is to be written and cannot be."""
    if path is None:  # by the log's name, without what a file name may not hold
        stem = Path(log.removeprefix(provenance.BUNDLED)).name.removesuffix(".gz").rpartition(".")[0]
        path = FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', stem).strip('-._') or 'log'}.yml"
    if not path.is_file():
        if path.suffix != ".yml":
            raise ParameterError("a new parameter file must end in .yml", where=path, do="name it so")
        path = write(path.stem, documents, log, mapping=mapping, size=size, folder=drafts or path.parent)
        return path, describe_columns(log, mapping)
    given, absolute = engagement.read_yaml(path)[0].get(engagement.SCOPE) or {}, search_paths.absolute
    asked = {"answers_log": log, "documents": documents or given.get("documents", "")}
    differ = [name for name, place in asked.items() if absolute(given.get(name, "")) != absolute(place)]
    differ += ["map"] if mapping and mapping != given.get("map") else []
    if differ:
        found = ", ".join(f"{engagement.SCOPE}.{name}: {given.get(name)!r}" for name in differ)
        what = "the parameter file is there and validates something else"
        do = f"name a new one: `ragassay run params/NAME.yml --log {log}`"
        raise ParameterError(what, where=path, found=found, do=do)
    return path, []


def describe_columns(log: str, mapping: Mapping[str, str] | None = None) -> list[str]:
    """How the columns of a log are read, a line each, for a terminal; scores are those of the first rows."""
    opened = open_log(provenance.source(log), mapping)
    for _ in islice(opened.rows(), 256):
        pass
    return [f"{log}: {opened.schema.tool}", *mapping_lines(opened.mapped())]


def parameter_form(path: str | Path, section: str) -> Any:
    """A form (an ipywidgets box) for a section of an engagement's YAML, such as `04_calibration`: made of the
    notebook's own declarations; nothing is saved that a run would refuse.

    Saving writes the file anew, as `ragassay init` does: comments of one's own are not kept.

    Raises ParameterError if ipywidgets is not installed, or the file or the section is none."""
    try:
        import ipywidgets as widgets
    except ImportError:
        raise ParameterError("ipywidgets is not installed", do=install("lab")) from None
    path, schemas = Path(path), parameters.schemas()
    if section not in schemas:
        raise ParameterError("there is no such section", found=section, expected=", ".join(schemas))
    written = engagement.read_yaml(path)[0].get(section) or {}
    schema = [each for each in schemas[section] if each.name != parameters.GIVEN_BY_RUNNER]
    before = {each.name: written.get(each.name, each.default) for each in schema}
    fields, rows = dict[str, Any](), list[Any]()
    for each in schema:  # its value as YAML, and what it means
        fields[each.name] = widgets.Text(
            value=engagement.as_yaml(before[each.name]),
            description=each.name,
            style={"description_width": "14em"},
            layout={"width": "42em"},
        )
        help_text = widgets.Label(clean(each.help, 300), layout={"margin": "0 0 0.6em 14.5em"})
        rows += [fields[each.name], help_text]
    button = widgets.Button(description="Save", tooltip=f"into {path}", button_style="primary")
    outcome = widgets.Label("")

    def save(_: Any) -> None:
        try:
            now = {name: engagement.parse_yaml(field.value, name) for name, field in fields.items()}
            changed = {name: value for name, value in now.items() if value != before[name]}
            if changed:
                given = {name: values or {} for name, values in engagement.read_yaml(path)[0].items()}
                given[section] = given.get(section, {}) | changed
                lines = [f"{name}: {engagement.as_yaml(values)}\n" for name, values in given.items()]
                check_text(path, "".join(lines))  # sections that are no notebook's stand in no new file
                # of a new file the date would be set to today
                given[engagement.SCOPE] = {"date": ""} | given.get(engagement.SCOPE, {})
                output_files.write_text(path, new_text(path.stem, given))
            before.update(changed)
            outcome.value = f"saved: {', '.join(changed)}" if changed else "nothing was changed"
        except KitError as problem:
            outcome.value = clean(problem.what, 500)

    button.on_click(save)
    return widgets.VBox([*rows, button, outcome])


def write_demo(folder: Path) -> Path:
    """Write the demonstration (the example, smaller: documents, questions, labels, the file that runs them)
    into a folder, unless it is there; returns the path of its parameter file. Raises ParameterError if
    something else is in the folder."""
    if not (folder / DEMO).is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ParameterError("something else is there", where=folder, do="name another folder with --out")
        output_files.check_folder(folder)
        shutil.copytree(provenance.source("bundled:demo"), folder, dirs_exist_ok=True)
        for row in (folder / MARKS).read_text(encoding="utf-8").splitlines()[1:]:
            shutil.copy(provenance.source("bundled:documents") / row.split(",")[0], (folder / MARKS).parent)
    return folder / DEMO
