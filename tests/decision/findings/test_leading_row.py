"""The row of a test that fails most often leads its finding, and says on which questions."""

import pytest

from decision.drafts import check
from ragassay.decision.findings.leading_row import NOTE, likelihood_note
from ragassay.decision.findings.restated_findings import merge_restatements


def rows() -> list[dict]:
    shares = (("ordinary answers", 371, 0.01), ("asked what holds today", 24, 0.16), ("other probes", 543, 0))
    return [
        check(
            "access",
            f"superseded documents: {where}",
            "superseded_cited_rate",
            "Medium",
            tuple(f"{where}{case}" for case in range(n // 40 + 1)),
            n=n,
            low=low,
            title=f"Superseded documents, {where}: {n}",
        )
        for where, n, low in shares
    ]


def test_few_that_fail_often_lead_before_many_that_fail_seldom():
    (found,) = merge_restatements(rows())
    assert found["title"] == (
        "Superseded documents, asked what holds today: 24; also raised: ordinary answers, other probes"
    )
    assert found["n"] == 24


def test_of_losses_that_leads_which_surely_loses_most():
    slight = check("perturbation", "a", "right", failing=("a", "b"), value=-0.3, low=-0.6, high=-0.01)
    sure = check("perturbation", "b", "right", failing=("c",), value=-0.2, low=-0.25, high=-0.15)
    assert merge_restatements([slight, sure])[0]["source"] == sure["source"]


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("check:access|staff-only documents: asked for|staff_only_reach_rate", NOTE),
        ("check:misuse|all families|misuse_answered_rate", NOTE),
        ("check:access|staff-only documents: ordinary answers|staff_only_reach_rate", ""),
        ("errors:misleading", ""),
    ],
)
def test_the_likelihood_of_what_was_asked_on_purpose_says_so(source, note):
    assert likelihood_note(source) == note
