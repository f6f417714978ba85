"""The notebooks as they are committed: eight of one shape, without outputs."""

import ast
import re
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from ragassay.run import engagement, notebooks, parameters

ROOT = Path(__file__).parents[1]
NAMES = "00_scope 01_test_generation 02_functionality 03_risk_safety 04_calibration".split()
NAMES += "05_robustness 06_weakness 07_conclusion".split()
MOST_CELLS, MOST_LINES, MOST_NAMES, MOST_PARAMETERS = 20, 12, 12, 12
DECLARING = ("00_scope", "07_conclusion")  # what the engagement declares may be more
TAGS = {"parameters", "annex", "limits"}
# parameters of text that no list of words could hold: names, addresses and what people declare
FREE = set(
    (
        "alternatives approver architecture assistant assumptions bbq challengers classification "
        "closures cover_note crossed data_cutoff database developer developer_testing dimensions "
        "distribution finding_owner impacts independence intake_test judge judge_model languages map "
        "matrix meanings model_id model_name model_version next_review owner period previous_rating "
        "prohibited_uses purpose question_writers raters reporting_line run_dir segments system "
        "tier_reasons title triggers users validator vendor_components waivers "
    ).split()
)
BENCHMARK = "../shared/data/mtrag_human/dev.jsonl.gz"  # named by params/mtrag.yml; not part of the project


class Notebook:
    """A notebook's cells, and its code as syntax trees."""

    def __init__(self, path: Path):
        self.path, self.name, self.cells = path, path.stem, nbformat.read(path, as_version=4).cells
        self.code = [cell for cell in self.cells if cell.cell_type == "code"]
        self.trees = [ast.parse(cell.source) for cell in self.code]
        self.tagged = [cell for cell in self.cells if "parameters" in cell.metadata.get("tags", [])]


@pytest.fixture(params=NAMES, scope="module")
def book(request) -> Notebook:
    return Notebook(ROOT / "notebooks" / f"{request.param}.ipynb")


def test_there_are_exactly_these():
    assert sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb")) == NAMES
    assert list(notebooks(ROOT / "notebooks")) == NAMES


def test_it_is_a_valid_notebook(book):
    nbformat.validate(nbformat.read(book.path, as_version=4))


def test_it_is_committed_without_outputs(book):
    assert all(not cell.outputs and cell.execution_count is None for cell in book.code)


def test_it_opens_with_its_number_and_question(book):
    assert book.cells[0].cell_type == "markdown" and book.cells[0].source.startswith(
        f"# {int(book.name[:2])} · "
    )


def test_it_can_be_held_in_the_head(book):
    """At most 20 code cells of at most 12 lines, and 12 imported names; options of a cell aside."""
    imported = [
        node
        for tree in book.trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = {alias.asname or alias.name for node in imported for alias in node.names}
    names -= {
        name
        for node in ast.walk(book.trees[0])
        if isinstance(node, ast.ImportFrom)
        for name in (a.name for a in node.names)
    }
    assert len(book.code) <= MOST_CELLS and len(names) <= MOST_NAMES
    assert [cell.source for cell in book.code[1:] if len(lines_of(cell)) > MOST_LINES] == []


def lines_of(cell) -> list[str]:
    """The lines of a cell that an analyst reads as code."""
    tree = ast.parse(cell.source)
    imports = {
        n
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for n in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(cell.source.splitlines(), 1)
    return [line for n, line in lines if n not in imports and line.strip() and not line.startswith("#|")]


def test_it_has_few_parameters(book):
    most = 99 if book.name in DECLARING else MOST_PARAMETERS
    assert len({p.name for p in parameters.declared(book.path)} - {"run_dir", "seed"}) <= most


def test_nothing_stands_on_guard(book):
    """What is empty says so itself."""
    assert [c.source for c in book.code if re.search(r"\belse None\b|\bshow\.|provenance\.", c.source)] == []


def test_its_tags_are_known(book):
    """A misspelt tag would leave its cell where nobody looks for it."""
    tags = [cell.metadata.get("tags", []) for cell in book.cells]
    assert {tag for each in tags for tag in each} <= TAGS and max(map(len, tags)) <= 1


def test_its_parameters_are_declared_and_explained(book):
    assert len(book.tagged) == 1 and book.tagged[0] is book.code[0]
    declared = parameters.declared(book.path)
    assert declared[0].name == "run_dir" and len({p.name for p in declared}) == len(declared)
    assert [p.name for p in declared if not p.help] == []


def test_its_defaults_have_the_types_declared(book):
    schema = parameters.declared(book.path)
    defaults = {p.name: p.default for p in schema}
    assert parameters.model(book.name, schema).model_validate(defaults).model_dump() == defaults


def test_its_numbers_and_choices_have_a_range(book):
    """A number states its range; what is no number is a choice, a name the runner knows, or text anybody may write."""
    declared = parameters.declared(book.path)
    assert [p.name for p in declared if p.annotation in parameters.NUMBERS and p.range is None] == []
    words = {p.name for p in declared if p.annotation in parameters.WORDS and p.range is None}
    assert sorted(words - FREE) == []


def test_every_name_it_uses_is_bound_before(book):
    """A misspelt name, or one that only a removed cell gave, is found here and not after a minute's run."""
    bound = set(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)
    for tree in book.trees:
        nodes = list(ast.walk(tree))
        bound |= {
            (alias.asname or alias.name).split(".")[0]
            for n in nodes
            if isinstance(n, ast.Import | ast.ImportFrom)
            for alias in n.names
        }
        bound |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        assert {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} <= bound


def test_every_part_of_the_library_that_it_names_is_there(book):
    """A renamed module that a notebook reached through another stopped a run after minutes, and no test."""
    given: dict = {}
    for node in (node for tree in book.trees for node in tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            exec(compile(ast.Module([node], []), book.name, "exec"), given)
    modules = {name: value for name, value in given.items() if isinstance(value, ModuleType)}
    named = [node for tree in book.trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    reached = [node for node in named if isinstance(node.value, ast.Name) and node.value.id in modules]
    assert [ast.unparse(node) for node in reached if not hasattr(modules[node.value.id], node.attr)] == []


def test_its_headings_leave_the_numbers_to_the_report(book):
    lines = [line for cell in book.cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    assert [line for line in lines if re.match(r"##+ [0-9]", line)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "params").glob("*.yml")), ids=lambda path: path.name)
def test_the_parameter_files_fit(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    if path.name == "mtrag.yml" and not (ROOT / BENCHMARK).exists():
        pytest.skip("needs the user's own copy of MTRAG's judged answers in ../shared/data")
    engagement.load(path, {name: parameters.declared(ROOT / "notebooks" / f"{name}.ipynb") for name in NAMES})


def test_the_figures_of_hcat_are_there_by_name():
    captions = " ".join(
        cell.source
        for name in NAMES
        for cell in Notebook(ROOT / "notebooks" / f"{name}.ipynb").code
        if "#| fig-cap" in cell.source
    )
    assert (
        all(f"HCAT figure {number}" in captions for number in (1, 2, 3, 4))
        and "HCAT figures 5 to 7" in captions
    )
