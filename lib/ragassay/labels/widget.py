"""Labelling by hand in JupyterLab: question, answer, passages, a button per label;
each click is saved at once.
"""

import os
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import provenance
from ragassay.defaults import DIMENSIONS, N_LABELLED
from ragassay.errors import LabelError
from ragassay.labels.dimensions import Dimension, parse
from ragassay.labels.sheets import csv_sheet, returned_sheets, sheet
from ragassay.labels.sheets.sheet import Sheet, Task, visible


@dataclass
class Desk:
    """A sheet being labelled in a file that `ragassay label import` reads;
    what the file holds already is taken up again.

    at : place of the answer before the rater
    given : row -> dimension or `comment` -> cell

    Raises LabelError if the file holds other dimensions than the sheet.
    """

    sheet: Sheet
    out: Path
    at: int = 0
    given: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.out.exists():
            self._take_up()
        self.at = next((place for place, task in enumerate(self.sheet.tasks) if not self._done(task)), 0)

    @property
    def task(self) -> Task:
        """The answer before the rater."""
        return self.sheet.tasks[self.at]

    def label(self, dimension: Dimension) -> str:
        """What was given for it here; empty where nothing was."""
        return self.given.get(self.task.row, {}).get(dimension.name, "")

    def comment(self) -> str:
        """The comment given here."""
        return self.given.get(self.task.row, {}).get("comment", "")

    def give(self, name: str, cell: str) -> None:
        """Put a label (a dimension's name) or the `comment` for the answer here, and save;
        an empty text takes it back.

        Raises ValueError if it is no label of the dimension's scale.
        """
        for dimension in self.sheet.dimensions:
            if dimension.name == name:
                dimension.value(cell)
        self.given.setdefault(self.task.row, {})[name] = cell
        csv_sheet.fill(self.sheet, self.out, self.given)

    def move(self, steps: int) -> None:
        """To a later or an earlier answer, no further than the last or the first."""
        self.at = min(max(self.at + steps, 0), len(self.sheet.tasks) - 1)

    def progress(self) -> str:
        """In words: which answer this is, how many are done."""
        done = sum(self._done(task) for task in self.sheet.tasks)
        here = f"answer {self.at + 1} of {len(self.sheet.tasks)}"
        return f"{here}; {done} labelled in full; saved in {visible(self.out)}"

    def _done(self, task: Task) -> bool:
        return all(self.given.get(task.row, {}).get(each.name) for each in self.sheet.dimensions)

    def _take_up(self) -> None:
        file = returned_sheets.read(self.out)
        if file.dimensions != self.sheet.dimensions:
            found = ", ".join(each.heading for each in file.dimensions)
            self._refuse("dimensions", self.out, found, "name another file")
        ours = {task.row for task in self.sheet.tasks}
        strangers = [entry.at for entry in file.entries if entry.row not in ours]
        if strangers:
            where = f"{self.out}, {strangers[0]}"
            self._refuse("answers", where, None, "name another file, or the same draw")
        for entry in file.entries:
            cells = {name: str(cell or "") for name, cell in entry.cells.items()}
            self.given[entry.row] = cells | {"comment": entry.comment}

    def _refuse(self, what: str, where: object, found: str | None, do: str) -> None:
        raise LabelError(f"the file holds labels of other {what}", where=where, found=found, do=do)


def label(
    answers: pd.DataFrame,
    dimensions: str = DIMENSIONS,
    out: str | Path = "labelled.csv",
    *,
    rater: str,
    n: int = N_LABELLED,
    seed: int = 0,
) -> Any:
    """A widget to label `n` random answers by hand, saved in `out`, which `ragassay label import` reads;
    None where none can be shown.

    The same answers, n and seed take up a file begun earlier. Without ipywidgets, or where nobody can click
    (a run of the notebooks, a plain Python), one line says so.

    Parameters
    ----------
    answers : the run's answers table
    dimensions : what is judged and on which scale: `grounded:0-1,relevant:1-5`

    Raises
    ------
    LabelError
        If `out` holds labels of other answers or dimensions, or a scale cannot be read.
    ParameterError
        If n is below 1, or the rater or a dimension cannot have this name.
    """
    reason = why_absent()
    if reason:
        print(f"no labelling widget: {reason}; `ragassay label export` writes a sheet instead")
        return None
    return build(open_desk(answers, dimensions, out, rater=rater, n=n, seed=seed))


