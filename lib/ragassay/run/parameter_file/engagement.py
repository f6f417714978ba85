"""An engagement's parameter file, read and checked before anything runs: every flaw is reported at once, each
with its line and the nearest valid name."""

import contextlib
import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragassay import scope
from ragassay.analysis.case_scores import nearest
from ragassay.errors import KitError, ParameterError
from ragassay.parameter_ranges import Choice
from ragassay.run import parameters
from ragassay.run.parameter_checks.named_values import flaws, without_passages
from ragassay.run.parameter_file import yaml_reader
from ragassay.run.parameter_file.run_settings import SETTINGS
from ragassay.run.parameter_file.yaml_reader import Lines, Sections
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter
from ragassay.scores import own_metrics

SCOPE, LOG, ACCEPT_FROM = "00_scope", "answers_log", "accept_from"
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
    check_name(path.stem)
    sections, lines = yaml_reader.read(path)
    known = {**schemas, "run": list(SETTINGS)}
    overrides = _apply_given(sections, lines, given, known)
    yaml_reader.refuse(path, list(dict.fromkeys(_flaws(sections, known, lines))))
    departures = {name: values or {} for name, values in sections.items()}
    settings = effective(list(SETTINGS), departures.pop("run", {}))
    return Engagement(path.stem, settings, departures, overrides)


def check_name(name: str) -> None:
    """Refuse a name that is none for a file and for a folder, such as the `..` of a file named `...yml`."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        what = "an engagement's name becomes the name of a file and folder"
        expected = "letters, digits, '.', '_', '-'; the first a letter or digit"
        do = "name the parameter file otherwise"
        raise ParameterError(what, found=repr(name), expected=expected, do=do)


def effective(schema: list[Parameter], departures: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter of a notebook with the value it will run with."""
    return {p.name: p.as_taken(departures.get(p.name, p.default)) for p in schema}


def _flaws(sections: Sections, known: Schemas, lines: Lines) -> Iterator[str]:
    """Everything that is wrong, section by section, then as a whole."""
    given: dict[str, dict[str, Any]] = {
        name: found if isinstance(found := sections.get(name), dict) else {} for name in known
    }
    values: dict[str, Any] = {}  # of every parameter; of one name the first
    for name, schema in known.items():
        own = {p.name: given[name].get(p.name, p.default) for p in schema}
        values = own | values
        for metrics in (own[p.name] for p in schema if p.annotation == "Metrics"):
            with contextlib.suppress(KitError, TypeError, AttributeError):  # a flaw of the parameter
                own_metrics.resolve(
                    map(str.strip, metrics.split(",") if isinstance(metrics, str) else metrics)
                )
    for section, found in sections.items():
        line = lines.get((str(section),), "line 1")
        if section not in known:
            yield f"{line}: section {section!r} is for no notebook{nearest(str(section), known)}"
        elif not isinstance(found or {}, dict):
            yield f"{line}: section {section!r} must hold names and values, found {_shown(found)}"
    for section, schema in known.items():
        yield from _section_flaws(section, schema, given[section], values, lines)
    if not any(each.name == LOG for each in known.get(SCOPE, ())):
        return
    where = lines.get((SCOPE,), "line 1")
    scoped = effective(known[SCOPE], given[SCOPE])
    try:
        scope.check_subject(scoped)
        lacking = without_passages(scoped)
    except ParameterError as problem:
        lacking = f"{problem.what}; found {problem.found}; do: {problem.do}"
    if lacking:
        yield f"{where}: {SCOPE}: {lacking}"


def _section_flaws(
    section: str, schema: list[Parameter], given: dict[str, Any], values: dict[str, Any], lines: Lines
) -> Iterator[str]:
    """What is wrong with a section's values: types and ranges by its model, then what they name; with a
    default too where it names a dimension that `accept_from` no longer has."""
    rules = {p.name: p for p in schema if p.name != GIVEN_BY_RUNNER}
    unsound = set()
    try:
        parameters.model(section, list(rules.values())).model_validate(dict(given))
    except ValidationError as problem:
        for error in problem.errors():
            name, *place = error["loc"]
            unsound.add(name)
            found = error.get("ctx", {}).get("error", _shown(error["input"]))
            yield _type_flaw(section, rules, str(name), place, error["input"], f"{found}", lines)
    own = values | {name: given.get(name, rule.default) for name, rule in rules.items()}
    for name, rule in rules.items():
        is_asked = name in given or "Dimension" in rule.annotation
        if name in unsound or not is_asked:
            continue
        for where, what in flaws(rule, own[name], own):
            words = f"{section}.{name}{' ' if what.startswith('must') else ': '}{what}"
            fallback = lines.get(("02_functionality", ACCEPT_FROM), "line 1")
            line = lines.get((section, name, *where)) or lines.get((section, name), fallback)
            yield f"{line}: {words}"


def _type_flaw(
    section: str,
    rules: Mapping[str, Parameter],
    name: str,
    place: Sequence[Any],
    value: Any,
    found: str,
    lines: Lines,
) -> str:
    """One error of pydantic in words."""
    line = lines.get((section, name, *place)) or lines.get((section, name), "line 1")
    if name not in rules:
        return f"{line}: {section} has no parameter {name!r}{nearest(name, rules)}"
    rule, hint = rules[name], ""
    if isinstance(rule.range, Choice) and isinstance(value, str):
        hint = nearest(value, rule.range.words)
    elif rule.annotation == "float" and isinstance(value, str):
        hint = "; YAML 1.1 reads 1e-3 as text: write 0.001"
    elif rule.annotation not in parameters.NUMBERS and isinstance(value, bool | int | float | datetime.date):
        hint = "; YAML reads dates, Yes and No so: put it in quotes"
    expected = rule.annotation if rule.range is None else f"{rule.annotation} {rule.range}"
    return f"{line}: {section}.{name} must be {expected}, found {found}{hint}"


def _shown(value: Any) -> str:
    """A value in a message, cut short."""
    text = str(value) if isinstance(value, datetime.date) else repr(value)
    return text if len(text) <= 120 else f"{text[:120]}..."


def _apply_given(
    sections: Sections, lines: Lines, given: Sequence[str], known: Mapping[str, Sequence[Parameter]]
) -> dict[str, Any]:
    """Put the values of the command line into the sections, in place of those of the file, and say in `lines`
    where they stand; returns them by `section.name`."""
    overrides = {}
    for text in given:
        place, equals, written = text.partition("=")
        section, dot, name = place.strip().partition(".")
        if not (equals and dot and section and name):
            what = "-p names no parameter"
            raise ParameterError(what, where="the command line", found=text, expected=FORM)
        types = {parameter.name: TYPES[parameter.annotation] for parameter in known.get(section, ())}
        label, written = f"-p {section}.{name}", written.strip()
        # of a text the letters themselves, so that a date needs no quotes
        is_plain = types.get(name) is str and written[:1] not in ("'", '"')
        value = written if is_plain else yaml_reader.value(written, label)
        if isinstance(sections.get(section) or {}, dict):
            sections[section] = (sections.get(section) or {}) | {name: value}
            lines.setdefault((section,), label)
            lines[section, name] = label
            overrides[f"{section}.{name}"] = value
    return overrides
