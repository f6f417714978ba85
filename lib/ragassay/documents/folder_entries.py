"""What lies below a folder of documents, and what of it may be opened."""

import os
import stat
from pathlib import Path

from ragassay.errors import DocumentError

KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder; the files in it are read by their own names",
}


def find(root: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Everything below the folder that is no plain folder, in no order: files, links, pipes, folders that
    cannot be listed, folders named like a document (ending in one of the suffixes).

    A link is never walked into; one to a folder inside is passed over, for its files are found where they
    are.
    """
    found: list[Path] = []

    def keep(error: OSError) -> None:
        found.append(Path(error.filename))

    for place, folders, files in os.walk(root, onerror=keep):
        found += [Path(place, name) for name in files]
        found += [path for name in folders if _is_odd(path := Path(place, name), root, suffixes)]
    return found


def _is_odd(folder: Path, root: Path, suffixes: tuple[str, ...]) -> bool:
    return leads_out(folder, root) if folder.is_symlink() else folder.name.lower().endswith(suffixes)


def leads_out(path: Path, root: Path) -> bool:
    """Whether the path, its links followed, is outside the folder."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def shown_name(path: Path, root: Path) -> str:
    """The path below the folder, as UTF-8: bytes of a name that are none are written as \\xe9."""
    name = path.relative_to(root).as_posix()
    return os.fsencode(name).decode("utf-8", "backslashreplace") if not _is_utf8(name) else name


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def check(path: Path, root: Path) -> None:
    """Raise a DocumentError for what is never opened: a name that is not UTF-8, a link out of the folder,
    what is no regular file (opening a pipe would wait for ever)."""
    where = shown_name(path, root)
    if not _is_utf8(str(path.relative_to(root))):
        raise DocumentError("The file's name is not UTF-8", where=where, do="rename the file")
    if leads_out(path, root):
        do = "put the file itself into the folder"
        raise DocumentError("The link leads out of the folder", where=where, do=do)
    if path.is_symlink() and not path.exists():
        raise DocumentError("The link leads nowhere", where=where, do="remove it, or correct it")
    _check_kind(path, where)


def _check_kind(path: Path, where: str) -> None:
    kind = stat.S_IFMT(path.stat().st_mode)
    if kind == stat.S_IFDIR:
        next(path.iterdir(), None)  # an OSError says why its files could not be listed
    if kind != stat.S_IFREG:
        raise DocumentError("It is no file", where=where, found=KINDS.get(kind, "unknown"), do="remove it")
