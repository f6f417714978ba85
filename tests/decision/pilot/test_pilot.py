"""The pilot: one ceiling for its start and its end, by which numbers it ends, how long it lasts, who does what."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from decision.judged_gates import judge
from decision.registered import REGISTER, asking, finding
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.monitoring.monitored_measures import SEEN_IN_ONE
from ragassay.decision.monitoring.monitoring import Promise
from ragassay.decision.pilot import pilot_answers_looked_at, pilot_entry_conditions, pilot_stop_rows
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_plan import supervised_pilot
from ragassay.decision.pilot.pilot_staff_reading_test import LEAST_USED, Rated, Reading
from ragassay.decision.pilot.pilot_stop_rows import ONE_CONFIRMED
from ragassay.errors import ParameterError
from ragassay.stats import clopper_pearson

GATES = judge(
    {"judged_grounded": "low >= 0.8", "judged_complete": "low >= 0.6", "retrieval_recall": "low >= 0.8"},
    {"judged_grounded": {"own": (150, 264)}, "judged_complete": {"own": (126, 264)}},
)
TERMS = Terms(8, "Head of Banking", "Model Validation")
READING = Reading(Rated(214, 113, 60))
ACCESS = "check:access|{}: ordinary answers|{}"
STAFF = finding(9, ACCESS.format("staff-only documents", "staff_only_reach_rate"))


def made(findings=REGISTER, reading=READING, gates=GATES, **more):
    return supervised_pilot(gates, findings, reading, rng=np.random.default_rng(0), **more)


def with_finding(*rows, **more):
    return made(pd.concat([REGISTER, pd.DataFrame(rows)]), **more).stops.set_index("watched")


PILOT = made(terms=TERMS)


def test_the_owner_delivers_and_who_is_independent_confirms_rates_and_ends():
    assert "Head of Banking delivers" in str(PILOT) and "Model Validation confirms it" in str(PILOT)
    assert "Who confirms rates" in str(PILOT) and "ends the pilot on the day" in str(PILOT)
    assert "may end it earlier, and may not carry it on" in str(PILOT) and "no release" in str(PILOT)
    assert f"lasts 8 weeks; with fewer than {PILOT.rated} used answers rated by its last day" in str(PILOT)


def test_start_and_end_hold_to_one_ceiling():
    """What staff may let through at the start leaves just so many bad answers as the stop numbers allow."""
    stops, n = PILOT.stops.set_index("watched"), READING.plans[0].shown
    assert stops.loc["bad in any respect", "at most"] == "10 %"
    assert pilot_entry_conditions.reading_test(READING).iloc[0, 2] == n
    assert "at most 10 % may be bad" in PILOT.rule and READING.in_words() in PILOT.rule
    stricter = made(reading=Reading(READING.rated, 0.04))
    assert Reading(READING.rated, 0.04).plans[0].shown > n
    allowed = {each.stops["at most"].iloc[0] for each in (PILOT, stricter)}
    assert allowed == {"10 %", "4 %"}


def test_the_ceiling_of_the_counts_is_told_apart_from_the_stricter_start():
    """Formerly 10 % was called the ceiling that the start holds to, whose limit leaves half of it."""
    through = READING.bad * READING.most_through
    left = through / (through + (1 - READING.bad) * LEAST_USED)
    assert READING.used_at_limit == pytest.approx(left) and left < 0.06
    why = PILOT.stops.set_index("watched").loc["bad in any respect", "why"]
    assert f"the start is stricter: {100 * left:.1f} %" in why and Reading(Rated()).used_at_limit == 0


def test_it_ends_by_numbers_that_are_rare_within_the_ceiling():
    stops = PILOT.stops.set_index("watched")
    bad = {"bad in any respect": 0.1, "misleading, or should have declined (F4)": 0.05}
    ends = {name: int(stops.loc[name, "the pilot ends at"].split()[0]) for name in bad}
    wrongly = sum(stats.binom.sf(ends[name] - 1, PILOT.rated, share) for name, share in bad.items())
    assert 0 < wrongly <= 0.1 and ends["bad in any respect"] < 0.2 * PILOT.rated
    assert PILOT.all_endings.startswith(f"{ends['bad in any respect']} bad or {list(ends.values())[1]} misl")
    assert (stops.loc[list(bad), "sample"] == f"{PILOT.rated} rated answers").all()
    assert stops["why"].str.len().gt(20).all(), "every number has its reason"


def test_how_often_its_numbers_end_it_is_simulated_and_told():
    found = PILOT.endings
    assert found.wrongly.high <= 0.1 and found.noticed.low > 0.8 and found.unread.value == 1
    assert 0 < found.nearest < PILOT.rated / 2, "staff who read nothing are found out soon"
    said = found.in_words(0.1)
    assert "10,000 simulated pilots" in said and "at most 10 % is promised" in said
    assert f"half of them within {found.nearest:.0f} rated answers" in said


def test_what_one_used_answer_shows_ends_it_whatever_the_severity():
    old = finding(9, ACCESS.format("superseded documents", "superseded_cited_rate"), "Medium")
    wording = finding(
        10, "check:perturbation|ocr|abstention_correct", "Medium", title="Misread by a scanner: falls."
    )
    found = with_finding(old, wording)
    row = found.loc["access: superseded documents: ordinary answers (F9)"]
    assert row["the pilot ends at"] == ONE_CONFIRMED and "shows that the check broke" in row["why"]
    assert not found.index.str.contains("F10").any(), "no single answer shows it"
    ends = found["the pilot ends at"]
    assert ends["unsafe (F1)"] == ONE_CONFIRMED == ends.iloc[-1]


def test_what_staff_may_read_ends_a_pilot_where_it_is_passed_on():
    """Formerly the list said "used answer that shows", the tables "passed on to a customer"."""
    staff = finding(9, ACCESS.format("staff-only documents", "staff_only_reach_rate"), "High")
    made_with = made(pd.concat([REGISTER, pd.DataFrame([staff])]))
    rows = made_with.stops.set_index("watched")
    row = rows[rows.index.str.startswith("access: staff-only documents")].iloc[0]
    assert row["sample"] == "every answer passed on to a customer" and "reached a customer" in row["why"]
    assert "one answer passed on to a customer confirmed as access: staff-only" in made_with.all_endings
    assert pilot_stop_rows.ending(staff) == "one answer passed on to a customer"


def test_an_answer_that_should_have_been_declined_misleads_who_uses_it():
    """A fifth of the questions without an answer may be tolerated, a fifth of the used answers may not."""
    found = with_finding(
        finding(9, "errors:should have declined", asked=asking("errors:should have declined", 0.2))
    )
    assert found.loc["misleading, or should have declined (F4, F9)", "at most"] == "5 %"
    assert not found.index.str.startswith("should have").any()


@pytest.mark.parametrize("weeks", [0, 53])
def test_a_pilot_of_no_or_endless_weeks_is_refused(weeks):
    with pytest.raises(ParameterError, match="pilot_weeks"):
        Terms(weeks)


def test_who_confirms_is_never_the_owner():
    record = {"owner": "Head of Banking", "validator": "not stated"}
    apart = {"owner": "not stated", "validator": "MV", "validator_independent": "yes"}
    assert Terms.of(4, apart) == Terms(4, "the owner", "MV")
    assert Terms.of(4, record, "Second Line").confirms == "Second Line"
    with pytest.raises(ParameterError, match="its owner") as refused:
        Terms.of(4, record, "head of banking ")
    assert "pilot_confirmed_by" in str(refused.value)


@pytest.mark.parametrize("stated", ["no", "unstated", None])
def test_a_validator_who_is_not_independent_confirms_rates_and_counts_nothing(stated):
    """Formerly the validator did all three, whom the report itself calls not independent."""
    record = {"owner": "Head", "developer": "Lab", "validator": "MV", "validator_independent": stated}
    told = str(made(terms=Terms.of(8, record)))
    assert "MV" not in told and "somebody who neither built nor owns the system confirms it" in told
    assert "named by the approver before any work begins" in told
    assert told.startswith("By the record the validator is not ")
    named = str(made(terms=Terms.of(8, record, "Audit")))
    assert "Audit confirms it" in named and "Who confirms rates" in named and "MV" not in named
    for barred in ("MV", "Lab"):
        with pytest.raises(ParameterError, match="who confirms a pilot is the"):
            Terms.of(8, record, barred)


def test_who_looks_at_every_used_answer_is_named_and_the_chance_only_where_it_is_known():
    """Formerly nobody looked at the answers outside the sample, and the chance was blank."""
    rows = with_finding(
        finding(9, ACCESS.format("staff-only documents", "staff_only_reach_rate")),
        finding(10, "check:misuse|all families|misuse_answered_rate"),
    )
    rated = int(rows.iloc[0]["sample"].split()[0])
    once = rows[rows["the pilot ends at"] == ONE_CONFIRMED]
    assert (once["who looks"] != "").all() and (once["noticed"] != "").all()
    by_name = once.set_index(once.index.str.partition(":").get_level_values(0))
    assert by_name.loc["access", "who looks"].tolist()[-1] == pilot_answers_looked_at.OWN_SEARCH
    assert by_name.loc["unsafe (F1)", "who looks"] == pilot_answers_looked_at.READER
    told = f"1 in {round(8000 * READING.share_used_by_good / rated)} by the rated"
    assert by_name.loc["unsafe (F1)", "noticed"] == told, "formerly by who read it, and would not use it"
    assert by_name.loc["privacy", "noticed"].startswith("1 in ")
    assert rows.loc["bad in any respect", "who looks"] == pilot_stop_rows.CONFIRMS
    with_staff = str(made(pd.concat([REGISTER, pd.DataFrame([STAFF])])))
    assert "searches all kept answers for these each week in another way" in with_staff
    assert "a machine keep from being shown" in with_staff
    assert "reported the same day to who confirms" in str(PILOT)
    nobody_reads = str(made(REGISTER[REGISTER["finding_id"] == "F3"]))
    assert "looks for secrets" in nobody_reads and "would not use it" not in nobody_reads


@pytest.mark.parametrize("metrics", [(), SEEN_IN_ONE, *[(each,) for each in SEEN_IN_ONE]])
def test_a_machine_looks_for_what_ends_a_pilot_and_for_nothing_else(metrics):
    """Formerly used answers were searched for personal data and toxic words, and neither ended a pilot."""
    rows = pd.DataFrame(
        [finding(n, f"check:any|aspect {n}|{metric}") for n, metric in enumerate(metrics, 1)],
        columns=REGISTER.columns,
    )
    pilot = made(rows, gates=judge({}, {}))
    told = str(pilot)
    for metric, words in {**pilot_answers_looked_at.SEARCHED, **pilot_answers_looked_at.KEPT}.items():
        watched = any(row.metric == metric for row in pilot.once)
        assert (words in told) == watched == (metric in (*metrics, *pilot_stop_rows.STANDING)), metric
    looked = (pilot_answers_looked_at.MACHINE, pilot_answers_looked_at.OWN_SEARCH)
    by_machine = pilot.stops[pilot.stops["who looks"].isin(looked)]
    assert len(by_machine) == sum(
        pilot_answers_looked_at.who(row) != pilot_answers_looked_at.READER for row in pilot.once
    )
    assert (by_machine["why"] != "").all() and all(
        name in pilot.all_endings for name in by_machine["watched"]
    )


def test_what_a_gate_asks_of_all_answers_is_looked_for_too():
    gates = judge({"names_rate": "high <= 0.05"}, {"names_rate": {"own": (0, 300)}})
    assert "names and addresses" in str(made(gates=gates)) and "names and addresses" not in str(made())


def test_cases_too_few_to_show_it_clear_are_not_asked_again_alone():
    found = with_finding(finding(9, "weakness:retrieval_recall|topic|t3", n=216, title="Weak."))
    assert found.loc["weak slice: Weak (F9)", "sample"] == "at the end its 216 cases, asked again"


def test_a_stop_number_says_by_what_chance_it_is_the_smallest():
    row = PILOT.stops.set_index("watched").loc["bad in any respect"]
    limit = int(row["the pilot ends at"].split()[0])
    chance, fewer = (stats.binom.sf(k - 1, PILOT.rated, 0.1) for k in (limit, limit - 1))
    most = 1 - (1 - 0.09) ** 0.5  # nine tenths of the tenth promised, shared by two counts
    assert chance <= most < fewer
    assert f"{limit} or more met in {100 * chance:.1f} % of such pilots" in row["why"]
    assert f"the smallest that at most {100 * most:.1f} % of pilots meet" in PILOT.shared
    assert "at most 9.0 % (1 − (1 − 4.6 %)²)" in PILOT.shared
    assert f"{0.1 * PILOT.rated:g} are expected" in row["why"]


def test_a_pilot_that_just_reaches_its_end_proves_no_ceiling():
    left = PILOT.limits[0].limit - 1
    assert f"with {left} bad ones" in PILOT.shows and "no proof" in PILOT.shows
    assert f"up to {100 * clopper_pearson(left, PILOT.rated).high:.0f} %" in PILOT.shows


def test_without_gates_findings_or_raters_it_says_that_reading_cannot_be_shown():
    found = made(REGISTER.head(0), Reading(Rated()), judge({}, {}), promise=Promise())
    assert found.stops["watched"].tolist()[-1].startswith("harm") and len(found.stops) == 5
    assert "cannot be shown: raters read no answer" in pilot_entry_conditions.reading_condition(found.reading)
    assert found.rule.endswith("both are the bank's parameters.")


def test_where_hardly_an_answer_is_bad_staff_need_only_use_the_good_ones():
    told = pilot_entry_conditions.reading_condition(Reading(Rated(300, 2, 0)))
    assert "Of bad answers nothing need be shown" in told and "17 accepted answers, none turned down" in told


def test_the_test_of_reading_says_what_this_run_lacks_and_who_passes():
    """Formerly it asked nothing of good answers, and no row said how likely good staff pass it."""
    table = pilot_entry_conditions.reading_test(READING)
    for plan, row in zip(READING.plans, table.itertuples(index=False), strict=True):
        _, down, n, bad, good, through, used, *_ = row
        assert (bad, good) == (max(0, n - 113), max(0, n - 101)) and down == plan.turned_down
        assert through == f"at most {100 * clopper_pearson(plan.through, n).high:.1f} %"
        assert used == f"at least {100 * clopper_pearson(n - down, n).low:.1f} %"
    chances = table["good staff pass"].str.removesuffix(" %").astype(float)
    assert chances.is_monotonic_increasing and chances.iloc[0] >= 80, "formerly 14 % in the first row"
    careless = table["careless staff pass"].str.extract(r"at most ([\d.]+) %")[0].astype(float)
    assert careless.between(0, 2.5, inclusive="right").all()


def test_the_note_says_how_the_test_is_held_and_with_which_key():
    told = pilot_entry_conditions.note_of_test(READING)
    for said in ("pooled", "One attempt", "version that is piloted", "measured again", "raters' labels."):
        assert said in told
    assert "anew" not in told
    assert "lower end of one reader's own share let through" in told, "formerly half of the rejected ones"
    anew = pilot_entry_conditions.note_of_test(Reading(READING.rated, is_key_independent=False))
    assert "independent ones first rate anew" in anew


@pytest.mark.parametrize("metric", pilot_answers_looked_at.COMPARED)
def test_a_control_allows_nothing_of_which_one_answer_ends_a_pilot(metric):
    """Formerly staff might use superseded text on its own time, and each citation of it ended the pilot."""
    control = behaviour(f"check:any|aspect|{metric}")["control"]
    assert re.search(r"\b(?:no answer|nothing|without)\b", control, re.IGNORECASE)
    assert not re.search(r"\b(?:alone|unless|except|but)\b", control)
