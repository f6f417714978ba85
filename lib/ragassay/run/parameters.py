"""Parameters as the notebooks declare them: the tagged cell is the schema, `name: type = default  # help; in
(0, 1)`; a pydantic model is made of it.

The help is the comment after the value, after the comment lines right above it if there are any. It ends in
the range of the value (`ragassay.parameter_ranges`), where there is one; `one of ragassay.MODULE.NAME` stands
for the names that this registry of the library holds.
"""

import ast
import io
import json
import re
import tokenize
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import ragassay
from ragassay import parameter_ranges, search_paths
from ragassay.errors import InputError, ParameterError

if TYPE_CHECKING:
    import pydantic

PACKAGE = Path(ragassay.__file__).parent
# What a value names, by the word in a notebook. Documents: a folder, or .jsonl of passages; Model: a folder,
# or a Hugging Face name on this machine; Date: YYYY-MM-DD; Profile, Probes: a shipped one by name, or a CSV.
# Metrics: names in METRICS or file.py:name, parted by commas or as a list; Dimension: a key of accept_from;
# ScorecardMetric: a metric, a rate of the scorecard, or judged_DIMENSION; Assistant: named, or described.
File = Folder = Documents = Model = Date = Profile = Probes = str
Metric = Metrics = Dimension = ScorecardMetric = Assistant = str
Columns = Gates = dict[str, str]  # our column: that of the log; metric of the scorecard: rule
TYPES: dict[str, Any] = {
    **dict.fromkeys("str File Folder Documents Model Date Profile Probes Metric Dimension".split(), str),
    "ScorecardMetric": str,
    "Assistant": str | dict[str, Any],
    "Metrics": str | list[str],
    "int": int,
    "float": float,
    "bool": bool,
    **dict.fromkeys(("list[str]", "list[ScorecardMetric]"), list[str]),
    "list[float]": list[float],
    "dict[str, float]": dict[str, float],
    **dict.fromkeys(("dict[str, str]", "dict[Metric, Dimension]", "Columns", "Gates"), dict[str, str]),
}
_REGISTRY = re.compile(r"(?<=\bone of )(ragassay[\w.]*)\.(\w+)")
NUMBERS = ("int", "float", "list[float]", "dict[str, float]")
WORDS = ("str", "list[str]", "dict[str, str]", "Profile")
GIVEN_BY_RUNNER = "run_dir"
# settings of the section `run` that name a model of the user's, or the thresholds chosen for one
MODELS = ("encoder", "entailment", "thresholds", "support", "toxicity", "language_model")


@dataclass(frozen=True)
class Parameter:
    """One entry of a parameters cell; `range` is what the help ends in: of a list that of its elements, of a
    mapping that of its values."""

    name: str
    annotation: str
    default: Any
    help: str
    range: parameter_ranges.Range | None = None

    def as_taken(self, value: Any) -> Any:
        """The value as the notebook takes it: a description that is written out becomes its text, a list
        of metrics their names parted by commas."""
        if self.annotation == "Metrics" and isinstance(value, list):
            return ", ".join(value)
        written_out = self.annotation == "Assistant" and isinstance(value, dict)
        return json.dumps(value, sort_keys=True, ensure_ascii=False) if written_out else value

    @property
    def type(self) -> Any:
        """The type for pydantic, with the range; a profile may be the path of a file, which is no word."""
        from pydantic import AfterValidator

        kind = TYPES[self.annotation]
        is_bounded = self.range is not None and self.annotation != "Profile"
        return Annotated[kind, AfterValidator(self._checked)] if is_bounded else kind

    def _checked(self, value: Any) -> Any:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
        for part in parts:
            if self.range is not None and not self.range.holds(part):
                raise ValueError(repr(part))
        return value


def model(section: str, schema: list[Parameter]) -> "type[pydantic.BaseModel]":
    """The pydantic model of a section: its parameters with type, range, default and help; strict, and without
    a place for a name that is none."""
    import pydantic

    fields: dict[str, Any] = {p.name: (p.type, pydantic.Field(p.default, description=p.help)) for p in schema}
    config = pydantic.ConfigDict(strict=True, extra="forbid", protected_namespaces=())
    return pydantic.create_model(section, __config__=config, **fields)


