"""Words in a line as runs, and the names by which links find their places."""

import hashlib
import re
from collections.abc import Iterable

from ragassay.report.blocks import (
    Break,
    Code,
    Emphasis,
    File,
    Formula,
    Inline,
    Inlines,
    Link,
    State,
    Strong,
    Text,
)
from ragassay.report.docx.formulas import formula
from ragassay.report.docx.markup import Element, run, w

LONGEST_NAME = 40  # letters that Word lets a bookmark have


class Words:
    """Writes words; knows the styles by name and the places that a link may point to."""

    def __init__(self, styles: dict[str, str], places: Iterable[str]):
        self.styles, self.places = styles, set(places)
        self.marked = 0

    def style(self, name: str) -> str:
        """The id of a style in this document."""
        return self.styles[name.lower()]

    def runs(self, words: Inlines, *marks: Element) -> list[Element]:
        """Words one after the other; `marks` are properties that all of them bear."""
        return [made for word in words for made in self._runs(word, marks)]

    def place(self, anchor: str, content: list[Element]) -> list[Element]:
        """The content between the ends of a bookmark, if links may point to it."""
        if not anchor:
            return content
        self.marked += 1
        start = w("bookmarkStart", id=self.marked, name=bookmark(anchor))
        return [start, *content, w("bookmarkEnd", id=self.marked)]

    def link(self, anchor: str, content: list[Element]) -> Element:
        """Content that leads to a place of this document."""
        return w("hyperlink", *content, anchor=bookmark(anchor), history=1)

    def _runs(self, word: Inline, marks: tuple[Element, ...]) -> list[Element]:  # noqa: C901 - a case a kind
        match word:
            case Text(text):
                return [run(text, *_copies(marks))]
            case State(text):
                return [run(text, self._named(f"Report {word.tone}"))]
            case Code(text):
                return [self._name(text, marks)]
            case Strong(children):
                return self.runs(children, *marks, w("b"))
            case Emphasis(children):
                return self.runs(children, *marks, w("i"))
            case Formula(tex):
                return [formula(tex)]
            case Link(children, anchor) if anchor in self.places:
                return [self.link(anchor, self.runs(children, self._named("Report Link"), *marks))]
            case Link(children, _):
                return self.runs(children, *marks)
            case File():
                return [self._name(word.name, marks)]
            case Break():
                return [w("r", w("br"))]
        raise TypeError(f"the Word writer does not know {type(word).__name__}")

    def _name(self, text: str, marks: tuple[Element, ...]) -> Element:
        """A name as a machine writes it; a run has one style, and a link's is seen anyway."""
        others = tuple(mark for mark in marks if not mark.tag.endswith("}rStyle"))
        return run(text, self._named("Report Name"), *_copies(others))

    def _named(self, name: str) -> Element:
        return w("rStyle", val=self.style(name))


def bookmark(anchor: str) -> str:
    """A name that Word takes for a bookmark; anchors that differ give names that differ."""
    name = "_" + re.sub(r"\W", "_", anchor, flags=re.ASCII)
    if name == f"_{anchor}" and len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 9]}_{hashlib.sha256(anchor.encode()).hexdigest()[:8]}"


def _copies(marks: tuple[Element, ...]) -> list[Element]:
    """An element has one place in a tree; each run needs its own."""
    return [w(mark.tag.rpartition("}")[2], **_values(mark)) for mark in marks]


def _values(mark: Element) -> dict[str, str]:
    return {name.rpartition("}")[2]: value for name, value in mark.attrib.items()}