def open_desk(
    answers: pd.DataFrame, dimensions: str, out: str | Path, *, rater: str, n: int, seed: int
) -> Desk:
    """The desk behind the widget."""
    asked, named = parse(dimensions), sheet.rater_names(rater, 1)[0]
    chosen = sheet.draw(sheet.labellable(answers), n, rng=np.random.default_rng(seed))
    return Desk(sheet.Sheet(sheet.tasks(chosen), asked, tuple(sheet.guide_lines(asked)), named), Path(out))


def why_absent() -> str:
    """Why no widget can be shown; empty where one can."""
    if os.environ.get(provenance.TRACE):
        return "the notebook is being run, nobody is there to click"
    try:
        import ipywidgets  # noqa: F401
        from IPython.core.getipython import get_ipython
    except ImportError:
        return "ipywidgets is not installed (pip install ipywidgets)"
    return "" if getattr(get_ipython(), "kernel", None) is not None else "this is no notebook"


def build(desk: Desk) -> Any:
    """The widget of a desk."""
    import ipywidgets

    form = _Form(desk)
    back, on = ipywidgets.Button(description="previous"), ipywidgets.Button(description="next")
    back.on_click(lambda _: form.move(-1))
    on.on_click(lambda _: form.move(1))
    buttons = ipywidgets.HBox([back, on])
    return ipywidgets.VBox([form.text, *form.rows.values(), form.comment, buttons, form.note])


class _Form:
    """What the rater sees of a desk, kept in step with it."""

    def __init__(self, desk: Desk) -> None:
        import ipywidgets

        self.desk, self.filling = desk, False
        self.text, self.note = ipywidgets.HTML(), ipywidgets.HTML()
        self.comment = ipywidgets.Text(placeholder="comment", continuous_update=False)
        self.rows = {each.name: _control(each) for each in desk.sheet.dimensions}
        for name, control in {**self.rows, "comment": self.comment}.items():
            control.observe(lambda change, name=name: self.save(name, change["new"]), names="value")
        self.fill()

    def fill(self) -> None:
        """Show the answer before the rater, and what was given for it."""
        self.filling, desk = True, self.desk
        self.text.value, self.note.value = page(desk), escape(desk.progress())
        self.comment.value = desk.comment()
        for each in desk.sheet.dimensions:
            self.rows[each.name].value = desk.label(each) or (None if each.steps else "")
        self.filling = False

    def save(self, name: str, value: str | None) -> None:
        """A click or a text into the file; a value outside its scale is not saved, and the note says so."""
        if self.filling or value is None:
            return
        try:
            self.desk.give(name, value)
            self.note.value = escape(self.desk.progress())
        except ValueError as problem:
            self.note.value = escape(f"{name}: not saved, expected {problem}")

    def move(self, steps: int) -> None:
        """To another answer."""
        self.desk.move(steps)
        self.fill()


def page(desk: Desk) -> str:
    """Question, answer and passages as HTML in which nothing of theirs acts."""
    task = desk.task
    parts = [
        ("Question", visible(task.question)),
        ("Answer", visible(task.answer)),
        ("Passages", csv_sheet.passages(task)),
    ]
    return "".join(
        f'<p><b>{name}</b></p><div style="white-space: pre-wrap; max-width: 60em">{escape(text)}</div>'
        for name, text in parts
    )


def _control(each: Dimension) -> Any:
    """A button per step; a field to write a number where there are none."""
    import ipywidgets

    if each.steps is None:
        return ipywidgets.Text(description=each.heading, continuous_update=False)
    steps = [str(step) for step in each.steps]
    return ipywidgets.ToggleButtons(options=steps, value=None, description=each.heading)
