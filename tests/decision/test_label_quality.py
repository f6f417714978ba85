"""What the labels are worth, in one table: who, how many, how they agree, independent or not, what rests on them."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay.decision import label_quality
from ragassay.decision.findings.suspected_errors import UNCONFIRMED
from ragassay.decision.independence import Independence

CASES = pd.DataFrame({"case_id": ["a", "b", "c"], "origin": ["own", "own", "generated"]})
LABELS = pd.DataFrame({"case_id": ["a", "a", "b"], "rater": ["r1", "r2", "r1"]})


def findings(*sources: str, title: str = "T", also: tuple = ()) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"finding_id": f"F{n}", "title": title, "source": source, "also": list(also), "status": "open"}
            for n, source in enumerate(sources, 1)
        ]
    )


def worth(found, independent="no", labels=LABELS, validator="yes") -> dict:
    gates = judge(
        {"judged_grounded": "low >= 0.8", "retrieval_recall": "low >= 0.8"},
        {"judged_grounded": {"own": (95, 100)}, "retrieval_recall": {"own": (95, 100)}},
    )
    table = label_quality.worth(
        {"raters": "two clerks", "aside": 1}, labels, CASES, agreement={"grounded": "0.92 [0.77, 1.00]"},
        standing=Independence(independent, validator), gates=gates, findings=found, made="made on 2026-11-21, by their own record",
    )  # fmt: skip
    return dict(table.itertuples(index=False))


def test_every_question_on_the_labels_is_answered():
    told = worth(
        findings("errors:misleading", "gate:retrieval_recall|own", "weakness:judged_complete|topic|x")
    )
    assert told["Who rated"] == "two clerks."
    assert told["When"].startswith("Made on 2026-11-21, by their own record. A label counts for an answer of")
    assert told["How many answers"].startswith(
        "2 of 3: 2 of 2 to own questions, 0 of 1 to generated questions; 1 by two"
    )
    assert "1 labels were set aside" in told["How many answers"]
    assert "grounded 0.92 [0.77, 1.00]" in told["How far two raters agree"]
    assert "Gates: grounded (raters). Findings, in whole or in part: F1, F3." in told["What rests on them"]
    assert told["What does not"] == "Gates: retrieval recall. Findings: F2."


@pytest.mark.parametrize(
    "validator, ends",
    [("no", "wrote, who is not independent."), ("unstated", "independence is not stated."), ("yes", "F2.")],
)
def test_gates_that_rest_on_the_validators_own_marks_say_so(validator, ends):
    found = findings("errors:misleading", "gate:retrieval_recall|own")
    told = worth(found, validator=validator)["What does not"]
    assert told.endswith(ends) and ("Of these retrieval recall rest" in told) is (validator != "yes")


def test_what_instruments_alone_suspect_rests_on_no_label():
    told = worth(findings("errors:misleading", title=f"3 answers; {UNCONFIRMED}"))
    assert "in part: none." in told["What rests on them"] and told["What does not"].endswith("Findings: F1.")


def test_a_finding_that_absorbs_what_raters_said_rests_on_them_too():
    told = worth(findings("check:bias|age|declined", also=("gate:judged_grounded|own",)))
    assert "in part: F1." in told["What rests on them"]


def test_what_a_label_means_is_said_in_the_words_of_the_guide_or_said_to_be_missing():
    assert worth(findings("errors:misleading"))["What a label means"] == label_quality.UNSTATED_MEANING
    told = label_quality.meanings_in_words(
        {"grounded": "a needless refusal\n is not.", "relevant": "on topic"}
    )
    assert told == "By the raters' guide, grounded: a needless refusal is not; relevant: on topic."


@pytest.mark.parametrize(
    "independent, begins", [("no", "No, "), ("yes", "Yes, "), ("unstated", "Not stated")]
)
def test_independence_is_told_with_what_follows(independent, begins):
    assert worth(findings("errors:x"), independent)["Independent"].startswith(begins)
    assert independent in label_quality.HEADINGS


def test_without_labels_there_is_nothing_to_tell():
    assert worth(findings("errors:x"), labels=LABELS.head(0)) == {}


@pytest.mark.parametrize("standing", ["no", "unstated"])
def test_which_way_raters_lean_who_are_not_independent_is_not_claimed(standing):
    told = worth(findings("errors:misleading"), standing)["Independent"]
    assert "what they call met, and what they call missed" in told
    assert "kindly" not in told and "too good" not in told
