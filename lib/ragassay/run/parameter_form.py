"""A form for the parameters of one notebook, shown in JupyterLab; it is saved into the engagement's YAML.

The form is made of the notebook's own declarations: types, ranges, help. Nothing is saved that a run would
refuse.
"""

import json
from pathlib import Path
from typing import Any

from ragassay import output_files, parameter_ranges
from ragassay.errors import KitError, ParameterError, install
from ragassay.run import parameters
from ragassay.run.parameter_file import init_file, yaml_reader
from ragassay.run.parameter_file.engagement import SCOPE
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter
from ragassay.sanitized_text import clean

SHOWN = {"style": {"description_width": "14em"}, "layout": {"width": "42em"}}


def parameter_form(path: str | Path, section: str) -> Any:
    """A form (an ipywidgets box) for a section of an engagement's YAML, such as `04_calibration`.

    Saving writes the file anew, as `ragassay init` does: comments of one's own are not kept.

    Raises
    ------
    ParameterError
        If ipywidgets is not installed, or the file or the section is none.
    """
    try:
        import ipywidgets
    except ImportError:
        raise ParameterError("ipywidgets is not installed", do=install("lab")) from None
    path, books = Path(path), parameters.notebooks()
    if section not in books:
        raise ParameterError("there is no such section", found=section, expected=", ".join(books))
    written = yaml_reader.read(path)[0].get(section) or {}
    schema = [each for each in parameters.declared(books[section]) if each.name != GIVEN_BY_RUNNER]
    before = {each.name: written.get(each.name, each.default) for each in schema}
    fields = {each.name: _widget(ipywidgets, each, before[each.name]) for each in schema}
    rows = []
    for each in schema:
        help_text = ipywidgets.Label(clean(each.help, 300), layout={"margin": "0 0 0.6em 14.5em"})
        rows += [fields[each.name], help_text]
    button = ipywidgets.Button(description="Save", tooltip=f"into {path}", button_style="primary")
    outcome = ipywidgets.Label("")

    def save(_: Any) -> None:
        try:
            now = {each.name: _value(each, fields[each.name]) for each in schema}
            changed = {name: value for name, value in now.items() if value != before[name]}
            if changed:
                _write(path, section, changed)
            before.update(changed)
            outcome.value = f"saved: {', '.join(changed)}" if changed else "nothing was changed"
        except KitError as problem:
            outcome.value = clean(problem.what, 500)

    button.on_click(save)
    return ipywidgets.VBox([*rows, button, outcome])


def _write(path: Path, section: str, changed: dict[str, Any]) -> None:
    """Write the file anew with these values, every other parameter at its default as a comment, if a run
    would take it."""
    given = {name: values or {} for name, values in yaml_reader.read(path)[0].items()}
    given[section] = given.get(section, {}) | changed
    as_given = "".join(f"{name}: {yaml_reader.as_yaml(values)}\n" for name, values in given.items())
    init_file.check_text(path, as_given)  # sections that are no notebook's stand in no new file
    given[SCOPE] = {"date": ""} | given.get(SCOPE, {})  # of a new file it would be set to today
    text = init_file.new_text(path.stem, given)
    init_file.check_text(path, text)
    output_files.write_text(path, text)


def _value(parameter: Parameter, widget: Any) -> Any:
    """What the widget says; ParameterError if it is no value."""
    is_plain = TYPES[parameter.annotation] in (str, bool, int, float)
    return widget.value if is_plain else yaml_reader.value(widget.value, parameter.name)


def _widget(widgets: Any, parameter: Parameter, value: Any) -> Any:
    """The widget for a parameter: a list of words, a box to tick, a number within its bounds, or text."""
    shown, limits = {"description": parameter.name, **SHOWN}, parameter.range
    if parameter.annotation == "str" and isinstance(limits, parameter_ranges.Choice):
        return widgets.Dropdown(options=limits.words, value=value, **shown)
    if parameter.annotation == "bool":
        return widgets.Checkbox(value=bool(value), indent=True, **shown)
    if parameter.annotation in ("int", "float"):
        # the bounds the widget holds a number to; whether they belong to the range is checked on saving
        kind, most = (int, 2**31 - 1) if parameter.annotation == "int" else (float, 1e300)
        low, high = -most, most
        if isinstance(limits, parameter_ranges.Interval):
            low, high = max(limits.low, low), min(limits.high, high)
        number = widgets.BoundedIntText if kind is int else widgets.BoundedFloatText
        return number(value=value, min=kind(low), max=kind(high), **shown)
    if TYPES[parameter.annotation] is str:
        return widgets.Text(value=str(value), **shown)
    return widgets.Textarea(value=json.dumps(value, ensure_ascii=False), rows=2, **shown)
