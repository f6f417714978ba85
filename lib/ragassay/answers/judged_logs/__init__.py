"""Logs of several systems that people have judged: the answers as records of a log, the judgements as labels.

mtrag.py           MTRAG, one answer per line: id, turns, query, contexts, answer, system, human, ...
inspectorraget.py  InspectorRAGet, one JSON: models, metrics, documents, tasks, evaluations or results
task.py            Task, Judged: one question with what was before it, one answer with its judgements

The question is the last turn of the user; the turns before it are kept in the case's column `turns`, and no
metric reads them.
"""

from pathlib import Path

from ragassay.answers.judged_logs import inspectorraget, mtrag
from ragassay.answers.judged_logs.task import Judged, ids_of
from ragassay.answers.log_files import Flaw, Record
from ragassay.errors import InputError

KINDS = (mtrag, inspectorraget)


def fits(path: Path) -> bool:
    """Whether the file is such a log, by its suffix and its beginning; False where it cannot be read."""
    return path.is_file() and any(kind.fits(path) for kind in KINDS)


def read_records(path: Path) -> list[Record]:
    """The answers as records of a log: case_id, system, question, answer, contexts, context_ids, and what is
    known of the case; a line or an entry that is not what it should be is a broken record.

    case_id is the first 8 signs of the conversation and the number of the turn (`f0d2873b-3`) where that
    tells the tasks apart, else the task's whole id; `task_id` keeps it.

    Raises
    ------
    InputError
        If there is no answer.
    """
    found = _read(path)
    names = ids_of([one.task.task_id for one in found if isinstance(one, Judged)])
    return [one if isinstance(one, Record) else _record(one, names) for one in found]


def labels(path: Path) -> list[dict[str, str]]:
    """The judgements as rows of a labels file: case_id (as in `read_records`), system, dimension, rater,
    label, scale, answer_sha256, and `where`.

    Raises
    ------
    InputError
        If no line or entry is what it should be, with its place; single ones are left out, as of any log.
    """
    found = _read_all_judged(path)
    names = ids_of([judged.task.task_id for judged in found])
    return [{"case_id": names[judged.task.task_id], **label} for judged in found for label in judged.labels()]


def _record(judged: Judged, names: dict[str, str]) -> Record:
    return Record({"case_id": names[judged.task.task_id], **judged.values()}, judged.where)


def _read_all_judged(path: Path) -> list[Judged]:
    """The judged answers, without lines and entries that are none; InputError if there is no other."""
    found = _read(path)
    judged = [one for one in found if isinstance(one, Judged)]
    if not judged:
        raise _error(next(one for one in found if isinstance(one, Record)).flaws[0])
    return judged


def _error(flaw: Flaw) -> InputError:
    return InputError(
        "a judged answer cannot be read",
        where=flaw.place,
        found=flaw.found,
        expected=flaw.expected,
        do=flaw.do,
    )


def _read(path: Path) -> list[Judged | Record]:
    kind = next((kind for kind in KINDS if kind.fits(path)), None)
    found = [] if kind is None else list(kind.read(path))
    if not found:
        raise InputError(
            "this is no log of judged answers",
            where=path.name,
            expected="MTRAG's JSON Lines, or JSON of InspectorRAGet (models, metrics, tasks, evaluations)",
            do="correct the path",
        )
    return found
