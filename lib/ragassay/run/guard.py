"""What the finished notebooks of a run left, known by hash while the run lasts: a file changed by anybody but
its notebook stops the run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay import evidence
from ragassay.errors import NotebookError
from ragassay.run import state


@dataclass
class Guard:
    """The files of each finished notebook: what it wrote, its executed copy, the runner's record of it."""

    run_dir: Path
    _files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, name: str) -> None:
        """Know a finished notebook's files from now on."""
        record = state.load(self.run_dir, name)
        own = {"path": state.file(name), "sha256": evidence.sha256_of(self.run_dir / state.file(name))}
        self._files[name] = [*(record["writes"] if record else []), own]

    def check(self) -> None:
        """Hash every file again; sizes and times are not trusted.

        Raises
        ------
        NotebookError
            If one is not as its notebook left it. That notebook is forgotten: the next run executes it anew.
        """
        for name, entries in self._files.items():
            if changed := state.changed(self.run_dir, entries):
                state.forget(self.run_dir, name)
                self._stop(name, entries, changed)

    def _stop(self, name: str, entries: list[dict[str, Any]], changed: dict[str, str]) -> None:
        wanted = {entry["path"]: entry["sha256"] for entry in entries}
        first = next(iter(changed))
        raise NotebookError(
            f"{first} was changed by something other than {name}, which wrote it; the run is stopped",
            where=self.run_dir,
            found=", ".join(f"{path}: {sha256[:16]}" for path, sha256 in changed.items()),
            expected=", ".join(f"{path}: {wanted[path][:16]}" for path in changed),
            do=f"find what writes there, an assistant for instance, and run again: {name} is executed anew",
        )
