"""An engagement's parameter file: read and checked before anything runs, or written anew with every parameter
at its default.

Every flaw is reported at once, each with its line and the nearest valid name.
"""

import datetime
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay import output_files, scope
from ragassay.errors import ParameterError
from ragassay.run import engagement_file
from ragassay.run.engagement_file import Lines, Sections
from ragassay.run.parameter_values import Names, flaws, nearest
from ragassay.run.parameters import GIVEN_BY_RUNNER, SETTINGS, Parameter, declared, notebooks

HEAD = """# Parameters of the engagement "{name}". Every line shows a default and is commented, but for the
# date: remove the "# " before those that depart from it.
# Numbers: YAML 1.1 reads 1e-3 as text, so write 0.001. Paths are seen from the folder you run in;
# "bundled:..." is the example shipped with the kit. What is validated stands in 00_scope: set documents and
# assistant, or answers_log.
"""
LOG = "answers_log"  # a parameter of the section that says what is validated
ACCEPT_FROM = "accept_from"  # dimension of the labels: lowest label that accepts
Schemas = dict[str, list[Parameter]]  # section -> its parameters


@dataclass(frozen=True)
class Engagement:
    """What one file asks for: its name, the runner's settings, each notebook's departures from its
    defaults."""

    name: str
    settings: dict[str, Any]
    notebooks: dict[str, dict[str, Any]] = field(default_factory=dict)


def load(path: Path, schemas: Schemas) -> Engagement:
    """Read and check one engagement's YAML against the notebooks' declarations.

    Parameters
    ----------
    path : the YAML file; its stem is the engagement's name
    schemas : notebook name -> its declared parameters

    Raises
    ------
    ParameterError
        If the file's stem is no plain name. With every flaw found, each with its line: YAML syntax, an
        unknown section, name, metric or dimension with the nearest valid one, a wrong type, a value outside
        its range, a missing file, a gate that cannot be read.
    """
    _check_name(path.stem)
    sections, lines = engagement_file.read(path)
    known = {**schemas, "run": list(SETTINGS)}
    engagement_file.refuse(path, _flaws(sections, known, lines))
    settings = effective(list(SETTINGS), sections.pop("run", None) or {})
    return Engagement(path.stem, settings, {name: values or {} for name, values in sections.items()})


def _flaws(sections: Sections, known: Schemas, lines: Lines) -> Iterator[str]:
    """Everything that is wrong, section by section, then as a whole."""
    for section, values in sections.items():
        wrong = _section_flaws(section, values, known, lines)
        yield from wrong or _value_flaws(section, sections, known, lines)
    yield from _subject_flaws(sections, known, lines)


def effective(schema: list[Parameter], departures: dict[str, Any]) -> dict[str, Any]:
    """Every parameter of a notebook with the value it will run with."""
    return {p.name: departures.get(p.name, p.default) for p in schema}


def write(name: str, folder: Path = Path("params"), *, replace: bool = False) -> Path:
    """Write `folder/name.yml` with every parameter at its default; an existing file is left alone, unless it
    is to be replaced.

    Raises
    ------
    ParameterError
        If the name cannot be a file name, or the file exists.
    """
    _check_name(name)
    path = folder / f"{name}.yml"
    output_files.check(path, replace=replace)
    output_files.write_text(path, text(name))
    return path


def _check_name(name: str) -> None:
    """Refuse a name that is none for a file and for a folder, such as the `..` of a file named `...yml`."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        what = "an engagement's name becomes the name of a file and of a folder"
        expected = "letters, digits, '.', '_' and '-', the first a letter or a digit"
        raise ParameterError(
            what, found=repr(name), expected=expected, do="name the parameter file otherwise"
        )


def text(name: str) -> str:
    """The text of a new engagement's file: every parameter of every notebook, commented, at its default."""
    sections = {"run": list(SETTINGS)} | {book: declared(path) for book, path in notebooks().items()}
    return "\n".join([HEAD.format(name=name), *(_section(*each) for each in sections.items())])


def _section(name: str, schema: list[Parameter]) -> str:
    shown = [_line(each) for each in schema if each.name != GIVEN_BY_RUNNER]
    return "\n".join([f"{name}:", *shown, ""])


def _line(parameter: Parameter) -> str:
    """A commented default; only the date of the validation is set, to today."""
    today = parameter.name == "date"
    value = datetime.date.today().isoformat() if today else parameter.default
    written = f"{parameter.name}: {json.dumps(value, ensure_ascii=False)}"
    return f"  {'' if today else '# '}{written}  # {parameter.annotation}; {parameter.help}"


def _section_flaws(section: str, values: Any, known: Schemas, lines: Lines) -> list[str]:
    """What is wrong with a section's name or form."""
    line = f"line {lines[(section,)]}"
    if section not in known:
        return [f"{line}: section {section!r} is for no notebook{nearest(str(section), known)}"]
    if not isinstance(values or {}, dict):
        return [f"{line}: section {section!r} must hold names and values, found {values!r}"]
    return []


def _value_flaws(section: str, sections: Sections, known: Schemas, lines: Lines) -> list[str]:
    """What is wrong with a section's values: those given, and defaults that no longer fit what was given."""
    given = sections[section] or {}
    rules = {p.name: p for p in known[section] if p.name != GIVEN_BY_RUNNER}
    found = [
        f"line {lines.get((section, name), '?')}: {section} has no parameter "
        f"{name!r}{nearest(str(name), rules)}"
        for name in given
        if name not in rules
    ]
    names = _names(section, sections, known)
    for name, parameter in rules.items():
        cause = name if name in given else _departure_behind(parameter, given)
        for place, what in flaws(parameter, given.get(name, parameter.default), names) if cause else []:
            line = lines.get((section, name, *place), lines.get((section, cause), "?"))
            found.append(f"line {line}: {section}.{name}{' ' if what.startswith('must') else ': '}{what}")
    return found


def _subject_flaws(sections: Sections, known: Schemas, lines: Lines) -> list[str]:
    """What is wrong with the engagement as a whole: nothing is named to validate, or nothing to check its
    answers against."""
    section = next((name for name, schema in known.items() if any(p.name == LOG for p in schema)), "")
    given = sections.get(section) or {}
    if not section or not isinstance(given, dict):
        return []
    try:
        scope.check_subject(effective(known[section], given))
    except ParameterError as problem:
        line = lines.get((section,), 1)
        return [f"line {line}: {section}: {problem.what}; found {problem.found}; do: {problem.do}"]
    return []


def _departure_behind(parameter: Parameter, given: dict[str, Any]) -> str | None:
    """The parameter given that decides whether this one's default still fits: `accept_from`, for what names a
    dimension."""
    return ACCEPT_FROM if "Dimension" in parameter.annotation and ACCEPT_FROM in given else None


def _names(section: str, sections: Sections, known: Schemas) -> Names:
    """What values of this section may name: dimensions of chapter 4's `accept_from`, gates of the section's
    own."""
    dimensions = next(
        (_given(ACCEPT_FROM, name, sections, known) for name in known if _declares(known[name])), None
    )
    return Names(dimensions, _given("gates", section, sections, known))


def _declares(schema: list[Parameter]) -> bool:
    return any(p.name == ACCEPT_FROM for p in schema)


def _given(parameter: str, section: str, sections: Sections, known: Schemas) -> Any:
    """The keys of a mapping that is a parameter of a section, as given or by default; None where there is no
    such mapping."""
    departures = sections.get(section)
    departures = departures if isinstance(departures, dict) else {}
    value = effective(known[section], departures).get(parameter)
    return list(map(str, value)) if isinstance(value, dict) else None
