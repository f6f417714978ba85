"""The words of judgements, and the tone in which each is coloured, the same everywhere in the document."""

_WORDS = {  # of each tone
    "good": ("pass", "evidenced", "Fit for use", "same", "closed", "clear", "sufficient", "within"),
    "open": ("incomplete", "partly", "Fit with conditions", "Medium", "undecided"),
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
TONES = {word: tone for tone, words in _WORDS.items() for word in words}
