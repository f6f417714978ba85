"""The pages are true: every notebook, room, verb, target, parameter, file and decision they name exists, and the reverse."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import ragassay
from ragassay.cli import cli
from ragassay.run import notebooks, parameters

ROOT, LIBRARY = Path(__file__).parents[1], Path(ragassay.__file__).parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
ROOMS = {path.parent.name for path in LIBRARY.glob("*/__init__.py")}
YOURS = ("reports/", "params/my-assistant.yml", "params/bank/")  # what a reader makes
PLACES = re.compile(r"`((?:lib|notebooks|params|tests|docs|bench|training|reports)/[\w./*<>-]*)`")
ROW = re.compile(r"^\| .+ \| `([\w./-]+)` \|$", re.MULTILINE)  # of the table "to change X open Y"
DECISION = re.compile(r"\*\*(\d+)\. ")
COMMAND = re.compile(r"(?:    |\$ )?(?:\.venv/bin/)?ragassay ([a-z].*)")
REFERENCE = re.compile(r"[Dd]ecisions? ((?:\d+(?:, | and )?)+)")
OUTSIDE = re.compile(
    r"\b(?:DESIGN|FORMULAS|REPORT|LANGUAGE|TOOLCHAIN|ADAPTERS)(?:\.md|,? (?:section|chapter)?s? ?\d)"
)


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def decisions() -> list[int]:
    return [int(number) for number in DECISION.findall(page("decisions.md"))]


def texts() -> list[Path]:
    kinds = ("*.py", "*.csv", "*.md", "*.ipynb")
    return [
        p
        for room in ("lib", "notebooks", "bench", "training")
        for kind in kinds
        for p in (ROOT / room).rglob(kind)
    ]


def test_every_notebook_has_a_row_and_every_row_a_notebook():
    assert re.findall(r"^\| (\d\d_\w+) \|", page("notebooks.md"), re.MULTILINE) == list(notebooks())


def test_every_room_is_on_the_map_and_every_room_on_it_exists():
    table = page("architecture.md").split("## The rooms")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)/` ", table, re.MULTILINE)) == ROOMS


def test_to_change_something_there_is_a_file_to_open():
    files = ROW.findall(page("architecture.md").split("## To change something")[1])
    places = [ROOT / file if (ROOT / file).exists() else LIBRARY / file for file in files]
    assert len(files) >= 20 and [place for place in places if not place.exists()] == []


def test_every_function_on_an_answers_way_exists():
    way = page("architecture.md").split("One answer on its way")[1].split("\n## ")[0]
    named = ", ".join(re.findall(r"^    \w+ +([\w.]+(?:, [\w.]+)*)", way, re.MULTILINE)).split(", ")
    defined = {
        n for p in LIBRARY.rglob("*.py") for n in re.findall(r"def (\w+)", p.read_text(encoding="utf-8"))
    }
    assert [name for name in named if name.rpartition(".")[2] not in defined] == []
    assert len(named) == int(re.findall(r"(\d+) functions", way)[0]) <= 25


def test_every_verb_exists_and_is_shown():
    shown = set(re.findall(r"\bragassay ([a-z]+)\b", TEXT))
    assert set(cli.commands) <= shown


def commands(text: str) -> Iterator[list[str]]:
    """The command lines of a page's blocks that call the kit, a line that goes on in the next as one."""
    for line in text.replace("\\\n", " ").splitlines():
        if found := COMMAND.match(line):
            yield shlex.split(found[1], comments=True)


@pytest.mark.parametrize("where", PAGES, ids=lambda path: path.name)
def test_every_command_of_a_page_parses(where):
    """Verbs, options and the types of their values are read; nothing is executed."""
    for words in commands(where.read_text(encoding="utf-8")):
        command, context = cli, None
        while isinstance(command, click.Group):
            context = click.Context(command, parent=context, **command.context_settings)
            command = command.commands[words.pop(0)]
        if not {"-h", "--help"} & set(words):
            command.make_context(str(command.name), words, parent=context)


def test_every_parameter_named_exists():
    declared = {f"{name}.{p.name}" for name, book in notebooks().items() for p in parameters.declared(book)}
    named = set(re.findall(r"`(\d\d_\w+\.\w+)`", TEXT))
    assert named and named <= declared


def test_every_make_target_exists():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)", TEXT)) <= targets


@pytest.mark.parametrize("where", PAGES, ids=lambda path: path.name)
def test_every_path_a_page_names_exists(where):
    named = [
        place for place in PLACES.findall(where.read_text(encoding="utf-8")) if not place.startswith(YOURS)
    ]
    assert [place for place in named if not list(ROOT.glob(place.rstrip("/")))] == []
    links = re.findall(r"\]\(([\w./-]+)\)", where.read_text(encoding="utf-8"))
    assert [link for link in links if not (where.parent / link).exists()] == []


def test_each_decision_has_a_number_of_its_own():
    assert len(set(decisions())) == len(decisions()) > 15


def test_every_decision_pointed_at_exists():
    known = set(decisions())
    for path in texts():
        for found in REFERENCE.findall(path.read_text(encoding="utf-8")):
            assert {int(number) for number in re.findall(r"\d+", found)} <= known, f"{path}: decision {found}"


def test_nothing_points_out_of_the_tree():
    pointing = {p: OUTSIDE.findall(p.read_text(encoding="utf-8")) for p in texts()}
    assert {str(path): found for path, found in pointing.items() if found} == {}
