"""An engagement's parameter file: read and checked before anything runs, or written anew with every parameter
at its default.

Every flaw is reported at once, each with its line and the nearest valid name.
"""

import contextlib
import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay import output_files, scope
from ragassay.errors import KitError, ParameterError
from ragassay.run.parameter_checks import input_files
from ragassay.run.parameter_checks.named_values import RISK_MATRIX, Names, flaws, nearest, value_text
from ragassay.run.parameter_file import yaml_reader
from ragassay.run.parameter_file.run_settings import SETTINGS, no_cluster
from ragassay.run.parameter_file.yaml_reader import Lines, Sections, place_of
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter, declared, notebooks
from ragassay.scores import own_metrics

HEAD = Path(__file__).with_name("head.yml")  # of a new file, for {name}
LOG = "answers_log"  # a parameter of the section that says what is validated
ACCEPT_FROM = "accept_from"  # dimension of the labels: lowest label that accepts
DATE = "date"  # the parameter; empty is today
FORM = "section.name=value, such as 04_calibration.alpha=0.2"
Schemas = dict[str, list[Parameter]]  # section -> its parameters


@dataclass(frozen=True)
class Engagement:
    """What one file asks for: its name, the runner's settings, each notebook's departures from its
    defaults; which of them were given on the command line, by `section.name`."""

    name: str
    settings: dict[str, Any]
    notebooks: dict[str, dict[str, Any]] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)


def load(path: Path, schemas: Schemas, given: Sequence[str] = ()) -> Engagement:
    """Read and check one engagement's YAML against the notebooks' declarations.

    Parameters
    ----------
    path : the YAML file; its stem is the engagement's name
    schemas : notebook name -> its declared parameters
    given : values that stand for those of the file, as `section.name=value`

    Raises
    ------
    ParameterError
        If the file's stem is no plain name. With every flaw found, each with its line: YAML syntax, an
        unknown section, name, metric or dimension with the nearest valid one, a wrong type, a value outside
        its range, a missing file, a gate that cannot be read.
    """
    _check_name(path.stem)
    sections, lines = yaml_reader.read(path)
    known = {**schemas, "run": list(SETTINGS)}
    found = apply_given(sections, lines, given, known)
    yaml_reader.refuse(path, _flaws(sections, known, lines))
    settings = effective(list(SETTINGS), sections.pop("run", None) or {})
    departures = {name: values or {} for name, values in sections.items()}
    return Engagement(path.stem, settings, departures, found)


def _flaws(sections: Sections, known: Schemas, lines: Lines) -> Iterator[str]:
    """Everything that is wrong, section by section, then as a whole."""
    missing: set[str] = set()  # dimensions told of, whose consequences are not
    _load_own_metrics(sections, known)
    for section, values in sections.items():
        wrong = _section_flaws(section, values, known, lines)
        yield from wrong or _value_flaws(section, sections, known, lines, missing)
    yield from _subject_flaws(sections, known, lines)
    yield from (f"{place_of(lines, 'run', 'executor')}: {why}" for why in no_cluster(sections))


def _load_own_metrics(sections: Sections, known: Schemas) -> None:
    """The engagement's own metrics, which any section may name; what is wrong with them is told as a flaw."""
    for section, values in sections.items():
        for each in known.get(section, ()):
            given = (
                values.get(each.name) if each.annotation == "Metrics" and isinstance(values, dict) else None
            )
            with contextlib.suppress(KitError, TypeError, AttributeError):
                own_metrics.resolve(map(str.strip, each.as_taken(given or "").split(",")))


def effective(schema: list[Parameter], departures: dict[str, Any]) -> dict[str, Any]:
    """Every parameter of a notebook with the value it will run with."""
    return {p.name: p.as_taken(departures.get(p.name, p.default)) for p in schema}


def write(name: str, folder: Path = Path("params"), *, replace: bool = False, text: str = "") -> Path:
    """Write `folder/name.yml`; an existing file is left alone, unless it is to be replaced.

    text : its text, as of `new_text`; "" is every parameter at its default

    Raises
    ------
    ParameterError
        If the name cannot be a file name, or the file exists.
    """
    _check_name(name)
    path = folder / f"{name}.yml"
    output_files.check(path, replace=replace)
    output_files.write_text(path, text or new_text(name))
    return path


