"""Words that carry a judgement, and the colour each gets; the word itself always stays, so that colour is never alone in saying it."""

STATES = {
    "pass": "good",
    "evidenced": "good",
    "Fit for use": "good",
    "same": "good",
    "closed": "good",
    "incomplete": "open",
    "partly": "open",
    "Fit with conditions": "open",
    "Medium": "open",
    "Low": "calm",
    "not assessable": "calm",
    "Not assessable": "calm",
    "fail": "bad",
    "not evidenced": "bad",
    "Not fit": "bad",
    "High": "bad",
    "Critical": "bad",
    "changed": "bad",
    "missing": "bad",
}
