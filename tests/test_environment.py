"""environment.yml gives Python and pip only, the rest is pyproject's; constraints.txt pins all of it and names no place."""

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
PINS = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.lstrip().startswith("#")
]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_one_channel_python_and_pip():
    python, pip, section = ENVIRONMENT["dependencies"]
    assert ENVIRONMENT["channels"] == ["conda-forge"] and ENVIRONMENT["name"] == PROJECT["name"]
    assert pip == "pip" and section == {"pip": ["-c constraints.txt", "-e .[lab]"]}
    assert SpecifierSet(PROJECT["requires-python"]).contains(python.removeprefix("python="))


def test_every_dependency_is_pinned_within_its_bounds():
    pinned = {canonical(pin.name): pin.specifier for pin in map(Requirement, PINS)}
    wanted = sum(PROJECT["optional-dependencies"].values(), PROJECT["dependencies"])
    for need in map(Requirement, wanted):
        version = str(pinned[canonical(need.name)]).removeprefix("==")
        assert need.specifier.contains(version), f"{need} is pinned to {version}"


def test_pins_are_exact_and_bound_to_no_machine():
    for line in PINS:
        pin = Requirement(line)
        assert [each.operator for each in pin.specifier] == ["=="] and pin.url is None, line
        assert not re.search(r"://|file:|\+cpu|^-", line), line
