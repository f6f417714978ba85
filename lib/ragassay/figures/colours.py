"""Every colour of the figures, by what it says; the hues of Okabe and Ito (2008), which colour-blind readers
tell apart.

Colour never speaks alone: a flagged row has a diamond too, a rejected answer a cross, an unflagged cell no
    frame.
"""

_BLUE, _ORANGE, _GREEN, _PINK = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
_SKY, _RED = "#56B4E9", "#D55E00"
_PALE_GREEN, _PALE_RED, _PALE_GREY = "#CFE8DF", "#F6D5C3", "#EEEEEE"

# words and lines
PAPER = "white"
TEXT = "#222222"
NOTE = "#666666"  # words beside the data, axes
GRID = "#D9D9D9"
REFERENCE = TEXT  # the line that data are read against: a threshold, no difference, what was promised

# estimates
INTERVAL = _BLUE
FLAGGED = _RED  # weak or worse beyond chance
POINT = _BLUE  # one question
MEAN = _RED
OUTLINE = _SKY  # the bars of probabilities and of coverage
OUTCOMES = {"better": _GREEN, "worse": FLAGGED, "no significant difference": INTERVAL}

# decisions and checks
ACCEPTED, REJECTED = _GREEN, _RED
REGIONS = {"reject": _PALE_RED, "review": _PALE_GREY, "accept": _PALE_GREEN}
CHECKS = {"passed": _PALE_GREEN, "failed": _RED, "unparsed": TEXT}
ANSWERS = {  # kinds of answers
    "good": _GREEN,
    "partial": _SKY,
    "misleading": _RED,
    "needless refusal": "#BBBBBB",
    "should have declined": _ORANGE,
    "unsafe": TEXT,
    "not judged": _PALE_GREY,
}
DARK_ANSWERS = ("good", "misleading", "unsafe")  # with light letters

# curves, cells, categories
CATEGORIES = (_BLUE, _ORANGE, _GREEN, _PINK, _SKY, _RED, "#6A5ACD", "#8C6D31", "#555555")


def category(position: int) -> str:
    """The colour of the n-th category."""
    return CATEGORIES[position % len(CATEGORIES)]
