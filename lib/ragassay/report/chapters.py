"""The chapters that the document makes of the kit's notebooks, and its annexes: ids, titles and order."""

from typing import NamedTuple


class Place(NamedTuple):
    """A chapter of the document: its title, and the notebook whose untagged cells it holds."""

    title: str
    notebook: str


CHAPTERS = {
    "system": Place("System, use and risks", "00_scope"),
    "questions": Place("Questions and raters", "01_test_generation"),
    "quality": Place("Answer quality", "02_functionality"),
    "safety": Place("Safety and access", "03_risk_safety"),
    "robustness": Place("Robustness", "05_robustness"),
    "weakness": Place("Weak spots", "06_weakness"),
    "instruments": Place("Instruments", "04_calibration"),
    "decision": Place("Gates, findings and decision", "07_conclusion"),
}
HOMES = {place.notebook: name for name, place in CHAPTERS.items()}
NOTEBOOKS = {notebook: CHAPTERS[HOMES[notebook]].title for notebook in sorted(HOMES)}
ANNEXES = {  # their ids, which are their anchors, and titles, in the document's order
    "annex-results": "Further results",
    "annex-files": "Attached files",
    "annex-environment": "Environment and reproducibility",
    "annex-methods": "Formulas and references",
    "annex-glossary": "Glossary",
}
ANCHORS = {  # of what a text may refer to, by its id
    **{name: f"chapter-{place.notebook}" for name, place in CHAPTERS.items()},
    **{name: name for name in ("control", "sign-off", "crosswalk", *ANNEXES)},
}
NAMES = (  # by which a person may name a chapter
    *CHAPTERS,
    *HOMES,
    *(place.title for place in CHAPTERS.values()),
    *(f"chapter {number}" for number in range(1, len(CHAPTERS) + 1)),
)
