"""A new engagement's parameter file that runs as it is: what is validated is set in it, and checked before it
is written."""

import tempfile
from pathlib import Path

from ragassay import evidence, places
from ragassay.answers.log import open_log
from ragassay.answers.log_formats import mapping_table
from ragassay.errors import ParameterError
from ragassay.run import engagement, input_files, parameters

SECTION = "00_scope"
INSTEAD = "correct what is named, then `ragassay init` again"


def write(
    name: str,
    documents: str = "",
    log: str = "",
    assistant: str = "",
    *,
    folder: Path = Path("params"),
    replace: bool = False,
) -> Path:
    """Write `folder/name.yml`; with a log or an assistant it runs as it is.

    documents, log, assistant : as the parameters `documents`, `answers_log` and `assistant`; "" leaves the
        default

    Raises
    ------
    ParameterError
        If the name cannot be a file name, the file exists, or what is given cannot be run: with the flaw.
    """
    values = {"documents": documents, "answers_log": log, "assistant": assistant}
    values |= {"system": _system(log)} if log else {}
    given = {SECTION: {key: value for key, value in values.items() if value}}
    text = engagement.new_text(name, given)
    if log or assistant:
        _check(name, text, folder)
    return engagement.write(name, folder, replace=replace, text=text)


def read_as(log: str) -> list[str]:
    """How the columns of a log are read, a line each, for a terminal."""
    opened = open_log(evidence.source(log), {})
    rows = mapping_table.rows(opened.schema, opened.present, opened.columns, opened.scores_given.names)
    return [f"{log}: {opened.schema.tool}", *mapping_table.lines(rows)]


def _system(log: str) -> str:
    """The system of a log that is validated: the first one where it names several; "" where it names none."""
    systems = input_files.systems(log, {}) if _opens(log) else None
    return (systems or [""])[0]


def _opens(log: str) -> bool:
    """Whether the log can be read; an error of it is raised here, where it names the file."""
    open_log(evidence.source(log), {})
    return True


def _check(name: str, text: str, folder: Path) -> None:
    """Read the text as the run would, from a draft elsewhere: what is flawed is never written."""
    schemas = {book: parameters.declared(path) for book, path in parameters.notebooks().items()}
    own = places.own_folder(folder / f"{name}.yml")
    with tempfile.TemporaryDirectory() as drafts, places.pinned(places.root(), own):
        draft = Path(drafts) / f"{name}.yml"
        draft.write_text(text, encoding="utf-8")
        try:
            engagement.load(draft, schemas)
        except ParameterError as flaw:
            where, found = f"{folder / name}.yml, as it would be; it was not written", flaw.found
            raise ParameterError(
                flaw.what, where=where, found=found, expected=flaw.expected, do=INSTEAD
            ) from None
