"""Is this value one that the parameter takes? Its type, its range, what it names; nothing is run for it."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ragassay.run.parameter_checks.named_values import CHECKS, CHECKS_BY_NAME, Found, Names, nearest
from ragassay.run.parameters import TYPES, Parameter

MOST = 50  # flaws told of one value


def flaws(parameter: Parameter, value: Any, names: Names) -> list[Found]:
    """What is wrong with the value, each with its place in it and in words; empty if it fits."""
    if problems := type_problems(parameter.annotation, value):
        return problems[:MOST]
    checks = [CHECKS.get(parameter.annotation), CHECKS_BY_NAME.get(parameter.name)]
    found = [flaw for check in checks if check for flaw in islice(check(parameter, value, names), MOST)]
    return found or list(islice(_out_of_range(parameter, value), MOST))


def type_problems(annotation: str, value: Any) -> list[Found]:
    """Where the value is not of the type, and why."""
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if annotation == "float" and isinstance(value, int) and not isinstance(value, bool):
        return []
    try:
        TypeAdapter(TYPES[annotation], config=ConfigDict(strict=True)).validate_python(value)
    except ValidationError as problem:
        return [
            (_place(error["loc"]), _type_problem(annotation, error["input"], error["msg"]))
            for error in problem.errors()[:MOST]
        ]
    return []


def _place(location: tuple) -> tuple:
    return tuple(part for part in location if part != "[key]")


def _type_problem(annotation: str, value: Any, why: str) -> str:
    as_text = annotation == "float" and isinstance(value, str)
    hint = "; YAML 1.1 reads 1e-3 as text: write 0.001" if as_text else ""
    return f"must be {annotation}, found {value_text(value)} ({why}{hint})"


def value_text(value: Any) -> str:
    """A value in a message, cut short."""
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:120]}..."


def _out_of_range(parameter: Parameter, value: Any) -> Iterator[Found]:
    if parameter.annotation == "Profile" or parameter.range is None:  # a path is no word; see _profile
        return
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else [("", value)]
    )
    for place, part in items:
        if not parameter.range.holds(part):
            near = nearest(part, parameter.range.words) if hasattr(parameter.range, "words") else ""
            yield (
                (() if place == "" else (place,)),
                f"must be {parameter.range}, found {value_text(part)}{near}",
            )
