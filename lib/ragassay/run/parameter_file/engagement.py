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
from ragassay.run.parameter_checks import named_values
from ragassay.run.parameter_checks.gate_rules import error_line
from ragassay.run.parameter_file import yaml_reader
from ragassay.run.parameter_file.run_settings import SETTINGS
from ragassay.run.parameter_file.yaml_reader import Lines, Sections
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter
from ragassay.scores import own_metrics

SCOPE, ACCEPT_FROM = "00_scope", ("02_functionality", "accept_from")
MOST_FLAWS = 100  # that are told
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

    path : the YAML file; its stem is the engagement's name
    schemas : notebook name -> its declared parameters
    given : values that stand for those of the file, as `section.name=value`

    Raises ParameterError if the file's stem is no plain name. With every flaw found, each with its line:
    YAML syntax, an unknown section, name, metric or dimension with the nearest valid one, a wrong type, a
    value outside its range, a missing file, a gate that cannot be read."""
    check_name(path.stem)
    sections, lines = yaml_reader.read(path)
    known = {**schemas, "run": list(SETTINGS)}
    overrides = _apply_given(sections, lines, given, known)
    if flaws := list(dict.fromkeys(_flaws(sections, known, lines))):
        what = f"{len(flaws)} flaw(s) in the parameters, nothing was run"
        do = "correct the lines named; `ragassay init NAME` writes a file with defaults"
        shown = [flaw[:500] for flaw in flaws[:MOST_FLAWS]]
        raise ParameterError("\n    ".join([what, *shown]), where=path, do=do)
    departures = {name: values or {} for name, values in sections.items()}
    settings = effective(known["run"], departures.pop("run", {}))
    return Engagement(path.stem, settings, departures, overrides)


def check_name(name: str) -> None:
    """Refuse a name that is none for a file and for a folder, such as the `..` of a file named `...yml`."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        what, do = "an engagement's name becomes the name of a file and folder", "name the file otherwise"
        expected = "letters, digits, '.', '_', '-'; the first a letter or digit"
        raise ParameterError(what, found=repr(name), expected=expected, do=do)


def effective(schema: list[Parameter], departures: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter of a notebook with the value it will run with."""
    return {p.name: p.as_taken(departures.get(p.name, p.default)) for p in schema}


def _flaws(sections: Sections, known: Schemas, lines: Lines) -> Iterator[str]:
    """Everything that is wrong, section by section, then as a whole."""
    for section, found in sections.items():
        line = lines.get((str(section),), "line 1")
        if section not in known:
            yield f"{line}: section {section!r} is for no notebook{nearest(str(section), known)}"
        elif not isinstance(found or {}, dict):
            yield f"{line}: section {section!r} must hold names and values, found {_shown(found)}"
    given = {name: found if isinstance(found := sections.get(name), dict) else {} for name in known}
    values: dict[str, Any] = {}  # of every parameter; of one name the first
    for name, schema in known.items():
        values = {p.name: given[name].get(p.name, p.default) for p in schema} | values
        for metrics in (values[p.name] for p in schema if p.annotation == "Metrics"):
            with contextlib.suppress(KitError, TypeError, AttributeError):  # a flaw of the parameter
                names = metrics.split(",") if isinstance(metrics, str) else metrics
                own_metrics.resolve(map(str.strip, names))
    for section, schema in known.items():
        yield from _section_flaws(section, schema, given[section], values, lines)
    if any(each.name == "answers_log" for each in known.get(SCOPE, ())):
        try:
            scoped = effective(known[SCOPE], given[SCOPE])
            scope.check_subject(scoped)
            named_values.check_passages(scoped)
        except ParameterError as problem:
            yield f"{lines.get((SCOPE,), 'line 1')}: {SCOPE}: {error_line(problem)}"


def _section_flaws(
    section: str, schema: list[Parameter], given: dict[str, Any], values: dict[str, Any], lines: Lines
) -> Iterator[str]:
    """What is wrong with a section's values: types and ranges by its model, then what they name;
    metrics and dimensions of defaults too, which a notebook of the engagement's own has changed."""
    rules = {p.name: p for p in schema if p.name != GIVEN_BY_RUNNER}

    def line(*place: Any) -> str:
        fallback = lines.get(ACCEPT_FROM, "line 1")
        return lines.get((section, *place)) or lines.get((section, place[0]), fallback)

    unsound = set()
    try:
        parameters.model(section, list(rules.values())).model_validate(given)
    except ValidationError as problem:
        for error in problem.errors():
            name = str(error["loc"][0])
            unsound.add(name)
            if name not in rules:
                yield f"{line(*error['loc'])}: {section} has no parameter {name!r}{nearest(name, rules)}"
                continue
            found, rule = error.get("ctx", {}).get("error", _shown(error["input"])), rules[name]
            expected = rule.annotation if rule.range is None else f"{rule.annotation} {rule.range}"
            words = f"{section}.{name} must be {expected}, found {found}{_hint(rule, error['input'])}"
            yield f"{line(*error['loc'])}: {words}"
    own = values | {name: given.get(name, rule.default) for name, rule in rules.items()}
    for name, rule in rules.items():
        if name not in unsound and (name in given or re.search(r"Metric\b|Dimension", rule.annotation)):
            for where, what in named_values.flaws(rule, own[name], own):
                sign = "" if what.startswith("must") else ":"
                yield f"{line(name, *where)}: {section}.{name}{sign} {what}"


def _hint(rule: Parameter, value: Any) -> str:
    """What somebody may have meant who wrote a value of another type."""
    if isinstance(rule.range, Choice) and isinstance(value, str):
        return nearest(value, rule.range.words)
    if rule.annotation == "float" and isinstance(value, str):
        return "; YAML 1.1 reads 1e-3 as text: write 0.001"
    if rule.annotation not in parameters.NUMBERS and isinstance(value, bool | int | float | datetime.date):
        return "; YAML reads dates, Yes and No so: put it in quotes"
    return ""


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
            lines[section, name] = label
            lines.setdefault((section,), label)
            overrides[f"{section}.{name}"] = value
    return overrides
