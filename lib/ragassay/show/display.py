"""Figures, sentences and notes that a cell shows; each carries data for the report, and SVG or markdown for
JupyterLab."""

import difflib
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Formatter
from typing import Any, TypeAlias

from ragassay.show.plain_values import MISSING, clean, in_words, value_text
from ragassay.tables import is_missing

TEXT = "application/vnd.ragassay.text+json"
NOTE = "application/vnd.ragassay.note+json"
HEADING = "application/vnd.ragassay.heading+json"
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
class ShownSentence:
    """Words of the author around values that are data."""

    template: str
    values: dict[str, str]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            TEXT: self.__dict__,
            "text/markdown": self.markdown(),
            "text/plain": self.template.format_map(self.values),
        }

    def markdown(self) -> str:
        """The sentence for JupyterLab: the template's markdown stands, the values are escaped."""
        return self.template.format_map({name: _literal(text) for name, text in self.values.items()})


@dataclass(frozen=True)
class ShownHeading(ShownSentence):
    """A heading of level 2 that states what was measured below it."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            HEADING: self.__dict__,
            "text/markdown": f"## {self.markdown()}",
            "text/plain": self.template.format_map(self.values),
        }


@dataclass(frozen=True)
class ShownNote:
    """A boxed sentence of one kind."""

    kind: str
    template: str
    values: dict[str, str] = field(default_factory=dict)
    state: str = ""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        sentence = ShownSentence(self.template, self.values)
        return {
            NOTE: self.__dict__,
            "text/markdown": f"> **{self.kind.capitalize()}.** {sentence.markdown()}",
            "text/plain": f"{self.kind.capitalize()}: {self.template.format_map(self.values)}",
        }


Shown: TypeAlias = ShownSentence | ShownNote


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
    if absent:
        return instead(absent)
    return _sentence(template, values)


def sentence(text: str) -> Shown | str:
    """The text, all of it data, as a sentence; an empty text stays empty, as `absent=` takes it."""
    return _sentence("{text}", {"text": text}) if text else ""


def heading(template: str, /, *, absent: str = "", **values: Any) -> ShownHeading:
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
    sentence = _sentence(template.strip(), values)
    return ShownHeading(sentence.template, sentence.values)


def instead(absent: str | Shown) -> Shown:
    """What stands where something is absent: the reason as a limit, or the sentence given."""
    return note("limit", absent) if isinstance(absent, str) else absent


def _sentence(template: str, values: dict[str, Any]) -> ShownSentence:
    names = [(name, spec) for _, name, spec, _ in Formatter().parse(template) if name is not None]
    _check_names(template, {name for name, _ in names}, set(values))
    texts = {
        f"v{position}": _formatted(values[name], spec or "") for position, (name, spec) in enumerate(names)
    }
    return ShownSentence(in_words(_renumbered(template)), texts)


def note(kind: str, text: str, /, *, state: str = "", **values: Any) -> ShownNote:
    """A boxed sentence; `kind` is result, warning, limit or finding. Values as in `say`; without values,
    braces are just braces. `state`: the judgement that it tells, such as a rating, which gives its colour."""
    if kind not in KINDS:
        raise ValueError(f"note kind {kind!r} is none of {', '.join(KINDS)}")
    if not text.strip():
        raise ValueError(f"a note of kind {kind!r} needs words")
    sentence = (
        _sentence(text, values)
        if values
        else ShownSentence(in_words(text).replace("{", "{{").replace("}", "}}"), {})
    )
    return ShownNote(kind, sentence.template, sentence.values, state)


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


def _check_names(template: str, named: set[str], given: set[str]) -> None:
    for name in sorted(named - given):
        near = difflib.get_close_matches(name, sorted(given), 1)
        raise ValueError(
            f"the template names {{{name}}}, which is not "
            f"given{f'; did you mean {near[0]!r}?' if near else ''}: {template[:80]!r}"
        )
    if given - named:
        raise ValueError(f"{sorted(given - named)} given but not named in the template {template[:80]!r}")


def _formatted(value: Any, spec: str) -> str:
    if spec:
        shown = MISSING if is_missing(value) else clean(format(value, spec))
        return shown.replace("%", "\N{NO-BREAK SPACE}%")
    return in_words(value) if isinstance(value, str) and value.isidentifier() else value_text(value)


def _renumbered(template: str) -> str:
    parts, position = [], 0
    for words, name, _, _ in Formatter().parse(template):
        parts.append(words.replace("{", "{{").replace("}", "}}"))
        if name is not None:
            parts.append(f"{{v{position}}}")
            position += 1
    return "".join(parts)


def _literal(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$>])", r"\\\1", escape(text, quote=False).replace("\n", " "))
