"""The words of docs/terms.md: what it bans stands in no notebook, no text of the library and no document."""

import ast
import json
import re
from pathlib import Path

import pytest

import ragassay
from ragassay.scores.display_names import is_named

ROOT, LIBRARY = Path(__file__).parents[1], Path(ragassay.__file__).parent
TERMS = ROOT / "docs" / "terms.md"
OF_REGULATION = r"human[ -](?:in the loop|oversight|review|judge?ments?)"
UNREAD = (
    "decision/findings/",
    "answers/",
    "cases/data/",
    "example/",
    "models/judge/",
    "report/profiles/",
    "report/references.csv",
)  # others' words


def banned() -> list[str]:
    """The phrases of the first table."""
    table = TERMS.read_text(encoding="utf-8").split("| not | but |")[1].split("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    return [phrase.strip() for cell in cells for phrase in cell.split(",")]


BANNED = re.compile(
    r"(?<![\w`./,-])(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in banned()) + r")(?![\w`,-]\w|[\w`-])",
    re.IGNORECASE,
)  # fmt: skip


def found(text: str) -> list[str]:
    """The banned phrases in a text for readers, with what stands around them."""
    seen = re.sub(OF_REGULATION, "", text, flags=re.IGNORECASE)
    return [seen[max(hit.start() - 30, 0) : hit.end() + 30] for hit in BANNED.finditer(seen)]


def sentences(source: str) -> list[str]:
    """The strings of Python code that hold several words, without its docstrings."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node, clean=False)
    }
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [
        node.value
        for node in strings
        if isinstance(node.value, str) and " " in node.value.strip() and id(node) not in docstrings
    ]


OF_OPTIONS = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OF_NOTEBOOKS = re.compile(r"\b0\d_[a-z]+(?:_[a-z]+)*\b")
OF_CODE = re.compile(r"(?<![\w./:-])[a-z]+(?:_[a-z0-9]+)+(?![\w/]|\.[a-z])")


def raw_names(text: str) -> list[str]:
    """The names in a text for readers that only code has: options of the command line, notebooks, and words
    with underscores that are no file."""
    return [*OF_OPTIONS.findall(text), *OF_NOTEBOOKS.findall(text), *OF_CODE.findall(text)]


def texts_of(notebook: Path) -> list[str]:
    """What a notebook says: its prose, the sentences of its code, the help of its parameters."""
    texts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        is_read = cell["cell_type"] == "markdown" or "parameters" in cell["metadata"].get("tags", [])
        texts += [source] if is_read else sentences(source)
    return texts


def read_by_people(path: Path) -> bool:
    return not path.relative_to(LIBRARY).as_posix().startswith(UNREAD)


def test_what_the_table_bans():
    assert {"beyond chance", "human", "share alike"} <= set(banned()) and len(banned()) >= 30
    assert found("worse beyond\nchance") and found("two Humans judged") and found("strata")
    assert not found("a human in the loop, `human`, human_made, illustrata, chunks.strata.parquet")


def test_what_counts_as_a_raw_name():
    """Names that reached a reader, and what may stand there: files, words with hyphens, a machine's kind."""
    text = "state it (00_scope, unchecked_text); groundedness_min (1 of 3); run --fresh again"
    assert set(raw_names(text)) == {"--fresh", "00_scope", "unchecked_text", "groundedness_min"}
    assert raw_names("see metric_cards.csv, attachments/row_level.csv, x86-64, well-known, a -- b") == []


def test_the_texts_of_the_library():
    paths = list(filter(read_by_people, sorted(LIBRARY.rglob("*.py"))))
    texts = [(path, text) for path in paths for text in sentences(path.read_text(encoding="utf-8"))]
    assert len(paths) > 300 and [(path, hit) for path, text in texts for hit in found(text)] == []


@pytest.mark.parametrize(
    "path",
    [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", *filter(read_by_people, sorted(LIBRARY.rglob("*.csv")))],
    ids=lambda path: path.name,
)  # fmt: skip
def test_the_documents(path):
    text = path.read_text(encoding="utf-8")
    assert found(text.split("| not | but |")[1].split("\n\n", 1)[1] if path == TERMS else text) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_the_notebooks(path):
    assert [hit for text in texts_of(path) for hit in found(text)] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_no_prose_of_a_notebook_names_a_metric_or_a_notebook_as_code_does(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    prose = " ".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    names = [word for word in re.findall(r"[a-z0-9]+(?:_[a-z0-9]+)+", prose) if is_named(word)]
    assert names + re.findall(r"(?<![(\w])0\d_[a-z_]+(?!\.ipynb)\b", prose) == []
