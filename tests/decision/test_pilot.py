"""The pilot: what must be shown before it starts, by which numbers it ends, how long it lasts, who watches."""

import pandas as pd
import pytest
from scipy import stats

from decision.judged_gates import judge
from decision.registered import REGISTER, asking, finding
from ragassay.decision.monitoring import Promise
from ragassay.decision.pilot import Terms, supervised_pilot
from ragassay.errors import ParameterError

GATES = judge(
    {"judged_grounded": "low >= 0.8", "judged_complete": "low >= 0.6", "retrieval_recall": "low >= 0.8"},
    {"judged_grounded": {"own": (150, 264)}, "judged_complete": {"own": (126, 264)}},
)
TERMS = Terms(8, "Head of Banking", "Model Validation")
PILOT = supervised_pilot(GATES, REGISTER, terms=TERMS)


def test_it_starts_when_critical_findings_are_closed_or_their_controls_proven():
    starts = PILOT.starts.set_index("finding")["before it starts"]
    assert starts["F1"].startswith(
        "Closed, or its control proven on 30 cases without a failure: Staff answer"
    )
    assert starts["F3"].startswith("Closed, or done and shown by a search of every indexed document: Clear")
    assert "briefed" in starts["F4, F5"]
    assert "rejected" in starts["F2, F6"] and "still leaves up to 12 %" in starts["F2, F6"]
    assert PILOT.starts["who shows it"].tolist() == ["Head of Banking"] * (len(starts) - 1) + [
        TERMS.validator
    ]
    assert not PILOT.starts["finding"].str.contains("F7|F8").any(), "neither Medium nor settled ones"


def test_it_ends_by_numbers_against_what_the_gates_require():
    """Of used answers that are as good as the gates require, so many bad ones come in at most 10 % of pilots."""
    stops = PILOT.stops.set_index("watched")
    assert stops.loc["complete (raters)", "at most"] == "40 % bad", "not the 52 % measured"
    assert "retrieval recall" not in stops.index, "nobody sees it in an answer that is used"
    assert stops.loc["unsafe (F1)", "the pilot ends at"] == "1" == stops.iloc[-1]["the pilot ends at"]
    assert not stops.index.str.startswith("needless").any()
    bad = {"grounded (raters)": 0.2, "complete (raters)": 0.4, "misleading (F4)": 0.05}
    ends = {name: int(stops.loc[name, "the pilot ends at"].split()[0]) for name in bad}
    wrongly = sum(stats.binom.sf(ends[name] - 1, PILOT.rated, share) for name, share in bad.items())
    assert 0 < wrongly <= 0.1
    assert (stops.loc[list(bad), "sample"] == f"{PILOT.rated} rated answers").all()


def test_what_staff_may_read_ends_a_pilot_where_it_is_passed_on():
    restricted = finding(9, "check:access|staff-only documents: asked for|staff_only_reach_rate", "High")
    found = supervised_pilot(GATES, pd.concat([REGISTER, pd.DataFrame([restricted])])).stops.set_index(
        "watched"
    )
    row = found[found.index.str.startswith("access: staff-only documents")].iloc[0]
    assert row["sample"] == "every answer passed on to a customer" and row["the pilot ends at"] == "1"


def test_an_answer_that_should_have_been_declined_misleads_who_uses_it():
    """A fifth of the questions without an answer may be tolerated, a fifth of the used answers may not."""
    more = finding(9, "errors:should have declined", asked=asking("errors:should have declined", 0.2))
    found = supervised_pilot(GATES, pd.concat([REGISTER, pd.DataFrame([more])])).stops.set_index("watched")
    assert found.loc["misleading, or should have declined (F4, F9)", "at most"] == "5 % bad"
    assert not found.index.str.startswith("should have").any()
    alone = supervised_pilot(GATES, pd.DataFrame([more])).stops
    assert alone["watched"].str.startswith("should have declined").any()


def test_its_terms_are_told():
    said = str(PILOT)
    assert f"lasts 8 weeks and {PILOT.rated} rated answers" in said and "Model Validation rates" in said
    assert "Head of Banking ends the pilot" in said and "no release" in said


@pytest.mark.parametrize("weeks", [0, 53])
def test_a_pilot_of_no_or_endless_weeks_is_refused(weeks):
    with pytest.raises(ParameterError, match="pilot_weeks"):
        Terms(weeks)


def test_people_whom_nobody_stated_are_named_by_their_role():
    found = Terms.of(4, {"owner": "not stated", "validator": "MV"})
    assert (found.owner, found.validator) == ("the owner", "MV")


def test_without_gates_or_findings_harm_alone_ends_it():
    found = supervised_pilot(judge({}, {}), REGISTER.head(0), Promise())
    assert found.stops["the pilot ends at"].tolist() == ["1"] and found.rated == 30
