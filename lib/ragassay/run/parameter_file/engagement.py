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
    for section, schema in known.items():
        for each in (each for each in schema if each.annotation == "Metrics"):
            with contextlib.suppress(KitError, TypeError, AttributeError):  # a flaw of the parameter
                given = _given(sections, section).get(each.name)
                own_metrics.resolve(map(str.strip, each.as_taken(given or "").split(",")))
    for section, values in sections.items():
        line = place_of(lines, section)
        if section not in known:
            yield f"{line}: section {section!r} is for no notebook{nearest(str(section), known)}"
        elif not isinstance(values or {}, dict):
            yield f"{line}: section {section!r} must hold names and values, found {value_text(values)}"
        else:
            yield from _value_flaws(section, sections, known, lines, missing)
    yield from _subject_flaws(sections, known, lines)
    yield from (f"{place_of(lines, 'run', 'executor')}: {why}" for why in no_cluster(sections))


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
    for the values given and the date of the validation, which is today."""
    _check_name(name)
    lines = [HEAD.read_text(encoding="utf-8").format(name=name)]
    sections = {"run": list(SETTINGS)} | {book: declared(path) for book, path in notebooks().items()}
    for section, schema in sections.items():
        values = {DATE: datetime.date.today().isoformat()} | (given or {}).get(section, {})
        lines.append(f"{section}:")
        for each in (each for each in schema if each.name != GIVEN_BY_RUNNER):
            written = f"{each.name}: {yaml_reader.as_yaml(values.get(each.name, each.default))}"
            mark = "" if each.name in values else "# "
            lines.append(f"  {mark}{written}  # {each.annotation}; {each.help}")
        lines.append("")
    return "\n".join(lines)


def _value_flaws(
    section: str, sections: Sections, known: Schemas, lines: Lines, missing: set[str]
) -> Iterator[str]:
    """What is wrong with a section's values: those given, and defaults that no longer fit what was given."""
    given, names = sections[section] or {}, _names(section, sections, known, missing)
    rules = {p.name: p for p in known[section] if p.name != GIVEN_BY_RUNNER}
    for name in (name for name in given if name not in rules):
        near = nearest(str(name), rules)
        yield f"{place_of(lines, section, name)}: {section} has no parameter {name!r}{near}"
    for flaw in _left_behind(section, sections, known, names):
        yield f"{place_of(lines, section, ACCEPT_FROM)}: {flaw}"
    for name in (name for name in rules if name in given):
        for place, what in flaws(rules[name], given[name], names):
            own = (section, name, *place) if (section, name, *place) in lines else (section, name)
            words = f"{section}.{name}{' ' if what.startswith('must') else ': '}{what}"
            yield f"{place_of(lines, *own)}: {words}"


def _subject_flaws(sections: Sections, known: Schemas, lines: Lines) -> list[str]:
    """What is wrong with the engagement as a whole: nothing is named to validate, or nothing to check its
    answers against."""
    section = next((name for name, schema in known.items() if any(p.name == LOG for p in schema)), "")
    if not section or not isinstance(sections.get(section) or {}, dict):
        return []
    where = place_of(lines, section) if (section,) in lines else "line 1"
    values = effective(known[section], _given(sections, section))
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
    lacking: set[str] = set()
    users = []
    for book, schema in known.items():
        for rule in schema:
            if "Dimension" in rule.annotation and rule.name not in _given(sections, book):
                default = rule.default.values() if isinstance(rule.default, dict) else [rule.default]
                absent = {*default} - {*names.dimensions}
                lacking |= absent
                users += [f"{book}.{rule.name}"] if absent else []
    if not lacking:
        return []
    names.missing.update(lacking)
    words, near = ", ".join(map(repr, sorted(lacking))), nearest(min(lacking), names.dimensions)
    return [f"{section}.{ACCEPT_FROM} lacks {words}, named by default in {', '.join(users)}{near}"]


def _given(sections: Sections, section: str) -> dict[str, Any]:
    values = sections.get(section)
    return values if isinstance(values, dict) else {}


def _names(section: str, sections: Sections, known: Schemas, missing: set[str]) -> Names:
    """What values of this section may name: dimensions of notebook 02's `accept_from`, gates and risk matrix
    of the section's own, what the log and the user's questions hold."""

    def value(name: str) -> Any:
        return _value_of(name, sections, known)

    def own(name: str) -> Any:
        return _value_of(name, {section: sections[section]}, {section: known[section]})

    def mapping(found: Any) -> dict[str, str]:
        return found if isinstance(found, dict) else {}

    accept_from, gates = value(ACCEPT_FROM), own("gates")
    return Names(
        dimensions=list(map(str, accept_from)) if isinstance(accept_from, dict) else None,
        gates=list(map(str, gates)) if isinstance(gates, dict) else None,
        log=str(value(LOG) or ""),
        mapping=mapping(value("map")),
        questions=str(value("own_questions") or ""),
        date=str(value(DATE) or "") or datetime.date.today().isoformat(),
        next_review=str(value("next_review") or ""),
        missing=missing,
        matrix={name: own(name) for name in RISK_MATRIX},
        label_columns=mapping(value("label_columns")),
    )


def _value_of(parameter: str, sections: Sections, known: Schemas) -> Any:
    """The value of the first parameter of this name, as given or by default; None if there is no such."""
    for section, schema in known.items():
        if any(each.name == parameter for each in schema):
            return effective(schema, _given(sections, section))[parameter]
    return None


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
        place, equals, written = text.partition("=")
        section, dot, name = place.strip().partition(".")
        if not (equals and dot and section and name):
            what = "-p names no parameter"
            raise ParameterError(what, where="the command line", found=text, expected=FORM)
        schema = {parameter.name: parameter for parameter in known.get(section, ())}
        label = f"-p {section}.{name}"
        values = sections.get(section) or {}
        if isinstance(values, dict):
            written, is_text = written.strip(), name in schema and TYPES[schema[name].annotation] is str
            # of a text the letters themselves, so that a date needs no quotes
            is_plain = is_text and written[:1] not in ("'", '"')
            value = written if is_plain else yaml_reader.value(written, label)
            sections[section] = values | {name: value}
            lines.setdefault((section,), label)
            lines[section, name] = label
            found[f"{section}.{name}"] = value
    return found
