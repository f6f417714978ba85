"""A new engagement's parameter file: every parameter at its default as a comment. What is validated is set in
it and checked before it is written, so that it runs as it is."""

import datetime
import re
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay import output_files, provenance, search_paths
from ragassay.answers.answer_batches import mapping_lines
from ragassay.answers.log_import import open_log
from ragassay.errors import ParameterError
from ragassay.run import parameters
from ragassay.run.parameter_file import engagement, yaml_reader
from ragassay.run.parameter_file.engagement import SCOPE
from ragassay.run.parameter_file.run_settings import SETTINGS
from ragassay.run.parameters import GIVEN_BY_RUNNER

HEAD = Path(__file__).with_name("head.yml")  # of a new file, for {name}
FOLDER = Path("params")
SHOWN = 256  # rows whose scores are named before a run reads them all


def new_text(name: str, given: yaml_reader.Sections | None = None) -> str:
    """The text of a new engagement's file: every parameter of every notebook, commented, at its default, but
    for the values given and the date of the validation, which is today."""
    engagement.check_name(name)
    lines = [HEAD.read_text(encoding="utf-8").format(name=name)]
    for section, schema in {"run": list(SETTINGS), **parameters.schemas()}.items():
        values = {"date": datetime.date.today().isoformat()} | (given or {}).get(section, {})
        lines.append(f"{section}:")
        for each in (each for each in schema if each.name != GIVEN_BY_RUNNER):
            written = f"{each.name}: {yaml_reader.as_yaml(values.get(each.name, each.default))}"
            mark = "" if each.name in values else "# "
            lines.append(f"  {mark}{written}  # {each.annotation}; {each.help}")
        lines.append("")
    return "\n".join(lines)


def write(
    name: str,
    documents: str = "",
    log: str = "",
    assistant: str = "",
    *,
    mapping: Mapping[str, str] | None = None,
    folder: Path = FOLDER,
    replace: bool = False,
) -> Path:
    """Write `folder/name.yml`; with a log or an assistant it runs as it is.

    documents, log, assistant : as the parameters `documents`, `answers_log` and `assistant`; "" leaves the
        default
    mapping : of the log's columns, ours -> theirs, as the parameter `map`

    Raises ParameterError if the name cannot be a file name, the file exists, or what is given cannot be
    run: with the flaw."""
    values: dict[str, Any] = {"documents": documents, "answers_log": log, "assistant": assistant}
    if log:
        rows = open_log(provenance.source(log), mapping).rows()
        systems = {str(row.get("system") or "") for _, row, _ in rows} - {""}
        values |= {"map": dict(mapping or {}), "system": min(systems, default="")}
    text = new_text(name, {SCOPE: {key: value for key, value in values.items() if value}})
    path = folder / f"{name}.yml"
    if log or assistant:
        check_text(path, text)
    output_files.check(path, replace=replace)
    output_files.write_text(path, text)
    return path


def check_text(path: Path, text: str) -> None:
    """Read the text as a run would if it stood in the file, which is not written; errors as of
    `engagement.load`."""
    own = search_paths.own_folder(path)
    with tempfile.TemporaryDirectory() as drafts, search_paths.pinned(search_paths.root(), own):
        draft = Path(drafts) / path.name
        draft.write_text(text, encoding="utf-8")
        try:
            engagement.load(draft, parameters.schemas())
        except ParameterError as flaw:
            where, do = f"{path}, as it would be; it was not written", "correct what is named"
            raise ParameterError(flaw.what, where=where, found=flaw.found, do=do) from None


def write_for_log(
    log: str,
    path: Path | None = None,
    documents: str = "",
    mapping: Mapping[str, str] | None = None,
    *,
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
        path = write(path.stem, documents, log, mapping=mapping, folder=drafts or path.parent)
        return path, describe_columns(log, mapping)
    given, absolute = yaml_reader.read(path)[0].get(SCOPE) or {}, search_paths.absolute
    asked = {"answers_log": log} | ({"documents": documents} if documents else {})
    differ = [name for name, place in asked.items() if absolute(given.get(name, "")) != absolute(place)]
    differ += ["map"] if mapping and mapping != given.get("map") else []
    if differ:
        what = "the parameter file is there already, and names something else"
        found = ", ".join(f"{SCOPE}.{name}: {given.get(name)!r}" for name in differ)
        do = "name a new file, `ragassay run params/NAME.yml --log FILE`"
        raise ParameterError(what, where=path, found=found, do=do)
    return path, []


def describe_columns(log: str, mapping: Mapping[str, str] | None = None) -> list[str]:
    """How the columns of a log are read, a line each, for a terminal; scores are those of the first rows."""
    opened = open_log(provenance.source(log), mapping)
    for _ in islice(opened.rows(), SHOWN):
        pass
    return [f"{log}: {opened.schema.tool}", *mapping_lines(opened.mapped())]
