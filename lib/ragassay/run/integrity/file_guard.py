"""What the finished notebooks of a run left, known by hash while the run lasts: a file changed by anybody but
its notebook stops the run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.errors import NotebookError
from ragassay.run.execution import notebook_record


@dataclass
class Guard:
    """The files of each finished notebook: what it wrote, its executed copy, the runner's record of it."""

    run_dir: Path
    _files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, name: str) -> None:
        """Know a finished notebook's files from now on.

        Raises
        ------
        NotebookError
            If what it read of an earlier notebook's files is not what that one wrote. It is forgotten too.
        """
        record = notebook_record.load(self.run_dir, name)
        wrote = {e["path"]: (by, e["sha256"]) for by, entries in self._files.items() for e in entries}
        for entry in record["reads"] if record else []:
            by, sha256 = wrote.get(entry["path"], (name, entry["sha256"]))
            if sha256 != entry["sha256"]:
                notebook_record.forget(self.run_dir, name)
                self._stop(by, {entry["path"]: sha256}, {entry["path"]: entry["sha256"]})
        path = notebook_record.file(name)
        own = {"path": path, "sha256": provenance.sha256_of(self.run_dir / path)}
        self._files[name] = [*(record["writes"] if record else []), own]

    def check(self) -> None:
        """Hash every file again; sizes and times are not trusted.

        Raises
        ------
        NotebookError
            If one is not as its notebook left it. That notebook is forgotten: the next run executes it anew.
        """
        for name, entries in self._files.items():
            if changed := notebook_record.changed(self.run_dir, entries):
                notebook_record.forget(self.run_dir, name)
                self._stop(name, {entry["path"]: entry["sha256"] for entry in entries}, changed)

    def _stop(self, name: str, wanted: dict[str, str], changed: dict[str, str]) -> None:
        first = next(iter(changed))
        raise NotebookError(
            f"{first} was changed by something other than {name}, which wrote it; the run is stopped",
            where=self.run_dir,
            found=", ".join(f"{path}: {sha256[:16]}" for path, sha256 in changed.items()),
            expected=", ".join(f"{path}: {wanted[path][:16]}" for path in changed),
            do="find what writes there, and run again: what it touched is executed anew",
        )
