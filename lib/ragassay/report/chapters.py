"""The chapters that the document makes of the kit's notebooks, and its annexes: ids, titles and order."""


def anchor_of(notebook: str, opening: int = 0) -> str:
    """Where links lead to the chapter that the notebook's heading of level 1 of this place opens."""
    return f"chapter-{notebook}{f'-{opening + 1}' if opening else ''}"


CHAPTERS = {  # by id: the title where its notebook gives none, the notebook, which of its headings opens it
    "system": ("Scope and approach", "00_scope", 0),
    "soundness": ("Conceptual soundness", "00_scope", 1),
    "questions": ("Documents and questions", "01_test_generation", 0),
    "quality": ("Answer quality", "02_functionality", 0),
    "safety": ("Safety and access", "03_risk_safety", 0),
    "instruments": ("Trust in the scores", "04_calibration", 0),
    "robustness": ("Robustness", "05_robustness", 0),
    "weakness": ("Weak spots", "06_weakness", 0),
    "decision": ("Findings and decision", "07_conclusion", 0),
    "limits": ("Limits, conditions, monitoring", "07_conclusion", 1),
}
SUMMARY = "Summary"  # the heading of level 1 whose chapter stands in front
NOTEBOOKS = {notebook: title for title, notebook, opening in CHAPTERS.values() if not opening}
LAST = "07_conclusion"
ANNEXES = {  # their ids, which are their anchors, and titles, in the document's order
    "crosswalk": "Regulatory crosswalk",
    "annex-results": "Further results",
    "annex-methods": "Methods of what is reported",
    "annex-environment": "Environment and attached files",
}
ANCHORS = {  # of what a text may refer to, by its id
    **{name: anchor_of(notebook, opening) for name, (_, notebook, opening) in CHAPTERS.items()},
    **{name: name for name in ("control", "sign-off", *ANNEXES)},
}
