"""The site: every page is in its navigation, every method and metric on one page, snippets give what stands below
them, and what is built loads nothing from elsewhere."""

import doctest
import importlib.util
import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import yaml

from ragassay.decision import gates
from ragassay.report.document_control import methods
from ragassay.run import notebooks, parameters
from ragassay.scores.metric_registry import FAMILIES, METHODS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"\d\d_\w+")
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|use)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*href=["']?(?:https?:)?//[^>]*>|(?:url\(|@import)\s*["']?(?:https?:)?//"""
)


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def blocks(page: Path, kind: str) -> list[str]:
    return [text for found, text in BLOCK.findall(page.read_text(encoding="utf-8")) if found == kind]


def leaves(entry) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for each in (entry.values() if isinstance(entry, dict) else entry) for page in leaves(each)]


def those_with(kind: str, sign: str = "") -> list[Path]:
    return [page for page in PAGES if any(sign in text for text in blocks(page, kind))]


def of_theme(name: str):
    """A module of docs/theme, which mkdocs loads by its path."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", DOCS / "theme" / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def hook():
    return of_theme("pages")


def test_what_counts_as_loaded_from_elsewhere():
    links = '<script src="https://x.example/a.js">', '<link rel="stylesheet" href="https://x.example/a.css">'
    assert all(map(LOADED.search, ("@import url(//x.example/a)", *links)))
    assert not LOADED.search('<a href="https://x.example">x</a> <script src="assets/a.js"> <img src="a.png">')


def test_every_page_is_in_the_navigation_once():
    listed = leaves(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    assert {name_of(page) for page in PAGES} <= set(listed)
    assert [page for page, times in Counter(listed).items() if times > 1] == []


def test_every_method_and_every_family_stands_on_one_page(hook):
    families = [name for page in PAGES for name in hook.marked(page, "family")]
    others = [name for page in PAGES for name in hook.marked(page, "method")]
    assert sorted(families) == sorted(FAMILIES)
    assert sorted(others) == sorted(each.name for each in methods() if each not in METHODS)


def test_a_family_is_told_with_its_formula_and_a_card_for_each_metric(hook):
    told = hook.families("similarity, transport")
    assert "<math" in told and "Departure." in told and "HCAT 3.1 to 3.4" in told
    wanted = [metric.name for name in ("similarity", "transport") for metric in FAMILIES[name]]
    assert re.findall(r"^#### `(\w+)`", told, re.MULTILINE) == wanted


def test_what_a_row_says_cannot_become_markup(hook):
    assert "<b>" not in hook._definitions([("meaning", "<b>x</b>")]) + hook._paragraph("<b>x</b>")


def test_a_docstring_of_the_house_is_read_as_names_and_meanings():
    told = "Sum.\n\nParameters\n----------\na, b : numbers,\n    finite\n\nSource\n------\nHCAT 3."
    read = "Sum.\n\n\nParameters\n----------\na, b\n    numbers,\n    finite\n\n\n**Source.** HCAT 3."
    rewrite = of_theme("docstrings").in_numpy_style
    assert rewrite(told) == read
    assert rewrite("Row.\na : one\nb : two\n    more") == "Row.\n\n- `a`: one\n- `b`: two\n    more"


def test_the_cell_of_the_tutorial_draws_the_words_of_an_answer():
    import seaborn as sns

    [cell] = blocks(DOCS / "tutorial.md", "python")
    wide = pd.DataFrame({"answer": ["one two three", "four"] * 10, "answer_type": ["fact", "list"] * 10})
    sns.mpl.pyplot.close("all")  # of other tests
    exec(cell, {"wide": wide, "sns": sns})
    assert wide["words"].mean() == 2.0 and sns.mpl.pyplot.gca().get_xlabel() == "words"
    sns.mpl.pyplot.close("all")


@pytest.mark.parametrize("page", those_with("python", ">>> "), ids=name_of)
def test_a_worked_number_is_what_stands_below_it(page):
    space: dict = {}
    for text in blocks(page, "python"):
        found = doctest.DocTestParser().get_doctest(text, space, name_of(page), str(page), 0)
        assert doctest.DocTestRunner(verbose=False).run(found, clear_globs=False).failed == 0
        space |= found.globs


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_snippet_is_python_or_json_as_it_says(page):
    for text in blocks(page, "python"):
        compile("" if ">>> " in text else text, str(page), "exec")
    for text in blocks(page, "json"):
        json.loads(text)


@pytest.mark.parametrize("page", those_with("yaml"), ids=name_of)
def test_the_parameters_and_gates_of_a_snippet_would_be_taken(page):
    declared = {name: {each.name for each in parameters.declared(book)} for name, book in notebooks().items()}
    for text in blocks(page, "yaml"):
        found = yaml.safe_load(text)
        for section in filter(SECTION.fullmatch, map(str, found)):
            assert set(found[section]) <= declared[section]
            gates.parse(found[section].get("gates", {}))


@pytest.mark.slow
def test_the_site_is_built_without_a_broken_link_and_loads_nothing_from_elsewhere(tmp_path, monkeypatch):
    """Strict: a link to a page or heading that is not there ends the build."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    monkeypatch.chdir(ROOT)
    config = load_config("mkdocs.yml", site_dir=str(tmp_path / "site"))
    config.plugins.run_event("startup", command="build", dirty=False)
    build(config)
    pages = {path: path.read_text(encoding="utf-8") for path in built_files(tmp_path / "site")}
    assert {str(path): LOADED.findall(text) for path, text in pages.items() if LOADED.search(text)} == {}
    assert (
        tmp_path / "site" / "search" / "search_index.js"
    ).is_file()  # read where a page is opened from a folder
    methods_pages = "".join(text for path, text in pages.items() if path.parent.name == "methods")
    listed = [metric.name for family in FAMILIES.values() for metric in family]
    assert [name for name in listed if f'id="{name}"' not in methods_pages] == []


def built_files(site: Path) -> list[Path]:
    return [path for kind in ("*.html", "*.css") for path in site.rglob(kind)]
