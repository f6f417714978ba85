"""Where results may go: never over an input, over what is there only if asked, and whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ragassay.errors import ELSEWHERE, OutputError, ParameterError


def check(
    *outputs: str | Path | None, inputs: Iterable[str | Path | None] = (), replace: bool = False
) -> None:
    """Refuse outputs that would cost something, before anything is computed; None stands for no file.

    inputs : files and folders that the same command reads; a file in such a folder is an input too
    replace : whether a file that is there may be written over; an input never is

    Raises
    ------
    ParameterError
        If an output is an input by any name (a link to it, another spelling), is named twice, is there
        already, is a folder, or lies where no file can be made.
    """
    read = [Path(path) for path in inputs if path is not None]
    written = [Path(path) for path in outputs if path is not None]
    for place, output in enumerate(written):
        for source in read:
            exist = output.exists() and source.exists()
            is_input = output.samefile(source) if exist else output.absolute() == source.absolute()
            if is_input or (exist and source.resolve() in output.resolve().parents):
                raise ParameterError(
                    "an output would be written over an input", where=output, found=source, do="name another"
                )
        if any(os.path.realpath(output) == os.path.realpath(other) for other in written[:place]):
            raise ParameterError("two outputs go into one file", where=output, do="name two")
        if output.exists() and not output.is_file():
            found = "a folder" if output.is_dir() else "a device or a pipe"
            raise ParameterError(f"an output is {found}, a file is wanted", where=output, do="name a file")
        if not replace and os.path.lexists(output):
            raise ParameterError(
                "a file is there already",
                where=output,
                do="name another, or replace it: --replace (replace=True)",
            )
        check_folder(output.parent)


def check_folder(folder: Path) -> None:
    """ParameterError if no file can be made in this folder, which need not exist yet."""
    found = next((place for place in (folder, *folder.absolute().parents) if os.path.lexists(place)), None)
    if found is not None and not found.is_dir():
        raise ParameterError("what an output lies below is no folder", where=found, do="name another place")
    if found is not None and not os.access(found, os.W_OK | os.X_OK):
        raise ParameterError("an output lies where you may not write", where=found, do=ELSEWHERE)


@contextmanager
def draft(path: str | Path) -> Iterator[Path]:
    """A file to write beside `path`, moved there in one step once all went well, and removed if not.

    Its folder is made where there is none.

    Raises
    ------
    OutputError
        If the folder or the move is refused; what is refused while writing is for `refusals` to tell.
    """
    place = Path(path)
    beside = place.with_name(f".{place.name}.draft")
    with refusals(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)  # of a run that was killed
    try:
        yield beside
        with refusals(place):
            beside.replace(place)
    finally:
        with suppress(OSError):  # where nothing was made, its folder is none
            beside.unlink(missing_ok=True)


@contextmanager
def refusals(place: str | Path) -> Iterator[None]:
    """Around the writing of `place`: what the system refuses (a full disk, say) becomes an OutputError."""
    try:
        yield
    except OSError as problem:
        raise OutputError.of(problem, place) from problem


def write_text(path: str | Path, text: str) -> None:
    """Write a text in UTF-8, whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write bytes, whole or not at all."""
    with draft(path) as beside, refusals(path):
        beside.write_bytes(content)
