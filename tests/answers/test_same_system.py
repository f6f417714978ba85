"""What the trace says of an assistant that was asked."""

import pandas as pd

from ragassay import provenance
from ragassay.answers import engagement_answers
from ragassay.answers.question_inputs import NOT_APPLICABLE


def test_a_question_that_cannot_be_asked_of_this_assistant_did_not_fail(monkeypatch):
    noted: list[dict] = []
    monkeypatch.setattr(provenance, "append", noted.append)
    errors = ["", None, f"{NOT_APPLICABLE}it needs the hook `history`", "no answer within 1 s"]
    given = pd.DataFrame({"error": errors})
    given.attrs["asked"] = {"said": "", "taken_up": None}
    engagement_answers.note_asked("a:b", None, {"allow": []}, False, given)
    assert noted[0]["failed"] == 1
