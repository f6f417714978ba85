"""Ways to spoil a file: cut, flipped, packed as a bomb, replaced by a pickle, a pipe, a device."""

import gzip
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from hostile import payloads


def _bomb(path: Path, markers: Path, random: Random) -> None:
    """20 MB of nothing in 20 kB, as the kind packs it."""
    if path.suffix in (".docx", ".xlsx"):
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("word/bomb.xml", b" " * 20_000_000)
    else:
        path.write_bytes(gzip.compress(b" " * 20_000_000))


def _prefixed(head: bytes) -> Callable[[Path, Path, Random], None]:
    return lambda path, markers, random: path.write_bytes(head + path.read_bytes()) and None


def _bytes(change: Callable[[bytes, Random], bytes]) -> Callable[[Path, Path, Random], None]:
    return lambda path, markers, random: path.write_bytes(change(path.read_bytes(), random)) and None


def _flipped(content: bytes, random: Random) -> bytes:
    found = bytearray(content or b"x")
    for _ in range(20):
        found[random.randrange(len(found))] = random.randrange(256)
    return bytes(found)


def _in_its_place(make_it: Callable[[Path], None]) -> Callable[[Path, Path, Random], None]:
    def replace(path: Path, markers: Path, random: Random) -> None:
        path.unlink()
        make_it(path)

    return replace


SPOILERS: dict[str, Callable[[Path, Path, Random], None]] = {
    "empty": _bytes(lambda content, random: b""),
    "cut": _bytes(lambda content, random: content[: random.randrange(len(content) + 1)]),
    "flipped": _bytes(_flipped),
    "of nul bytes": _bytes(lambda content, random: b"\0" * 5000),
    "of random bytes": _bytes(lambda content, random: random.randbytes(5000)),
    "behind a BOM": _prefixed(b"\xef\xbb\xbf"),
    "in UTF-16": _bytes(lambda content, random: content.decode("latin-1").encode("utf-16")),
    "one line of 2 MB": _bytes(lambda content, random: b"x" * 2_000_000),
    "brackets": _bytes(lambda content, random: b"[" * 100_000),
    "twice": _bytes(lambda content, random: content + content),
    "bomb": _bomb,
    "a pickle": lambda path, markers, random: path.write_bytes(payloads.pickled(markers, "pickle")) and None,
    "no permission": lambda path, markers, random: path.chmod(0),
    "a folder": _in_its_place(Path.mkdir),
    "a link to itself": _in_its_place(lambda path: path.symlink_to(path.name)),
    "a link to nothing": _in_its_place(lambda path: path.symlink_to("nowhere")),
    "a pipe": _in_its_place(os.mkfifo),
    "/dev/zero": _in_its_place(lambda path: path.symlink_to("/dev/zero")),
    "/dev/null": _in_its_place(lambda path: path.symlink_to("/dev/null")),
}
