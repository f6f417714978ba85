"""The README is true: every notebook, room, verb, target, parameter and file that it names exists, and the reverse."""

import re
from pathlib import Path

from ragassay.cli import cli
from ragassay.run import notebooks, parameters

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROOMS = {
    path.name
    for path in (ROOT / "lib" / "ragassay").iterdir()
    if path.suffix in ("", ".py") and not path.name.startswith("_")
}


def test_every_notebook_has_a_row_and_every_row_a_notebook():
    assert re.findall(r"^\| (\d\d_\w+) \|", README, re.MULTILINE) == list(notebooks())


def test_every_room_is_on_the_map():
    table = README[README.index("## A map of the rooms") :]
    named = set(re.findall(r"`(\w+)/`", table)) | set(re.findall(r"`(\w+\.py)`", table))
    assert ROOMS - named <= {"cli/main.py"}
    assert named <= ROOMS


def test_every_verb_exists():
    assert set(re.findall(r"\bragassay (init|doctor|run|report|verify|\w+) [\w./-]*", README)) & set(
        cli.commands
    ) == {"calibrate", "grounded", "init", "instruments", "label", "questions", "run", "score", "verify"}
    assert "ragassay doctor" in README and "doctor" in cli.commands


def test_every_parameter_named_exists():
    declared = {f"{name}.{p.name}" for name, book in notebooks().items() for p in parameters.declared(book)}
    named = set(re.findall(r"`(\d\d_\w+\.\w+)`", README))
    assert named and named <= declared


def test_every_make_target_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(
        re.search(rf"^{target}:", makefile, re.MULTILINE) for target in re.findall(r"\bmake (\w+)", README)
    )


def test_every_file_named_exists():
    for name in re.findall(r"`((?:lib|tests|notebooks|params)/[\w./-]+\.\w+)`", README):
        assert (ROOT / name).exists() or name == "params/my-assistant.yml", name
    assert (ROOT / "reports" / "report.png").exists()
