"""Where one input is tried: a project in a home of its own, traps in every folder above it, and a listing before and after."""

import contextlib
import hashlib
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from hostile import payloads

TRAPS = ("helper.py", "sitecustomize.py", "usercustomize.py", "conftest.py", "numpy.py", "trap.pth")
SAID = "said"  # folder of what the command said: no part of the listing


@dataclass(frozen=True)
class Sandbox:
    """The folders of one input.

    root : holds everything; work : the working folder; markers : empty, or something was executed
    """

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "above" / "work"

    @property
    def markers(self) -> Path:
        return self.root / "markers"

    @property
    def said(self) -> Path:
        return self.root / SAID

    @property
    def environment(self) -> dict[str, str]:
        """Home, temporary and cache folder of the sandbox."""
        return {
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "RAGASSAY_CACHE": str(self.root / "cache"),
            "MPLCONFIGDIR": str(self.root / "tmp"),
        }

    def make(self, pantry: Path) -> "Sandbox":
        """Fill the working folder from the pantry, and set the traps above it."""
        for name in ("home", "tmp", "cache", "markers", SAID):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        shutil.copytree(pantry, self.work, symlinks=True)
        for folder in (self.root, self.root / "above", self.root / "home"):
            set_traps(folder, self.markers)
        return self

    def listing(self) -> dict[str, str]:
        """Every file of the sandbox and what is in it, what the command said left out."""
        return {
            name: digest
            for name, digest in _listing(self.root)
            if not name.startswith((f"{SAID}/", "tmp/", "cache/"))
        }

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


def set_traps(folder: Path, markers: Path) -> None:
    """Files that a careless import or search upwards would execute."""
    import nbformat

    for name in TRAPS:
        (folder / name).write_text(payloads.code(markers, f"{folder.name}-{name}"))
    tagged = nbformat.v4.new_code_cell('run_dir: str = "x"  # where', metadata={"tags": ["parameters"]})
    cell = nbformat.v4.new_code_cell(payloads.code(markers, f"{folder.name}-notebook"))
    (folder / "notebooks").mkdir(exist_ok=True)
    for stem in ("00_scope", "07_conclusion"):
        nbformat.write(nbformat.v4.new_notebook(cells=[tagged, cell]), folder / "notebooks" / f"{stem}.ipynb")


def _listing(root: Path):
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder) / name
            yield os.fsencode(path.relative_to(root)).decode("utf-8", "backslashreplace"), _digest(path)


def _digest(path: Path) -> str:
    """What is at a path: a hash of a file's bytes, where a link points, or what kind of thing it is."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link to {str(path.readlink())!r}"
    if not stat.S_ISREG(mode):
        return f"kind {stat.S_IFMT(mode):o}"
    with contextlib.suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return "unreadable"
