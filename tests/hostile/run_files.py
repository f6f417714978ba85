"""Parameter files, run folders and document folders: hostile ones for `run`, `report`, `verify`, `questions`."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from hostile import files, payloads, rows
from hostile.sandbox import Sandbox
from hostile.trial import Trial
from ragassay.run.engagement import SETTINGS
from ragassay.run.parameters import declared, notebooks

KIT = Path(__file__).parents[2] / "notebooks"
NEVER = "zz_no_such_notebook: {}\n"  # a flaw of its own: whatever else stands in the file, nothing may run
VALUES = (
    "-1", "0", "nan", ".inf", "1e-3", "null", "true", "on", "[]", "{}", "[nope]", "{nope: nope}", "2026-02-30", "nope", "''",
    "!!python/object/apply:os.system ['touch EXECUTED']", "!!python/name:os.system", "!!binary aGk=", "!!float x",
    "!!set {a, b}", "*nowhere", "&a [*a]", "{1: 2}", "{null: x}", "{on: x}", "{? [a]: b}", "../../etc/passwd", "/dev/zero",
    "'*'", "['*']", "['*:*', '0.0.0.0/0', 'host:99999', '']", "\"\\e[31m\\u202e\"", "99999999999999999999", "1.5", "'1'",
    "helper.py:ask", "os:system", "builtins:eval", "{groundedness: 'low >= nan'}", "{groundedness: 'low > = 0.8'}",
    "{groundedness: 'middle >= 0.8'}", "{groundednes: 'low >= 0.80, critical'}", "{a: b, a: c}", "xyz: [",
)  # fmt: skip
WHOLE: dict[str, Callable[[Random], str]] = {
    "empty": lambda random: "",
    "a list": lambda random: "- a\n- b\n",
    "a text": lambda random: "just words",
    "brackets": lambda random: "[" * 5000,
    "braces": lambda random: "a: " + "{" * 5000,
    "an alias bomb": lambda random: _alias_bomb(),
    "an alias of itself": lambda random: "00_scope: &a\n  title: *a\n",
    "integer keys": lambda random: "1: 2\n00_scope: {3: 4}\n",
    "null keys": lambda random: "null: x\n~: y\n",
    "a section twice": lambda random: "00_scope: {title: a}\n00_scope: {title: b}\n",
    "a name twice": lambda random: "00_scope: {title: a, title: b}\n",
    "two documents": lambda random: "00_scope: {}\n---\n00_scope: {}\n",
    "tabs": lambda random: "00_scope:\n\ttitle: x\n",
    "a merge key": lambda random: "a: &a {x: 1}\n00_scope: {<<: *a}\n",
    "a NUL": lambda random: "00_scope: {title: 'a\0b'}\n",
    "escapes": lambda random: '"\\e[31m\\u202e": {"\\x07": 1}\n',
    "1 MB": lambda random: "00_scope:\n  title: " + "x" * 1_000_000 + "\n" + NEVER,
    "many sections": lambda random: "".join(f"s{i}: {{}}\n" for i in range(3000)),
    "tags": lambda random: "!!python/object/apply:os.system ['touch EXECUTED']\n",
    "a nested tag": lambda random: (
        "00_scope:\n  title: !!python/object/apply:subprocess.check_output [[touch, EXECUTED]]\n"
    ),
}


def _alias_bomb() -> str:
    pairs = zip("abcdefgh", "bcdefghi", strict=True)
    lines = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in pairs]
    return "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(lines)


def parameter_file(random: Random, sandbox: Sandbox) -> Trial:
    """A parameter file of the kit's own notebooks that must be refused before anything runs."""
    for book in KIT.glob("[0-9][0-9]_*.ipynb"):
        (sandbox.work / "notebooks" / book.name).write_bytes(book.read_bytes())
    if random.random() < 0.35:
        about = random.choice(list(WHOLE))
        content = WHOLE[about](random)
        refused = about != "empty"
        content = content if refused else NEVER
    else:
        about, content = _departures(random)
        refused = True
    path = sandbox.work / f"{_odd_name(random)}.yml"
    path.write_text(content, encoding="utf-8")
    given = ["--reports", "new", "--", path.name]
    return Trial(("run",), f"YAML: {about}", given, outputs=[], refused=refused, bound_s=30)


def _odd_name(random: Random) -> str:
    names = [name for name in payloads.NAMES if "/" not in name and name != "x" * 200]
    return "odd" if random.random() < 0.8 else random.choice(names)


def _departures(random: Random) -> tuple[str, str]:
    """One to four parameters of one section set to something they do not take."""
    sections = {"run": list(SETTINGS)} | {name: declared(path) for name, path in notebooks(KIT).items()}
    section = random.choice(list(sections))
    drawn = random.sample(sections[section], min(random.randrange(1, 5), len(sections[section])))
    values = {each.name: random.choice(VALUES) for each in drawn}
    lines = "".join(f"  {name}: {value}\n" for name, value in values.items())
    return f"{section}: {values}", f"{section}:\n{lines}{NEVER}"


