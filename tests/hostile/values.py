"""Hostile values for an option: a number or a name that is none, a file of any kind to read, a place where nothing can be written."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import click

from hostile import files, payloads, rows
from hostile.sandbox import Sandbox

Given = dict[str, list[str]]  # parameter -> its values: none leaves it out, a flag takes [""]
ROLE = {name: name for name in rows.ROLES} | {"files": "labels"}  # by parameter; any other names a log
SUFFIXES = (".csv", ".jsonl", ".parquet", ".json", ".txt", "", ".CSV", ".jsonl.gz", ".xlsx")


@dataclass(frozen=True)
class Hostile:
    """A hostile value: what it is, in words; rows it holds; whether only a refusal is right."""

    values: list[str]
    about: str
    rows: int | None = None


def word(parameter: click.Parameter, random: Random, given: Given) -> Hostile:
    """A number, a choice, a name or a text that is not what is wanted."""
    sound = (given.get(parameter.name or "") or ["x"])[0]
    near = (sound[:-1], sound + "x", sound.upper(), f"{sound},{sound}", f"{sound}=x", "all", "nope")
    kinds = {"integer range": payloads.INTEGERS, "float range": payloads.FLOATS, "float": payloads.FLOATS}
    value = storable(random.choice(kinds.get(parameter.type.name, (*payloads.TEXTS, *near))))
    return Hostile([value], repr(value[:40]))


def storable(value: str) -> str:
    """The text as a shell could hand it over: no NUL, bytes that are no UTF-8 as the system escapes them."""
    return value.replace("\x00", "").replace("\ud800", "\udc80")[:100_000]


def input_path(name: str, random: Random, sandbox: Sandbox) -> Hostile:
    """A file of any kind in a parameter that names one to read; or a folder, a device, nothing."""
    if random.random() < 0.12:
        odd = ". .. / /dev/zero /dev/null nowhere.jsonl documents /etc/passwd ~ \udcff.csv".split()
        value = random.choice(["", *odd])
        return Hostile([value], repr(value))
    role = ROLE.get(name, "log")
    content = rows.ROLES[role]()
    content = rows.hostile(content, random) if random.random() < 0.7 else content
    usual = [".json"] if role == "templates" else [".jsonl", ".csv", ".parquet", ".xlsx", ".json"]
    kind = random.choice([*files.KINDS, *usual, *usual])
    folder = sandbox.work / "given"
    folder.mkdir(exist_ok=True)
    made = files.make(kind, content, folder, sandbox.markers, random)
    return Hostile([str(made.path.relative_to(sandbox.work))], made.about, made.rows)


def output(random: Random, sound: str, sandbox: Sandbox) -> Hostile:
    """Where nothing can, or should, be written: a file that stands there, an input, a folder, a device, an odd name."""
    suffix = Path(sound).suffix
    places = ["log.jsonl", "scores.csv", "documents", "documents/Tide.md/x" + suffix, "nowhere/x" + suffix]
    places += ["/dev/full", "/dev/null", "/proc/x" + suffix, "", ".", "documents/../log.jsonl"]
    places += ["reports/tiny/manifest.json", f"new{random.choice(SUFFIXES)}", "x" * 300 + suffix]
    places += [f"existing{suffix}", f"link{suffix}", f"outside{suffix}"]
    odd = storable(random.choice(payloads.NAMES)).replace("/", "_") + suffix
    value = random.choice([*places, odd, odd])
    _set_out(sandbox, suffix)
    return Hostile([value], repr(value[:40]))


def _set_out(sandbox: Sandbox, suffix: str) -> None:
    """A file that stands there, a link to an input, a link out of the working folder."""
    (sandbox.work / f"existing{suffix}").write_text("precious")
    (sandbox.root / "home" / "precious").write_text("precious")
    for name, to in (("link", "log.jsonl"), ("outside", str(sandbox.root / "home" / "precious"))):
        path = sandbox.work / f"{name}{suffix}"
        path.unlink(missing_ok=True)
        path.symlink_to(to)
