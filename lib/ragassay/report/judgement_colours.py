"""The words of judgements, and the tone in which each is coloured, the same everywhere in the document."""

_WORDS = {  # of each tone
    "good": ("pass", "evidenced", "Fit for use", "same", "closed", "clear", "sufficient", "within"),
    "open": (
        "incomplete",
        "partly",
        "partly; result",
        "evidenced; result",
        "Fit with conditions",
        "Medium",
        "undecided",
        "none found",
        "not independent",
    ),
    "calm": ("Low", "not assessable", "Not assessable", "set aside", "not applicable"),
    "bad": (
        "fail",
        "not evidenced",
        "Not fit",
        "High",
        "Critical",
        "changed",
        "missing",
        "raised",
        "not sufficient",
        "over",
    ),
}
BOXES = dict.fromkeys(("warning", "limit", "gap"), "open") | dict.fromkeys(("finding", "failure"), "bad")
TONES = {word: tone for tone, words in _WORDS.items() for word in words}


def judgement(word: str) -> str:
    """The word of a state, without what qualifies it: `none found` of `none found, up to 22 %`, and
    `evidenced; result` of `evidenced; result: F8 open`."""
    return word.partition(",")[0].partition(":")[0]
