"""Parameters: a notebook's tagged cell is its schema, the YAML file holds what departs from it.

Everything is checked before anything runs, and every flaw is reported at once, with its line and the nearest valid name.
"""

import ast
import difflib
import io
import tokenize
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ragassay import evidence
from ragassay.errors import InputError, ParameterError

File = Annotated[str, "file"]
Folder = Annotated[str, "folder"]
TYPES: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "File": str,
    "Folder": str,
    "list[str]": list[str],
    "list[float]": list[float],
    "dict[str, float]": dict[str, float],
    "dict[str, str]": dict[str, str],
}
PATHS = ("File", "Folder")
GIVEN_BY_RUNNER = "run_dir"


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell: `name: annotation = default  # help`."""

    name: str
    annotation: str
    default: Any
    help: str


class RunSettings:
    """How the runner itself behaves; the YAML section `run`."""

    SCHEMA = (
        Parameter("cell_timeout_s", "int", 1800, "a cell that runs longer is interrupted"),
        Parameter(
            "allow", "list[str]", [], "endpoints host:port that a sealed run may reach; none by default"
        ),
    )


@dataclass(frozen=True)
class Engagement:
    """What one YAML file asks for: its name, the runner's settings, and each notebook's departures from its defaults."""

    name: str
    settings: dict[str, Any]
    notebooks: dict[str, dict[str, Any]] = field(default_factory=dict)


def declared(notebook: Path) -> list[Parameter]:
    """The parameters a notebook declares in the cell tagged `parameters`, in order.

    Raises
    ------
    ParameterError
        If the notebook has no such cell, cannot be read, or a line of it has no annotation or no literal default.
    """
    import nbformat

    try:
        cells = nbformat.read(notebook, as_version=4).cells
    except Exception as problem:
        raise ParameterError(
            "a notebook cannot be read", where=notebook, found=problem, do="restore it from version control"
        ) from problem
    tagged = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if not tagged:
        raise ParameterError(
            "a notebook has no cell tagged 'parameters'",
            where=notebook.name,
            do="tag the cell that declares its parameters",
        )
    return _parse(tagged[0], notebook.name)


def load(path: Path, schemas: dict[str, list[Parameter]]) -> Engagement:
    """Read and check one engagement's YAML against the notebooks' declarations.

    Parameters
    ----------
    path : the YAML file; its stem is the engagement's name
    schemas : notebook name -> its declared parameters

    Raises
    ------
    ParameterError
        With every flaw found: YAML syntax, unknown section, unknown name, wrong type, missing file; each with line and nearest valid name.
    """
    sections, lines = _yaml(path)
    known = {**schemas, "run": list(RunSettings.SCHEMA)}
    flaws: list[str] = []
    for section, values in sections.items():
        if section not in known:
            flaws.append(
                f"line {lines[(section,)]}: section {section!r} is for no notebook{_nearest(section, known)}"
            )
        elif not isinstance(values or {}, dict):
            flaws.append(
                f"line {lines[(section,)]}: section {section!r} must hold names and values, found {values!r}"
            )
        else:
            flaws += [
                flaw
                for name, value in (values or {}).items()
                for flaw in _flaws(section, name, value, lines, known[section])
            ]
    if flaws:
        raise ParameterError(
            f"{len(flaws)} flaw(s) in the parameters, nothing was run",
            where=path,
            found="\n    ".join(["", *flaws]),
            do="correct the lines named; `ragassay init NAME` writes a file with every parameter and its default",
        )
    settings = {p.name: p.default for p in RunSettings.SCHEMA} | (sections.pop("run", None) or {})
    return Engagement(path.stem, settings, {name: values or {} for name, values in sections.items()})


def effective(schema: list[Parameter], departures: dict[str, Any]) -> dict[str, Any]:
    """Every parameter of a notebook with the value it will run with."""
    return {p.name: departures.get(p.name, p.default) for p in schema}


def _flaws(section: str, name: str, value: Any, lines: dict, schema: list[Parameter]) -> list[str]:
    line = lines.get((section, name), "?")
    rules = {p.name: p for p in schema if p.name != GIVEN_BY_RUNNER}
    if name not in rules:
        return [f"line {line}: {section} has no parameter {name!r}{_nearest(str(name), rules)}"]
    rule = rules[name]
    problem = _type_problem(rule.annotation, value)
    if problem:
        return [f"line {line}: {section}.{name} must be {rule.annotation}, found {value!r} ({problem})"]
    if rule.annotation in PATHS and value:
        return _path_flaw(f"line {line}: {section}.{name}", rule.annotation, value)
    return []


def _path_flaw(where: str, kind: str, value: str) -> list[str]:
    try:
        path = evidence.source(value)
    except InputError:
        return [f"{where}: {kind.lower()} {value!r} does not exist"]
    return (
        [f"{where}: {value!r} is a file, a folder is wanted"]
        if kind == "Folder" and not path.is_dir()
        else []
    )


def _type_problem(annotation: str, value: Any) -> str | None:
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if annotation == "float" and isinstance(value, int) and not isinstance(value, bool):
        return None
    try:
        TypeAdapter(TYPES[annotation], config=ConfigDict(strict=True)).validate_python(value)
    except ValidationError as problem:
        hint = (
            "; YAML 1.1 reads 1e-3 as text: write 0.001"
            if annotation == "float" and isinstance(value, str)
            else ""
        )
        return problem.errors()[0]["msg"] + hint
    return None


def _nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.4)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"


def _yaml(path: Path) -> tuple[dict[str, Any], dict[tuple, int]]:
    import yaml

    if not path.exists():
        raise ParameterError(
            "the parameter file does not exist", where=path, do="`ragassay init NAME` writes one"
        )
    try:
        text = path.read_text(encoding="utf-8")
        content, node = yaml.safe_load(text), yaml.compose(text)
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise ParameterError(
            "the parameter file is not valid YAML", where=path, found=problem, do="correct the line named"
        ) from problem
    if content is None:
        return {}, {}
    if not isinstance(content, dict):
        raise ParameterError(
            "the parameter file must hold sections named after notebooks",
            where=path,
            found=repr(content)[:80],
        )
    return content, _line_numbers(node)


def _line_numbers(node: Any) -> dict[tuple, int]:
    lines: dict[tuple, int] = {}
    for key, value in node.value:
        lines[(key.value,)] = key.start_mark.line + 1
        for inner, _ in getattr(value, "value", []) if value.id == "mapping" else []:
            lines[(key.value, inner.value)] = inner.start_mark.line + 1
    return lines


def _parse(source: str, notebook: str) -> list[Parameter]:
    try:
        statements = ast.parse(source).body
    except SyntaxError as problem:
        raise ParameterError(
            "the parameters cell is not valid Python",
            where=f"{notebook}, line {problem.lineno}",
            found=problem.text,
            do="correct the cell",
        ) from problem
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    assigned = [s for s in statements if not isinstance(s, ast.Import | ast.ImportFrom)]
    return [_parameter(s, comments.get(s.end_lineno or 0, ""), notebook) for s in assigned]


def _parameter(statement: ast.stmt, comment: str, notebook: str) -> Parameter:
    if not (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.value is not None
    ):
        raise ParameterError(
            "a parameter must read `name: type = default  # help`",
            where=f"{notebook}, parameters cell, line {statement.lineno}",
            found=ast.unparse(statement),
        )
    annotation = ast.unparse(statement.annotation)
    if annotation not in TYPES:
        raise ParameterError(
            f"parameter {statement.target.id!r} has a type the runner does not know",
            where=notebook,
            found=annotation,
            expected=", ".join(TYPES),
        )
    return Parameter(statement.target.id, annotation, ast.literal_eval(statement.value), comment)