def run_folder(verb: str, random: Random, sandbox: Sandbox) -> Trial:
    """A finished run in which one thing was changed, for `report`, `verify` and `explore`."""
    folder = sandbox.work / "reports" / "tiny"
    about = random.choice(list(CHANGES))
    CHANGES[about](folder, sandbox, random)
    outputs = {"report": ["reports/tiny"], "explore": ["reports/tiny-explore"]}.get(verb, [])
    refused = verb == "verify" and about not in UNTOUCHED
    return Trial((verb,), f"run folder: {about}", ["reports/tiny"], outputs, refused=refused, bound_s=60)


def _file(folder: Path, random: Random) -> Path:
    found = sorted(p for p in folder.rglob("*") if p.is_file() and ".state" not in p.parts)
    return random.choice([path for path in found if path.name != "manifest.json"])


def _overwritten(folder: Path, sandbox: Sandbox, random: Random) -> None:
    path = _file(folder, random)
    path.write_bytes(path.read_bytes() + b" ")


def _swapped(folder: Path, sandbox: Sandbox, random: Random) -> None:
    path = _file(folder, random)
    kind = path.suffix if path.suffix in files.WRITERS else ".txt"
    made = files.make(kind, rows.hostile(rows.log(), random), sandbox.root / "tmp", sandbox.markers, random)
    path.unlink()
    made.path.rename(path)


def _added(folder: Path, sandbox: Sandbox, random: Random) -> None:
    name = random.choice(["extra.html", "tables/extra.parquet", "notebooks/99_extra.ipynb", "REPORT.HTML"])
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")


def _manifest(change: Callable[[dict], object]) -> Callable[[Path, Sandbox, Random], None]:
    def edit(folder: Path, sandbox: Sandbox, random: Random) -> None:
        path = folder / "manifest.json"
        content = json.loads(path.read_text())
        changed = change(content)
        path.write_text(json.dumps(content if changed is None else changed))

    return edit


def _raw(content: str) -> Callable[[Path, Sandbox, Random], None]:
    return lambda folder, sandbox, random: (folder / "manifest.json").write_text(content) and None


def _linked(to: str) -> Callable[[Path, Sandbox, Random], None]:
    def replace(folder: Path, sandbox: Sandbox, random: Random) -> None:
        path = _file(folder, random)
        path.unlink()
        path.symlink_to(to)

    return replace


def _entry(path: object) -> dict:
    return {"path": path, "sha256": "0" * 64}


CHANGES: dict[str, Callable[[Path, Sandbox, Random], None]] = {
    "nothing": lambda folder, sandbox, random: None,
    "a file edited": _overwritten,
    "a file swapped for a hostile one": _swapped,
    "a file removed": lambda folder, sandbox, random: _file(folder, random).unlink(),
    "a file added": _added,
    "a link to /dev/zero": _linked("/dev/zero"),
    "a link to nothing": _linked("nowhere"),
    "a link to /etc/passwd": _linked("/etc/passwd"),
    "manifest emptied": _manifest(lambda content: {}),
    "manifest without artefacts": _manifest(lambda content: content.update(artefacts=[])),
    "manifest without inputs": _manifest(lambda content: content.update(inputs=[])),
    "manifest of lists": _manifest(lambda content: [1, 2]),
    "manifest with ../": _manifest(lambda content: content["artefacts"].append(_entry("../../input.txt"))),
    "manifest with /dev/zero": _manifest(lambda content: content["inputs"].append(_entry("/dev/zero"))),
    "manifest with odd types": _manifest(lambda content: content.update(artefacts=[_entry(1), "x", None])),
    "manifest's parameters": _manifest(lambda content: content.update(parameters={"00_scope": {"seed": 99}})),
    "manifest with escapes": _manifest(lambda content: content["artefacts"].append(_entry("\x1b[31m\u202e"))),
    "manifest broken": _raw("{ broken"),
    "manifest nested": _raw("[" * 100_000),
    "manifest of NULs": _raw("\0" * 100),
}
UNTOUCHED = {"nothing"}


def documents(random: Random, sandbox: Sandbox) -> Trial:
    """A folder of documents of every kind, some spoilt, some named as no file should be, links out of it."""
    folder = sandbox.work / "documents"
    for _ in range(random.randrange(1, 5)):
        kind = random.choice([".txt", ".md", ".html", ".pdf", ".docx", ".jsonl"])
        files.make(kind, rows.hostile(rows.log(), random), folder, sandbox.markers, random)
    (folder / "out.md").symlink_to("/etc/passwd")
    text = "# Bytes\n\nThe fee of the byte account is $3.00 a month.\n"
    (folder / os.fsdecode(b"\xff\xfe.md")).write_text(text)
    (folder / "deep").mkdir()
    (folder / "deep" / "loop").symlink_to("..")
    words = ["--documents", "documents", "--out", "new.jsonl", "--n", "5"]
    return Trial(("questions",), "documents", words, ["new.jsonl"], bound_s=120)
