"""The chapters that the document makes of the kit's notebooks, and its annexes: ids, titles and order."""

from typing import NamedTuple


class Place(NamedTuple):
    """A chapter of the document: the title that it has where its notebook gives none, the notebook, and which
    of the notebook's headings of level 1 opens it."""

    title: str
    notebook: str
    opening: int = 0

    @property
    def anchor(self) -> str:
        """Where links to it lead."""
        return anchor_of(self.notebook, self.opening)


def anchor_of(notebook: str, opening: int) -> str:
    """The anchor of the chapter that the notebook's heading of level 1 of this place opens."""
    return f"chapter-{notebook}{f'-{opening + 1}' if opening else ''}"


CHAPTERS = {
    "system": Place("Scope and approach", "00_scope"),
    "soundness": Place("Conceptual soundness", "00_scope", 1),
    "questions": Place("Documents and questions", "01_test_generation"),
    "quality": Place("Answer quality", "02_functionality"),
    "safety": Place("Safety and access", "03_risk_safety"),
    "instruments": Place("Trust in the scores", "04_calibration"),
    "robustness": Place("Robustness", "05_robustness"),
    "weakness": Place("Weak spots", "06_weakness"),
    "decision": Place("Findings and decision", "07_conclusion"),
    "limits": Place("Limits, conditions, monitoring", "07_conclusion", 1),
}
SUMMARY = "Summary"  # the heading of level 1 whose chapter stands in front
NOTEBOOKS = {place.notebook: place.title for place in CHAPTERS.values() if not place.opening}
LAST = "07_conclusion"
ANNEXES = {  # their ids, which are their anchors, and titles, in the document's order
    "crosswalk": "Regulatory crosswalk",
    "annex-results": "Further results",
    "annex-methods": "Methods of what is reported",
    "annex-environment": "Environment and attached files",
}
ANCHORS = {  # of what a text may refer to, by its id
    **{name: place.anchor for name, place in CHAPTERS.items()},
    **{name: name for name in ("control", "sign-off", *ANNEXES)},
    "annex-files": "annex-environment",
}
NAMES = (  # by which a person may name a chapter
    *CHAPTERS,
    *NOTEBOOKS,
    *(place.title for place in CHAPTERS.values()),
    *(f"chapter {number}" for number in range(1, len(CHAPTERS) + 1)),
)
