"""A new engagement's parameter file that runs as it is: what is validated is set in it, and checked before it
is written."""

import re
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.answers.answer_batches import mapping_lines
from ragassay.answers.log_import import open_log
from ragassay.errors import ParameterError
from ragassay.run import parameters
from ragassay.run.parameter_checks import input_files
from ragassay.run.parameter_file import engagement, yaml_reader

SECTION = "00_scope"
INSTEAD = "correct what is named, and run the same command again"
FOLDER = Path("params")
SHOWN = 256  # rows whose scores are named before a run reads them all


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

    Raises
    ------
    ParameterError
        If the name cannot be a file name, the file exists, or what is given cannot be run: with the flaw.
    """
    values: dict[str, Any] = {"documents": documents, "answers_log": log, "assistant": assistant}
    if log:
        open_log(provenance.source(log), mapping)  # what is wrong with it is raised here
        systems = input_files.systems(log, mapping or {}) or [""]
        values |= {"map": dict(mapping or {}), "system": systems[0]}  # the first where it names several
    given = {SECTION: {key: value for key, value in values.items() if value}}
    text = engagement.new_text(name, given)
    if log or assistant:
        _check(name, text, folder)
    return engagement.write(name, folder, replace=replace, text=text)


def of_log(
    log: str,
    path: Path | None = None,
    documents: str = "",
    mapping: Mapping[str, str] | None = None,
    *,
    write_it: bool = True,
) -> tuple[Path, list[str]]:
    """The parameter file that validates a log: written as by `write`, unless it is there already; and where
    it is new, how the log's columns are read, a line each.

    path : None names it after the log, `params/NAME.yml`; write_it : False only looks for it

    Raises
    ------
    ParameterError
        If it is there and validates something else, or is to be written and cannot be.
    """
    if path is None:  # by the log's name, without what a file name may not hold
        stem = Path(log.removeprefix(provenance.BUNDLED)).name.removesuffix(".gz").rpartition(".")[0]
        path = FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', stem).strip('-._') or 'log'}.yml"
    wanted = {"answers_log": log, "documents": documents, "map": dict(mapping or {})}
    if path.is_file():
        _check_same(path, wanted)
        return path, []
    if not write_it:
        what = "a dry run writes nothing, and this log has no parameter file"
        raise ParameterError(what, where=path, do=f"`ragassay init {path.stem} --log {log}` writes it")
    if path.suffix != ".yml":
        raise ParameterError("a new parameter file must end in .yml", where=path, do="name it so")
    return write(path.stem, documents, log, mapping=mapping, folder=path.parent), read_as(log, mapping)


def _check_same(path: Path, wanted: Mapping[str, Any]) -> None:
    """ParameterError if the file names another log, or other documents or columns than those asked for; paths
    may be spelled otherwise."""
    given = yaml_reader.read(path)[0].get(SECTION) or {}
    for name, value in wanted.items():
        found = given.get(name)
        if isinstance(found, str) and isinstance(value, str):
            is_same = search_paths.absolute(found) == search_paths.absolute(value)
        else:
            is_same = found == value
        if value and not is_same:
            raise ParameterError(
                "the parameter file is there already, and names something else",
                where=path,
                found=f"{SECTION}.{name}: {found!r}",
                expected=repr(value),
                do="name a new file before --log, as in `ragassay run params/NAME.yml --log FILE`; or change "
                f"what stands there, and `ragassay run {path}`",
            )


def read_as(log: str, mapping: Mapping[str, str] | None = None) -> list[str]:
    """How the columns of a log are read, a line each, for a terminal; scores are those of the first rows."""
    opened = open_log(provenance.source(log), mapping)
    for _ in islice(opened.rows(), SHOWN):
        pass
    return [f"{log}: {opened.schema.tool}", *mapping_lines(opened.mapped())]


def _check(name: str, text: str, folder: Path) -> None:
    """Read the text as the run would, from a draft elsewhere: what is flawed is never written."""
    schemas = {book: parameters.declared(path) for book, path in parameters.notebooks().items()}
    own = search_paths.own_folder(folder / f"{name}.yml")
    with tempfile.TemporaryDirectory() as drafts, search_paths.pinned(search_paths.root(), own):
        draft = Path(drafts) / f"{name}.yml"
        draft.write_text(text, encoding="utf-8")
        try:
            engagement.load(draft, schemas)
        except ParameterError as flaw:
            where, found = f"{folder / name}.yml, as it would be; it was not written", flaw.found
            raise ParameterError(
                flaw.what, where=where, found=found, expected=flaw.expected, do=INSTEAD
            ) from None
