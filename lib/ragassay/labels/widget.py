"""Labelling by hand in JupyterLab: question, answer, passages, a button per label;
each click is saved at once.
"""

import os
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay.labels import sampling
from ragassay.labels.desk import Desk
from ragassay.labels.dimensions import USUAL, parse
from ragassay.labels.sheets import csv_sheet, guide, sheet
from ragassay.labels.sheets.texts import visible

TRACE = "RAGASSAY_TRACE"  # set by the runner, under which nobody is there to click


def label(
    answers: pd.DataFrame,
    dimensions: str = USUAL,
    out: str | Path = "labelled.csv",
    *,
    rater: str,
    n: int = 200,
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
    reason = absent()
    if reason:
        print(f"no labelling widget: {reason}; `ragassay label export` writes a sheet instead")
        return None
    return shown(desk(answers, dimensions, out, rater=rater, n=n, seed=seed))


def desk(answers: pd.DataFrame, dimensions: str, out: str | Path, *, rater: str, n: int, seed: int) -> Desk:
    """The desk behind the widget."""
    asked, named = parse(dimensions), sheet.rater_names(rater, 1)[0]
    chosen = sampling.at_random(sheet.askable(answers), n, rng=np.random.default_rng(seed))
    return Desk(sheet.Sheet(sheet.tasks(chosen), asked, tuple(guide.lines(asked)), named), Path(out))


def absent() -> str:
    """Why no widget can be shown; empty where one can."""
    if os.environ.get(TRACE):
        return "the notebook is being run, nobody is there to click"
    try:
        import ipywidgets  # noqa: F401
        from IPython.core.getipython import get_ipython
    except ImportError:
        return "ipywidgets is not installed (pip install ipywidgets)"
    return "" if getattr(get_ipython(), "kernel", None) is not None else "this is no notebook"


def shown(held: Desk) -> Any:
    """The widget of a desk."""
    import ipywidgets

    text, note = ipywidgets.HTML(), ipywidgets.HTML()
    comment = ipywidgets.Text(placeholder="comment", continuous_update=False)
    rows = {each.name: _control(each, held) for each in held.sheet.dimensions}
    state = {"filling": False}

    def fill() -> None:
        state["filling"] = True
        text.value, note.value, comment.value = page(held), escape(held.progress()), held.comment()
        for each in held.sheet.dimensions:
            rows[each.name].value = held.label(each) or (None if each.steps else "")
        state["filling"] = False

    def given(name: str, control: Any, value: str | None) -> None:
        if state["filling"] or value is None:
            return
        try:
            held.give(name, value)
            note.value = escape(held.progress())
        except ValueError as problem:
            note.value = escape(f"{name}: not saved, expected {problem}")

    def move(steps: int) -> None:
        held.move(steps)
        fill()

    for name, control in {**rows, "comment": comment}.items():
        control.observe(
            lambda change, name=name, control=control: given(name, control, change["new"]), names="value"
        )
    back, on = ipywidgets.Button(description="previous"), ipywidgets.Button(description="next")
    back.on_click(lambda _: move(-1))
    on.on_click(lambda _: move(1))
    fill()
    return ipywidgets.VBox([text, *rows.values(), comment, ipywidgets.HBox([back, on]), note])


def page(held: Desk) -> str:
    """Question, answer and passages as HTML in which nothing of theirs acts."""
    task = held.task
    parts = [
        ("Question", visible(task.question)),
        ("Answer", visible(task.answer)),
        ("Passages", csv_sheet.passages(task)),
    ]
    return "".join(
        f'<p><b>{name}</b></p><div style="white-space: pre-wrap; max-width: 60em">{escape(text)}</div>'
        for name, text in parts
    )


def _control(each: Any, held: Desk) -> Any:
    """A button per step; a field to write a number where there are none."""
    import ipywidgets

    if each.steps is None:
        return ipywidgets.Text(description=each.heading, continuous_update=False)
    return ipywidgets.ToggleButtons(
        options=[str(step) for step in each.steps], value=None, description=each.heading
    )
