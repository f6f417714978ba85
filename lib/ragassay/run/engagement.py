"""An engagement's parameter file, read as plain YAML and checked before anything runs: every flaw is told at
once, each with its line and the nearest valid name."""

import contextlib
import datetime
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ragassay import scope
from ragassay.analysis.case_scores import nearest
from ragassay.errors import KitError, ParameterError
from ragassay.run import named_values, parameters
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter
from ragassay.scores import own_metrics

MOST_BYTES, DEEPEST = 200_000, 20
INIT = "`ragassay init NAME` writes one with defaults"
# section, name, key or place in a list -> line of the file, or where else it was given
Lines = dict[tuple, str]
Sections = dict[str, Any]  # section -> parameter -> value
# what YAML does not take as it stands, or reads as the end of a line
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # plain values only
SCOPE = "00_scope"
SETTINGS = tuple(  # of the section `run`: how the runner itself behaves
    parameters.parse(Path(__file__).with_name("run_section.txt").read_text("utf-8"), "the section run")
)
Schemas = dict[str, list[Parameter]]  # section -> its parameters


def read_yaml(path: Path) -> tuple[Sections, Lines]:
    """The sections of the file, and the line of everything in it.

    Raises ParameterError if there is no such file, it is larger than 200 kB or no YAML, or has an alias or
    one name twice: with the line."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        raise ParameterError(f"it does not exist, or has over {MOST_BYTES:,} bytes", where=path, do=INIT)
    lines: Lines = {}
    sections = parse_yaml(path.read_bytes(), path, lines) or {}
    if not isinstance(sections, dict):
        raise ParameterError(
            "there are no sections named after notebooks, `00_scope:`", where=path, found=str(sections)[:80]
        )
    return sections, lines


def as_yaml(value: Any) -> str:
    """A value as YAML on one line, which reads back as it is."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def parse_yaml(content: str | bytes, where: object, lines: Lines | None = None) -> Any:
    """The data of a text, the lines of its entries noted; ParameterError if it is no YAML."""
    try:
        depth = 0
        events: Any = yaml.parse(content, Loader=_Loader)
        for event in events:  # before anything is built that an alias multiplies
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
                line = event.start_mark.line + 1
                raise ValueError(f"line {line}: an alias, or over {DEEPEST} values in each other")
        root = yaml.compose(content, Loader=_Loader)
        if root is not None:
            _note_lines(root, (), {} if lines is None else lines)
        return yaml.load(content, Loader=_Loader)
    except Exception as problem:  # an unknown tag, a key that is none: YAML raises what it happens to raise
        raise ParameterError("this is not valid YAML", where=where, found=problem) from problem


def _note_lines(node: Any, above: tuple, lines: Lines) -> None:
    """The line of every key and list element below a node, by the keys and places that lead there."""
    entries: list = []
    if node.id == "mapping":
        entries = [(str(key.value), key, child) for key, child in node.value]
    elif node.id == "sequence":
        entries = [(place, child, child) for place, child in enumerate(node.value)]
    for name, start, child in entries:
        place, line = (*above, name), f"line {start.start_mark.line + 1}"
        if place in lines:
            raise ValueError(f"{line}: {name!r} stands there already, in {lines[place]}; keep one")
        lines[place] = line
        _note_lines(child, place, lines)


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
    sections, lines = read_yaml(path)
    known = {**schemas, "run": list(SETTINGS)}
    overrides = _apply_given(sections, lines, given, known)
    if flaws := list(dict.fromkeys(_flaws(sections, known, lines))):
        shown = [f"{len(flaws)} flaw(s) in the parameters, nothing was run", *flaws[:100]]
        raise ParameterError("\n    ".join(flaw[:500] for flaw in shown), where=path, do=INIT)
    departures = {name: values or {} for name, values in sections.items()}
    settings = effective(known["run"], departures.pop("run", {}))
    sizes = read_yaml(parameters.PACKAGE / "cases" / "data" / "sizes.yml")[0]
    for name, counts in sizes[settings["size"]].items():
        # a notebook of one's own may have others
        asked = {each.name: counts[each.name] for each in schemas.get(name, ()) if each.name in counts}
        departures[name] = asked | departures.get(name, {})
    return Engagement(path.stem, settings, departures, overrides)


def check_name(name: str) -> None:
    """Refuse a name that is none for a file and for a folder, such as the `..` of a file named `...yml`."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ParameterError(
            "no name for a file and a folder", found=repr(name), expected="letters, digits, then also . _ -"
        )


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
                listed = metrics.split(",") if isinstance(metrics, str) else metrics
                own_metrics.resolve(map(str.strip, listed))
    for section, schema in known.items():
        yield from _section_flaws(section, schema, given[section], values, lines)
    if any(each.name == "answers_log" for each in known.get(SCOPE, ())):
        try:
            scoped = effective(known[SCOPE], given[SCOPE])
            scope.check_subject(scoped)
            log = named_values.opened_log(scoped)
            if not (scoped["documents"] or log is None or "contexts" in log.read_from()):
                what, found = "no documents are named, and the log holds no passages", ", ".join(log.columns)
                do = "name the documents, --documents, or the column of passages, --map contexts=COLUMN"
                raise ParameterError(what, found=found[:300], do=do)
        except ParameterError as problem:
            yield f"{lines.get((SCOPE,), 'line 1')}: {SCOPE}: {named_values.error_line(problem)}"


def _section_flaws(
    section: str, schema: list[Parameter], given: dict[str, Any], values: dict[str, Any], lines: Lines
) -> Iterator[str]:
    """What is wrong with a section's values: types and ranges by its model, then what they name;
    metrics and dimensions of defaults too, which a notebook of the engagement's own has changed."""
    rules = {p.name: p for p in schema if p.name != GIVEN_BY_RUNNER}

    def line(*place: Any) -> str:
        places = (section, *place), (section, place[0]), ("02_functionality", "accept_from")
        return next((lines[each] for each in places if each in lines), "line 1")

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
            place, hint = line(*error["loc"]), _hint(rule, error["input"])
            yield f"{place}: {section}.{name} must be {expected}, found {found}{hint}"
    own = values | {name: given.get(name, rule.default) for name, rule in rules.items()}
    for name, rule in rules.items():
        if name not in unsound and (name in given or re.search(r"Metric\b|Dimension", rule.annotation)):
            for where, what in named_values.flaws(rule, own[name], own):
                sign = "" if what.startswith("must") else ":"
                yield f"{line(name, *where)}: {section}.{name}{sign} {what}"


def _hint(rule: Parameter, value: Any) -> str:
    """What somebody may have meant who wrote a value of another type."""
    if rule.range and rule.range.words and isinstance(value, str):
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
            form = "section.name=value, such as 04_calibration.alpha=0.2"
            raise ParameterError("-p names no parameter", where="the command line", found=text, expected=form)
        types = {parameter.name: TYPES[parameter.annotation] for parameter in known.get(section, ())}
        label, written = f"-p {section}.{name}", written.strip()
        # of a text the letters themselves, so that a date needs no quotes
        is_plain = types.get(name) is str and written[:1] not in ("'", '"')
        value = written if is_plain else parse_yaml(written, label)
        if isinstance(sections.get(section) or {}, dict):
            sections[section] = (sections.get(section) or {}) | {name: value}
            lines[section, name] = label
            lines.setdefault((section,), label)
            overrides[f"{section}.{name}"] = value
    return overrides