def notebooks_folder() -> Path:
    """The notebooks: of the project one works in, else of the engagement's own folder, else those installed
    with the package."""
    for folder in [*search_paths.folders(), PACKAGE, PACKAGE.parents[1]]:
        if (folder / "notebooks" / "00_scope.ipynb").exists():
            return folder / "notebooks"
    raise InputError("the notebooks are not found", where=search_paths.project(), do="reinstall the package")


def notebooks(folder: Path | None = None) -> dict[str, Path]:
    """Notebook name -> path, in the order of execution."""
    return {path.stem: path for path in sorted((folder or notebooks_folder()).glob("[0-9][0-9]_*.ipynb"))}


def schemas(books: dict[str, Path] | None = None) -> dict[str, list[Parameter]]:
    """Notebook name -> the parameters it declares."""
    return {name: declared(book) for name, book in (books or notebooks()).items()}


def declared(notebook: Path) -> list[Parameter]:
    """The parameters a notebook declares in the cell tagged `parameters`, in order.

    Raises ParameterError if the notebook has no such cell, cannot be read, or an entry of it has no
    annotation, no literal default, or a malformed range."""
    import nbformat

    try:
        cells = nbformat.read(search_paths.regular(notebook), as_version=4).cells
    except Exception as problem:
        raise ParameterError("a notebook cannot be read", where=notebook, found=problem) from problem
    tagged = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if not tagged:
        raise ParameterError("a notebook has no cell tagged 'parameters'", where=notebook.name)
    return parse(tagged[0], notebook.name)


def parse(source: str, notebook: str) -> list[Parameter]:
    """The parameters that the source of such a cell declares, in order; errors as of `declared`."""
    try:
        statements = ast.parse(source).body
    except SyntaxError as problem:
        raise ParameterError(
            "the cell is not valid Python", where=f"{notebook}, line {problem.lineno}", found=problem.text
        ) from problem
    tokens, lines = tokenize.generate_tokens(io.StringIO(source).readline), source.splitlines()
    comments = {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
    found = []
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        while first - 1 in comments and lines[first - 2].startswith("#"):
            first -= 1
        places = [place for place in (*range(first, statement.lineno), last) if place in comments]
        help_text = " ".join(comments[place] for place in places)
        try:
            help_text = _REGISTRY.sub(lambda at: ", ".join(getattr(import_module(at[1]), at[2])), help_text)
            found.append(_parameter(statement, help_text))
        except (ValueError, ImportError, AttributeError) as problem:
            where = f"{notebook}, parameters cell, line {statement.lineno}"
            what = "a parameter must read `name: type = default  # help`"
            raise ParameterError(what, where=where, found=f"{ast.unparse(statement)}: {problem}") from problem
    return found


def _parameter(statement: ast.stmt, help_text: str) -> Parameter:
    """The parameter that a statement declares; ValueError, in words, if it is none."""
    import pydantic

    if not (isinstance(statement, ast.AnnAssign) and statement.value is not None):
        raise ValueError("no annotation, or no default")
    name, annotation = ast.unparse(statement.target), ast.unparse(statement.annotation)
    if annotation not in TYPES:
        raise ValueError(f"{annotation} is none of {', '.join(TYPES)}")
    limits = parameter_ranges.at_the_end(help_text)
    if limits and annotation not in (WORDS if limits.words else NUMBERS):
        raise ValueError(f"the range is not one of its type: {limits}")
    parameter = Parameter(name, annotation, ast.literal_eval(statement.value), help_text, limits)
    try:
        pydantic.TypeAdapter(parameter.type, config={"strict": True}).validate_python(parameter.default)
    except pydantic.ValidationError:
        raise ValueError(f"the default must be {annotation}{f' {limits}' if limits else ''}") from None
    return parameter
