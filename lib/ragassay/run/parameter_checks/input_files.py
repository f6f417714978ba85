"""The files that parameters name, opened before anything runs: whether they hold what they should."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragassay import engagement_registers, provenance
from ragassay.answers.log_import import open_log
from ragassay.cases.own_questions import read_records
from ragassay.errors import KitError

Mapped = Mapping[str, str]


def problems(parameter: str, path: Path, mapping: Mapped) -> Iterator[str]:
    """What is wrong with the file of a parameter, in words; nothing of files that their notebook opens.

    mapping : our column -> that of the file
    """
    try:
        if parameter in OPENED:
            OPENED[parameter](path, mapping)
    except KitError as problem:
        yield in_words(problem)
    except Exception as problem:  # readers of other formats raise what they happen to raise
        yield f"{path} cannot be read: {type(problem).__name__}: {str(problem)[:200]}"


def columns(log: str, questions: str, mapping: Mapped) -> list[str] | None:
    """The columns that a log and the user's questions add to the cases; None where they cannot be read."""

    def read() -> list[str]:
        opened = open_log(provenance.source(log), mapping) if log else None
        records = read_records(provenance.source(questions)) if questions else []
        of_log = [*opened.columns, *opened.present] if opened else []
        return list(dict.fromkeys([*of_log, *(name for _, record in records for name in record)]))

    return _if_readable(read)


def given_scores(log: str, mapping: Mapped) -> list[str] | None:
    """The names of the scores that a log gives, none without one; None where it cannot be read."""

    def read() -> list[str]:
        opened = open_log(provenance.source(log), mapping)
        for _ in opened.rows():
            pass
        return list(opened.scores_given)

    return _if_readable(read) if log else []


def systems(log: str, mapping: Mapped) -> list[str] | None:
    """The systems of a log, none without one; None where it cannot be read."""

    def read() -> list[str]:
        rows = open_log(provenance.source(log), mapping).rows()
        return sorted({str(values.get("system") or "") for _, values, _ in rows} - {""})

    return _if_readable(read) if log else []


def without_passages(scope: Mapping[str, Any]) -> str:
    """That no documents are named and the log holds no passages that could stand for them, in words; "" where
    there are such, or the log cannot be read.

    scope : the parameters of notebook 00
    """
    if scope["documents"] or not scope["answers_log"]:
        return ""
    opened = _if_readable(lambda: open_log(provenance.source(scope["answers_log"]), scope["map"]))
    if opened is None or opened.holds("contexts"):
        return ""
    what = "no documents are named, and the log holds no passages"
    do = "name the documents, --documents, or the column of passages, --map contexts=COLUMN"
    return f"{what}; found the columns {', '.join(opened.columns)[:300]}; do: {do}"


def in_words(problem: KitError) -> str:
    """An error of the library in one line."""
    parts = [("at", problem.where), ("found", problem.found), ("expected", problem.expected)]
    return "; ".join(
        [problem.what, *(f"{name} {str(part)[:200]}" for name, part in parts if part is not None)]
    )


def _if_readable(read: Callable[[], Any]) -> Any:
    """What is read; None where it cannot be, which is said of the parameter that names the file."""
    try:
        return read()
    except Exception:  # readers of other formats raise what they happen to raise
        return None


def _labels(path: Path, mapping: Mapped) -> None:
    from ragassay.labels import human_labels

    human_labels.read(path, None, mapping)


def _query_log(path: Path, mapping: Mapped) -> None:
    from ragassay.cases.question_log import read_questions

    read_questions(path)


def _suite(path: Path, mapping: Mapped) -> None:
    from ragassay.examination import unit_test_suite

    unit_test_suite.read(path)


OPENED: dict[str, Callable[[Path, Mapped], Any]] = {
    "answers_log": open_log,
    "labels": _labels,
    "own_questions": lambda path, _: read_records(path),
    "query_log": _query_log,
    "suite": _suite,
    "risks": lambda path, _: engagement_registers.read_risks(path),
    "challenges": lambda path, _: engagement_registers.read_challenges(path),
}
