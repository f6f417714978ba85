"""A form for the parameters of one notebook, shown in JupyterLab; it is saved into the engagement's YAML.

The form is made of the notebook's own declarations: types, ranges, help. Nothing is saved that a run would
refuse.
"""

import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ragassay import output_files, parameter_ranges, search_paths
from ragassay.errors import KitError, ParameterError, install
from ragassay.run import parameters
from ragassay.run.parameter_file import engagement, yaml_reader
from ragassay.run.parameter_file.init_file import SECTION
from ragassay.run.parameters import GIVEN_BY_RUNNER, TYPES, Parameter
from ragassay.sanitized_text import clean

WIDE, LABELS = {"width": "42em"}, {"description_width": "14em"}
MOST_WHOLE = 2**31 - 1
NOTHING_CHANGED = "nothing was changed"


def parameter_form(path: str | Path, section: str) -> Any:
    """A form (an ipywidgets box) for a section of an engagement's YAML, such as `04_calibration`.

    Saving writes the file anew, as `ragassay init` does: comments of one's own are not kept.

    Raises
    ------
    ParameterError
        If ipywidgets is not installed, or the file or the section is none.
    """
    return _Form(Path(path), section).box


@dataclass
class _Field:
    """A parameter, the widget that shows it, and the value that the file has."""

    parameter: Parameter
    widget: Any
    before: Any

    def value(self) -> Any:
        """What the widget says; ParameterError if it is no value."""
        if self.parameter.annotation in ("bool", "int", "float") or TYPES[self.parameter.annotation] is str:
            return self.widget.value
        return yaml_reader.value(self.widget.value, self.parameter.name)


class _Form:
    """The fields, a button, and a line that says what became of a click."""

    def __init__(self, path: Path, section: str):
        try:
            import ipywidgets
        except ImportError:
            raise ParameterError("ipywidgets is not installed", do=install("lab")) from None
        self.path, self.section = path, section
        self.schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}
        if section not in self.schemas:
            expected = ", ".join(self.schemas)
            raise ParameterError("there is no such section", found=section, expected=expected)
        written = yaml_reader.read(path)[0].get(section) or {}
        self.fields, rows = [], []
        for each in (each for each in self.schemas[section] if each.name != GIVEN_BY_RUNNER):
            value = written.get(each.name, each.default)
            self.fields.append(_Field(each, _widget(ipywidgets, each, value), value))
            beside = ipywidgets.Label(clean(each.help, 300), layout={"margin": "0 0 0.6em 14.5em"})
            rows += [self.fields[-1].widget, beside]
        self.said = ipywidgets.Label("")
        button = ipywidgets.Button(description="Save", tooltip=f"into {path}", button_style="primary")
        button.on_click(self._save)
        self.box = ipywidgets.VBox([*rows, button, self.said])

    def _save(self, _: Any) -> None:
        """Write what was changed, if a run would take it; say so, or why not."""
        try:
            values = {each.parameter.name: (each.value(), each.before) for each in self.fields}
            changed = {name: now for name, (now, before) in values.items() if now != before}
            if changed:
                self._write(changed)
            self.said.value = f"saved: {', '.join(changed)}" if changed else NOTHING_CHANGED
        except KitError as problem:
            self.said.value = clean(problem.what, 500)

    def _write(self, changed: dict[str, Any]) -> None:
        """Set the values in a draft, read it as a run would, then let it take the file's place: written anew,
        every other parameter at its default as a comment."""
        own, before = search_paths.own_folder(self.path), yaml_reader.read(self.path)[0]
        given = {name: values or {} for name, values in before.items()}
        given |= {self.section: given.get(self.section, {}) | changed}
        with tempfile.TemporaryDirectory() as folder, search_paths.pinned(search_paths.root(), own):
            draft = Path(folder) / self.path.name
            draft.write_text(yaml.safe_dump(given), encoding="utf-8")
            engagement.load(draft, self.schemas)
            # of a new file the date would be set to today
            given[SECTION] = {"date": ""} | given.get(SECTION, {})
            text = engagement.new_text(self.path.stem, given)
            draft.write_text(text, encoding="utf-8")
            engagement.load(draft, self.schemas)
        output_files.write_text(self.path, text)
        for each in self.fields:
            each.before = changed.get(each.parameter.name, each.before)


def _widget(widgets: Any, parameter: Parameter, value: Any) -> Any:
    """The widget for a parameter: a list of words, a box to tick, a number within its bounds, or text."""
    shown = {"description": parameter.name, "style": LABELS, "layout": WIDE}
    words = parameter.range.words if isinstance(parameter.range, parameter_ranges.Choice) else ()
    if value in words and parameter.annotation == "str":
        return widgets.Dropdown(options=words, value=value, **shown)
    if parameter.annotation == "bool":
        return widgets.Checkbox(value=bool(value), indent=True, **shown)
    if parameter.annotation in ("int", "float"):
        # the bounds the widget holds a number to; whether they belong to the range is checked on saving
        interval, low, high = parameter.range, -math.inf, math.inf
        if isinstance(interval, parameter_ranges.Interval):
            low, high = interval.low, interval.high
        if parameter.annotation == "int":
            low, high = int(max(low, -MOST_WHOLE)), int(min(high, MOST_WHOLE))
            return widgets.BoundedIntText(value=value, min=low, max=high, **shown)
        return widgets.BoundedFloatText(value=value, min=max(low, -1e300), max=min(high, 1e300), **shown)
    if TYPES[parameter.annotation] is str:
        return widgets.Text(value=str(value), **shown)
    return widgets.Textarea(value=json.dumps(value, ensure_ascii=False), rows=2, **shown)
