"""Where in a reply a value stands: `choices[0].message.content`, `sources[*].id`, `$` for the whole."""

import re
from typing import Any

STEP = re.compile(r"\.?([^.\[\]'\"]+)|\[(-?\d{1,6}|\*)\]|\['([^']*)'\]")
FORM = "names with dots, [0], [*] for each, ['a name.with dots']"
EACH = object()


class NothingThere(LookupError):
    """Nothing stands at the path; `inside` if that is so within a list of which each element should have
    it."""

    def __init__(self, inside: bool = False):
        self.inside = inside


def parse(path: str) -> list[Any]:
    """The steps of a path: names, whole numbers and EACH.

    Raises
    ------
    ValueError
        If it is none.
    """
    text, steps, at = path.removeprefix("$"), [], 0
    while at < len(text):
        found = STEP.match(text, at)
        if found is None:
            raise ValueError(f"{path[:80]!r} is no path; write {FORM}")
        name, place, quoted = found.groups()
        steps.append(EACH if place == "*" else int(place) if place else name if name else quoted)
        at = found.end()
    if not path.strip():
        raise ValueError(f"an empty path; write {FORM}, or $ for the whole reply")
    return steps


def find(value: Any, path: str) -> Any:
    """What stands at the path, null included; of `[*]` the list of what stands below each element.

    Raises
    ------
    NothingThere
        If a name, a place or a list of it is missing.
    """
    return _find(value, parse(path))


def _find(value: Any, steps: list[Any]) -> Any:
    for at, step in enumerate(steps):
        if step is EACH:
            return _each(value, steps[at + 1 :])
        value = _step(value, step)
    return value


def _each(value: Any, rest: list[Any]) -> list[Any]:
    if not isinstance(value, list):
        raise NothingThere
    try:
        return [_find(element, rest) for element in value]
    except NothingThere:
        raise NothingThere(inside=True) from None


def _step(value: Any, step: str | int) -> Any:
    if isinstance(value, list) and isinstance(step, str) and step.isdecimal():
        step = int(step)
    if isinstance(value, dict):
        step = str(step)
    try:
        if isinstance(value, (dict, list)):
            return value[step]  # type: ignore[index, call-overload]
    except (KeyError, IndexError, TypeError):
        pass
    raise NothingThere