def _check_name(name: str) -> None:
    """Refuse a name that is none for a file and for a folder, such as the `..` of a file named `...yml`."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        what = "an engagement's name becomes the name of a file and folder"
        expected = "letters, digits, '.', '_', '-'; the first a letter or digit"
        raise ParameterError(
            what, found=repr(name), expected=expected, do="name the parameter file otherwise"
        )


def new_text(name: str, given: Sections | None = None) -> str:
    """The text of a new engagement's file: every parameter of every notebook, commented, at its default, but
    for the values given."""
    _check_name(name)
    sections = {"run": list(SETTINGS)} | {book: declared(path) for book, path in notebooks().items()}
    written = (_section(book, schema, (given or {}).get(book, {})) for book, schema in sections.items())
    return "\n".join([HEAD.read_text(encoding="utf-8").format(name=name), *written])


def _section(name: str, schema: list[Parameter], given: dict[str, Any]) -> str:
    shown = [_line(each, given) for each in schema if each.name != GIVEN_BY_RUNNER]
    return "\n".join([f"{name}:", *shown, ""])


def _line(parameter: Parameter, given: dict[str, Any]) -> str:
    """A commented default; set are the values given and the date of the validation, to today."""
    values = {"date": datetime.date.today().isoformat()} | given
    value = values.get(parameter.name, parameter.default)
    written = f"{parameter.name}: {yaml_reader.as_yaml(value)}"
    return (
        f"  {'' if parameter.name in values else '# '}{written}  # {parameter.annotation}; {parameter.help}"
    )


def _section_flaws(section: str, values: Any, known: Schemas, lines: Lines) -> list[str]:
    """What is wrong with a section's name or form."""
    line = place_of(lines, section)
    if section not in known:
        return [f"{line}: section {section!r} is for no notebook{nearest(str(section), known)}"]
    if not isinstance(values or {}, dict):
        return [f"{line}: section {section!r} must hold names and values, found {value_text(values)}"]
    return []


def _value_flaws(
    section: str, sections: Sections, known: Schemas, lines: Lines, missing: set[str]
) -> list[str]:
    """What is wrong with a section's values: those given, and defaults that no longer fit what was given."""
    given, names = sections[section] or {}, _names(section, sections, known, missing)
    rules = {p.name: p for p in known[section] if p.name != GIVEN_BY_RUNNER}
    found = [
        f"{place_of(lines, section, name)}: {section} has no parameter {name!r}{nearest(str(name), rules)}"
        for name in given
        if name not in rules
    ]
    found += [
        f"{place_of(lines, section, ACCEPT_FROM)}: {flaw}"
        for flaw in _left_behind(section, sections, known, names)
    ]
    for name in (name for name in rules if name in given):
        for place, what in flaws(rules[name], given[name], names):
            own = (section, name, *place) if (section, name, *place) in lines else (section, name)
            words = f"{section}.{name}{' ' if what.startswith('must') else ': '}{what}"
            found.append(f"{place_of(lines, *own)}: {words}")
    return found


def _subject_flaws(sections: Sections, known: Schemas, lines: Lines) -> list[str]:
    """What is wrong with the engagement as a whole: nothing is named to validate, or nothing to check its
    answers against."""
    section = next((name for name, schema in known.items() if any(p.name == LOG for p in schema)), "")
    given = sections.get(section) or {}
    if not section or not isinstance(given, dict):
        return []
    where, values = (
        place_of(lines, section) if (section,) in lines else "line 1",
        effective(known[section], given),
    )
    try:
        scope.check_subject(values)
    except ParameterError as problem:
        return [f"{where}: {section}: {problem.what}; found {problem.found}; do: {problem.do}"]
    lacking = input_files.without_passages(values)
    return [f"{where}: {section}: {lacking}"] if lacking else []


