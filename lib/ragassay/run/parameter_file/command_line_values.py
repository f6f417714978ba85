"""Values given on the command line: `section.name=value`, read and checked like those of the file."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragassay.errors import ParameterError
from ragassay.run.parameter_file import yaml_reader
from ragassay.run.parameter_file.yaml_reader import Lines, Sections
from ragassay.run.parameters import TYPES, Parameter

FORM = "section.name=value, such as 04_calibration.alpha=0.2"


def apply(
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
        section, name, written = _parts(text)
        schema = {parameter.name: parameter for parameter in known.get(section, ())}
        label = f"-p {section}.{name}"
        values = sections.get(section) or {}
        if isinstance(values, dict):
            value = _value(written, schema.get(name), label)
            sections[section] = values | {name: value}
            lines.setdefault((section,), label)
            lines[section, name] = label
            found[f"{section}.{name}"] = value
    return found


def _parts(text: str) -> tuple[str, str, str]:
    place, equals, value = text.partition("=")
    section, dot, name = place.strip().partition(".")
    if not (equals and dot and section and name):
        raise ParameterError("-p names no parameter", where="the command line", found=text, expected=FORM)
    return section, name, value.strip()


def _value(written: str, parameter: Parameter | None, label: str) -> Any:
    """The value as YAML reads it; of a text the letters themselves, so that a date needs no quotes."""
    is_text = parameter is not None and TYPES[parameter.annotation] is str
    if is_text and written[:1] not in ("'", '"'):
        return written
    return yaml_reader.value(written, label)
