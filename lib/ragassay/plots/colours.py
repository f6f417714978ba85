"""Every colour of the figures, by what it says; the hues of Okabe and Ito (2008), which colour-blind readers
tell apart.

Colour never speaks alone: a flagged row has a diamond too, a rejected answer a cross.
"""

BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
PALE_GREEN, PALE_RED, PALE_GREY = "#CFE8DF", "#F6D5C3", "#EEEEEE"

PAPER, TEXT, NOTE, GRID = "white", "#222222", "#666666", "#D9D9D9"
INTERVAL = BLUE  # estimates; one question
FLAGGED = RED  # weak or worse beyond chance
ACCEPTED, REJECTED = GREEN, RED

OUTCOMES = {  # colour and marker, of differences and of gates
    "better": (GREEN, "s"),
    "worse": (FLAGGED, "D"),
    "pass": (ACCEPTED, "o"),
    "fail": (REJECTED, "D"),
    "incomplete": (NOTE, "s"),
}
REGIONS = {"reject": PALE_RED, "review": PALE_GREY, "accept": PALE_GREEN}
CHECKS = {"passed": PALE_GREEN, "failed": RED, "unparsed": TEXT}
ANSWERS = {  # kinds of answers
    "good": GREEN,
    "partial": SKY,
    "misleading": RED,
    "needless refusal": "#BBBBBB",
    "should have declined": ORANGE,
    "unsafe": TEXT,
    "not judged": PALE_GREY,
}
DARK = (GREEN, RED, TEXT, BLUE)  # with light letters
CATEGORIES = (BLUE, ORANGE, GREEN, PINK, SKY, RED, "#6A5ACD", "#8C6D31", "#555555")  # topics
