"""Which run this is: `.state/run.json`, from its first notebook to its report.

A run that was killed, or stopped at an error, goes on under the same id; a finished one is followed by a new
one. Answers in a journal carry the id of the run in which they were asked.
"""

import contextlib
import datetime
import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import filelock

from ragassay import output_files
from ragassay.errors import ParameterError
from ragassay.run.execution import notebook_record

LOCK, FILE = ".state/lock", ".state/run.json"


@contextlib.contextmanager
def lock(run_dir: Path) -> Iterator[None]:
    """Hold the folder while this lasts, or until the process ends; ParameterError if another run holds it."""
    try:
        with filelock.FileLock(run_dir / LOCK, timeout=0):
            yield
    except filelock.Timeout:
        what, do = "another run works in this folder", "wait for it, or stop it"
        raise ParameterError(what, where=run_dir, do=do) from None


def begin(run_dir: Path, names: list[str], *, fresh: bool = False) -> str:
    """The id of the run that begins or goes on; in a fresh one every question is asked again: what is known
    of the notebooks that ask is forgotten, and the journals are set aside, renamed by the run's id.

    names : the notebooks of the run
    """
    record = _load(run_dir)
    if record and not record["finished"] and not fresh:
        return record["id"]
    run_id = uuid.uuid4().hex
    if fresh:
        start(run_dir, run_id)
        for name in names:
            if (notebook_record.load(run_dir, name) or {}).get("system"):
                notebook_record.forget(run_dir, name)
        for journal in (run_dir / "journal").glob("*.jsonl"):
            journal.rename(journal.with_suffix(f".before-{run_id[:8]}.set_aside"))
    return run_id


def start(run_dir: Path, run_id: str) -> None:
    """A notebook is about to be executed: from now on this run is under way. One that finds nothing to
    execute leaves no record."""
    if _load(run_dir).get("id") != run_id:
        output_files.write_text(run_dir / FILE, json.dumps({"id": run_id, "finished": ""}))


def finish(run_dir: Path) -> None:
    """The report is there: what is run from now on is another run."""
    record = _load(run_dir)
    if record and not record["finished"]:
        record["finished"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        output_files.write_text(run_dir / FILE, json.dumps(record))


def _load(run_dir: Path) -> dict[str, str]:
    """The record; empty where there is none, or what stands there is none."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        record = json.loads((run_dir / FILE).read_text(encoding="utf-8"))
        if isinstance(record, dict) and {"id", "finished"} <= set(record):
            return record
    return {}
