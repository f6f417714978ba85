"""Questions that should have been declined are told by why, and each kind has its remedy."""

import pandas as pd
import pytest

from ragassay.decision.findings import decline_kinds
from ragassay.decision.findings.decline_kinds import told_by_kind
from ragassay.tables import WHY_NO_ANSWER

DRAFT = {"condition": "3 of 5 were answered.", "failing": ["a", "b", "c"]}
BASE = pd.DataFrame({"case_id": list("abcde"), "origin": "own"})
OUTSIDE, ACCOUNT, USE = WHY_NO_ANSWER


def test_each_kind_is_counted_and_an_own_account_has_a_remedy_of_its_own():
    """Formerly a question on the customer's own account was one the documents do not answer."""
    found = told_by_kind(DRAFT, BASE.assign(why_no_answer=[OUTSIDE, ACCOUNT, USE, ACCOUNT, None]))
    assert found["condition"].endswith(
        f"By why declining was right: {OUTSIDE} 1 of 1, {ACCOUNT} 1 of 2, {USE} 1 of 1, "
        f"{decline_kinds.NOT_STATED} 0 of 1."
    )
    assert found["of_a_kind"].startswith(f"for the 2 on {ACCOUNT} or {USE}: recognise questions beyond")


@pytest.mark.parametrize("origin, said", [("own", decline_kinds.UNKNOWN), ("generated", f"{OUTSIDE} 3 of 5")])
def test_what_the_questions_do_not_state_is_not_guessed(origin, said):
    found = told_by_kind(DRAFT, BASE.assign(origin=origin))
    assert said in found["condition"] and not found.get("of_a_kind")
