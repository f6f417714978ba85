"""Documents of the tree say what is so: every path, name and decision they point at exists."""

import re
from pathlib import Path

import pytest

import ragassay

ROOT, LIBRARY = Path(__file__).parents[1], Path(ragassay.__file__).parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PLACES = re.compile(r"`((?:lib|notebooks|params|tests|docs|bench|training|reports)/[\w./*<>-]*)`")
DECISION = re.compile(r"\*\*(\d+)\. ")
REFERENCE = re.compile(r"[Dd]ecisions? ((?:\d+(?:, | and )?)+)")
OUTSIDE = re.compile(r"\b(?:DESIGN|FORMULAS|REPORT|LANGUAGE|TOOLCHAIN|ADAPTERS)(?:\.md|,? (?:section|chapter)?s? ?\d)")


def decisions() -> list[int]:
    return [int(number) for number in DECISION.findall((ROOT / "docs/decisions.md").read_text())]


def texts() -> list[Path]:
    kinds = ("*.py", "*.csv", "*.md", "*.ipynb")
    return [p for room in ("lib", "notebooks", "bench", "training") for kind in kinds for p in (ROOT / room).rglob(kind)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_a_page_names_exists(page):
    named = {place.split("<")[0] for place in PLACES.findall(page.read_text())}
    absent = [place for place in named if not place.startswith("reports/") and not list(ROOT.glob(place.rstrip("/")))]
    assert absent == []


def test_each_decision_has_a_number_of_its_own():
    assert sorted(decisions()) == list(range(1, len(decisions()) + 1))


def test_every_decision_pointed_at_exists():
    known = set(decisions())
    for path in texts():
        for found in REFERENCE.findall(path.read_text(encoding="utf-8")):
            assert {int(number) for number in re.findall(r"\d+", found)} <= known, f"{path}: decision {found}"


def test_nothing_points_out_of_the_tree():
    pointing = {p: OUTSIDE.findall(p.read_text(encoding="utf-8")) for p in texts()}
    assert {str(path): found for path, found in pointing.items() if found} == {}
