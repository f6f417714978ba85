"""Figures, sentences and notes that a cell shows; each carries data for the report, and SVG or markdown for
JupyterLab."""

import re
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from ragassay.show.plain_values import MISSING, clean, in_words, value_text
from ragassay.tables import is_missing

NOTE = "application/vnd.ragassay.note+json"
SVG = "image/svg+xml"
KINDS = ("result", "warning", "limit", "finding")


@dataclass(frozen=True)
class ShownFigure:
    """A figure as SVG, with the words that stand for it."""

    svg: str
    caption: str
    alt: str
    file: str

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        words = {"alt": self.alt, "caption": self.caption, "file": self.file}
        return {SVG: self.svg, "text/plain": f"{self.caption}\n{self.alt}"}, {SVG: words, **words}


@dataclass(frozen=True)
class Shown:
    """Words of the author around values that are data, as markdown; in a box if of a `kind`, coloured by
    `state`."""

    markdown: str
    kind: str = ""
    state: str = ""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        box = {"kind": self.kind, "state": self.state}
        return {"text/markdown": self.markdown, **({NOTE: box} if self.kind else {})}


def figure(
    drawn: Any, caption: str, *, name: str, run_dir: str | Path, alt: str = "", absent: str | Shown = ""
) -> ShownFigure | Shown:
    """Save a matplotlib Figure (or the one of an Axes) as `figures/<name>.svg` and close it; the same figure
    gives the same bytes.

    Parameters
    ----------
    alt : what a reader who cannot see it must know: what is drawn, the range, what stands out; a Drawing
        brings its own
    drawn : or what `figures.draw_if_possible` gives where there is none: its sentence is shown instead
    absent : why there is no such figure (shown as a limit), or the sentence to show in its place

    Raises
    ------
    ValueError
        If `alt` or `caption` is empty, or `name` holds anything but a-z, 0-9, _ and -.
    """
    from ragassay import provenance

    if absent:
        return instead(absent)
    alt = alt or getattr(drawn, "alt", "")
    if getattr(drawn, "figure", drawn) is None:
        return say("{text}", text=in_words(alt)) if drawn.is_single else instead(in_words(alt))
    for what, words in (("alt", alt), ("caption", caption)):
        if not words.strip():
            raise ValueError(
                f"figure {name!r} needs {what}=: say what it shows to a reader who cannot see it"
            )
    if not re.fullmatch(r"[a-z0-9_-]+", name):
        raise ValueError(f"figure name {name!r} may hold a-z, 0-9, _ and - only: it becomes a file name")
    svg = _svg(drawn)
    path = provenance.find(run_dir) / "figures" / f"{name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(svg.encode())
    provenance.writes(run_dir, path)
    caption, alt = (clean(in_words(text.strip()), 0) for text in (caption, alt))
    return ShownFigure(svg, caption, alt, f"figures/{name}.svg")


def say(template: str, /, *, absent: str | Shown = "", **values: Any) -> Shown:
    """One sentence or paragraph: markdown words with `{name}` or `{name:.1%}` where a value goes;
    intervals print themselves. `absent`: why there is nothing to say, shown as a limit in its place.

    Raises
    ------
    ValueError
        If the template names a value that is not given, or a value is given that it does not name.
    """
    return instead(absent) if absent else Shown(_filled(template, values))


def heading(template: str, /, *, absent: str = "", **values: Any) -> Shown:
    """A heading of level 2 that states a result, numbered by the report and named in its contents; values as
    in `say`. It holds for what the cells after it show, up to the next heading. `absent`: the heading where a
    value is missing, for then there is no result to state.

    Raises
    ------
    ValueError
        If the template is empty or has several lines, or its names and the values do not fit.
    """
    if not template.strip() or "\n" in template.strip():
        raise ValueError(f"a heading is one line of words, not {template[:80]!r}")
    if absent and any(is_missing(value) for value in values.values()):
        return heading(absent)
    return Shown(f"## {_filled(template.strip(), values)}")


def instead(absent: str | Shown) -> Shown:
    """What stands where something is absent: the reason as a limit, or the sentence given."""
    return note("limit", absent) if isinstance(absent, str) else absent


def note(kind: str, text: str, /, *, state: str = "", **values: Any) -> Shown:
    """A boxed sentence; `kind` is result, warning, limit or finding. Values as in `say`; without values,
    braces are just braces. `state`: the judgement that it tells, such as a rating, which gives its colour."""
    if kind not in KINDS:
        raise ValueError(f"note kind {kind!r} is none of {', '.join(KINDS)}")
    if not text.strip():
        raise ValueError(f"a note of kind {kind!r} needs words")
    return Shown(_filled(text, values) if values else in_words(text), kind, state)


def _filled(template: str, values: dict[str, Any]) -> str:
    """The template's markdown with the values in its places, letter for letter."""
    pieces = list(Formatter().parse(template))
    if wrong := {name for _, name, _, _ in pieces if name is not None} ^ set(values):
        raise ValueError(f"{sorted(wrong)} not given, or not named in the template {template[:80]!r}")
    return "".join(
        in_words(words) + ("" if name is None else _literal(_formatted(values[name], spec or "")))
        for words, name, spec, _ in pieces
    )


def _svg(drawn: Any) -> str:
    from io import StringIO

    import matplotlib
    from matplotlib import pyplot

    fig = drawn if hasattr(drawn, "savefig") else drawn.figure
    page = StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "ragassay", "svg.fonttype": "path"}):
        fig.savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(fig)
    return page.getvalue()


def _formatted(value: Any, spec: str) -> str:
    if spec:
        shown = MISSING if is_missing(value) else clean(format(value, spec))
        return shown.replace("%", "\N{NO-BREAK SPACE}%")
    return in_words(value) if isinstance(value, str) and value.isidentifier() else value_text(value)


def _literal(text: str) -> str:
    """The text as markdown that shows it letter for letter, on one line."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$<>&])", r"\\\1", re.sub("[ \t\n]+", " ", text))
