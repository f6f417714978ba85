"""A form for the parameters of one notebook, shown in JupyterLab; it is saved into the engagement's YAML.

The form is made of the notebook's own declarations: types, ranges, help. Nothing is saved that a run would
refuse.
"""

from pathlib import Path
from typing import Any

from ragassay import output_files
from ragassay.errors import KitError, ParameterError, install
from ragassay.parameter_ranges import Choice
from ragassay.run import parameters
from ragassay.run.parameter_file import init_file, yaml_reader
from ragassay.run.parameter_file.engagement import SCOPE
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter
from ragassay.sanitized_text import clean

SHOWN = {"style": {"description_width": "14em"}, "layout": {"width": "42em"}}


def parameter_form(path: str | Path, section: str) -> Any:
    """A form (an ipywidgets box) for a section of an engagement's YAML, such as `04_calibration`.

    Saving writes the file anew, as `ragassay init` does: comments of one's own are not kept.

    Raises ParameterError if ipywidgets is not installed, or the file or the section is none."""
    try:
        import ipywidgets
    except ImportError:
        raise ParameterError("ipywidgets is not installed", do=install("lab")) from None
    path, schemas = Path(path), parameters.schemas()
    if section not in schemas:
        raise ParameterError("there is no such section", found=section, expected=", ".join(schemas))
    written = yaml_reader.read(path)[0].get(section) or {}
    schema = [each for each in schemas[section] if each.name != GIVEN_BY_RUNNER]
    before = {each.name: written.get(each.name, each.default) for each in schema}
    fields = {each.name: _widget(ipywidgets, each, before[each.name]) for each in schema}
    labels = [
        ipywidgets.Label(clean(each.help, 300), layout={"margin": "0 0 0.6em 14.5em"}) for each in schema
    ]
    button = ipywidgets.Button(description="Save", tooltip=f"into {path}", button_style="primary")
    outcome = ipywidgets.Label("")

    def save(_: Any) -> None:
        try:
            now = {each.name: _value(each, fields[each.name].value) for each in schema}
            changed = {name: value for name, value in now.items() if value != before[name]}
            if changed:
                _write(path, section, changed)
            before.update(changed)
            outcome.value = f"saved: {', '.join(changed)}" if changed else "nothing was changed"
        except KitError as problem:
            outcome.value = clean(problem.what, 500)

    button.on_click(save)
    rows = [widget for pair in zip(fields.values(), labels, strict=True) for widget in pair]
    return ipywidgets.VBox([*rows, button, outcome])


def _write(path: Path, section: str, changed: dict[str, Any]) -> None:
    """Write the file anew with these values, every other parameter at its default as a comment, if a run
    would take it."""
    given = {name: values or {} for name, values in yaml_reader.read(path)[0].items()}
    given[section] = given.get(section, {}) | changed
    as_given = "".join(f"{name}: {yaml_reader.as_yaml(values)}\n" for name, values in given.items())
    init_file.check_text(path, as_given)  # sections that are no notebook's stand in no new file
    given[SCOPE] = {"date": ""} | given.get(SCOPE, {})  # of a new file it would be set to today
    output_files.write_text(path, init_file.new_text(path.stem, given))


def _widget(widgets: Any, parameter: Parameter, value: Any) -> Any:
    """The widget for a parameter: a list of words, a box to tick, or text, YAML for all but texts."""
    shown = {"description": parameter.name, **SHOWN}
    if parameter.annotation == "str" and isinstance(parameter.range, Choice):
        return widgets.Dropdown(options=parameter.range.words, value=value, **shown)
    if parameter.annotation == "bool":
        return widgets.Checkbox(value=bool(value), indent=True, **shown)
    is_text = TYPES[parameter.annotation] is str
    return widgets.Text(value=str(value) if is_text else yaml_reader.as_yaml(value), **shown)


def _value(parameter: Parameter, shown: Any) -> Any:
    """What a widget says; ParameterError if it is no value."""
    is_plain = TYPES[parameter.annotation] in (str, bool)
    return shown if is_plain else yaml_reader.value(shown, parameter.name)