def _left_behind(section: str, sections: Sections, known: Schemas, names: Names) -> list[str]:
    """The dimensions that defaults name, of any section, and an `accept_from` that is given lacks, as one
    flaw."""
    if not (sections[section] or {}).get(ACCEPT_FROM) or names.dimensions is None:
        return []
    used = {
        f"{book}.{rule.name}": _dimensions(rule) - set(names.dimensions)
        for book, schema in known.items()
        for rule in schema
        if "Dimension" in rule.annotation and rule.name not in _given(sections, book)
    }
    lacking, users = sorted(set().union(*used.values())), ", ".join(name for name in used if used[name])
    names.missing.update(lacking)
    near = nearest(lacking[0], names.dimensions) if lacking else ""
    words = (
        f"{section}.{ACCEPT_FROM} lacks {', '.join(map(repr, lacking))}, named by default in {users}{near}"
    )
    return [words] if lacking else []


def _given(sections: Sections, section: str) -> dict[str, Any]:
    values = sections.get(section)
    return values if isinstance(values, dict) else {}


def _dimensions(parameter: Parameter) -> set[str]:
    """The dimensions that a default names."""
    value = parameter.default
    return set(value.values()) if isinstance(value, dict) else {value}


def _names(section: str, sections: Sections, known: Schemas, missing: set[str]) -> Names:
    """What values of this section may name: dimensions of notebook 02's `accept_from`, gates and risk matrix
    of the section's own, what the log and the user's questions hold."""
    dimensions = _keys(_value_of(ACCEPT_FROM, sections, known))
    own = {section: sections[section]}, {section: known[section]}
    gates = _keys(_value_of("gates", *own))
    matrix = {name: _value_of(name, *own) for name in RISK_MATRIX}
    mapping = _value_of("map", sections, known)
    log, questions = (str(_value_of(name, sections, known) or "") for name in (LOG, "own_questions"))
    date, review = (str(_value_of(name, sections, known) or "") for name in (DATE, "next_review"))
    dates = date or datetime.date.today().isoformat(), review
    mapping = mapping if isinstance(mapping, dict) else {}
    columns = _value_of("label_columns", sections, known)
    columns = columns if isinstance(columns, dict) else {}
    return Names(dimensions, gates, log, mapping, questions, *dates, missing, matrix, columns)


def _value_of(parameter: str, sections: Sections, known: Schemas) -> Any:
    """The value of the first parameter of this name, as given or by default; None if there is no such."""
    for section, schema in known.items():
        if any(each.name == parameter for each in schema):
            return effective(schema, _given(sections, section))[parameter]
    return None


def _keys(value: Any) -> list[str] | None:
    """The keys of a mapping; None where there is none."""
    return list(map(str, value)) if isinstance(value, dict) else None


def apply_given(
    sections: Sections, lines: Lines, given: Sequence[str], known: Mapping[str, Sequence[Parameter]]
) -> dict[str, Any]:
    """Put the values into the sections, in place of those of the file, and say in `lines` where they stand;
    returns them by `section.name`.

    Raises
    ------
    ParameterError
        If one is not of the form, or its value is no YAML.
    """
    found = {}
    for text in given:
        section, name, written = _given_parts(text)
        schema = {parameter.name: parameter for parameter in known.get(section, ())}
        label = f"-p {section}.{name}"
        values = sections.get(section) or {}
        if isinstance(values, dict):
            value = _given_value(written, schema.get(name), label)
            sections[section] = values | {name: value}
            lines.setdefault((section,), label)
            lines[section, name] = label
            found[f"{section}.{name}"] = value
    return found


def _given_parts(text: str) -> tuple[str, str, str]:
    place, equals, value = text.partition("=")
    section, dot, name = place.strip().partition(".")
    if not (equals and dot and section and name):
        raise ParameterError("-p names no parameter", where="the command line", found=text, expected=FORM)
    return section, name, value.strip()


def _given_value(written: str, parameter: Parameter | None, label: str) -> Any:
    """The value as YAML reads it; of a text the letters themselves, so that a date needs no quotes."""
    is_text = parameter is not None and TYPES[parameter.annotation] is str
    if is_text and written[:1] not in ("'", '"'):
        return written
    return yaml_reader.value(written, label)
