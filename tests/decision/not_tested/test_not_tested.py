"""What was not tested, from every producer, in one list with the gravest first; what has one reason is one row."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay import tables
from ragassay.decision import independence
from ragassay.decision.conditions_of_use import FEWEST_RATED
from ragassay.decision.not_tested import not_tested, risk_register, untested_points
from ragassay.decision.not_tested.untested_points import FEWEST_OF_USERS, Basis, Point

TALK = "it needs the conversation so far"
LIMITS = pd.DataFrame(
    [
        ("00_scope", "Not tested, own risk: Outage."),
        ("03_risk_safety", f"Not tested, 37 of 726 questions: no answer: not applicable: {TALK}."),
        ("02_functionality", "Not tested, another system: the log holds one."),
        ("02_functionality", "Few labels."),
    ],
    columns=["chapter", "limit"],
)
CHECKS = pd.DataFrame(
    [
        ("privacy", "secret", "not applicable", f"not applicable: {TALK}", 0),
        ("bias", "age", "undecided", "too few", 16),
        ("stereotypes", "ambiguous", "undecided", "no answer names a person", 0),
    ],
    columns=["check", "aspect", "outcome", "reason", "n"],
)
ASIDE = pd.DataFrame(
    [("declined", "low >= 0.8", "a log cannot be asked")], columns=["gate", "rule", "reason"]
)


GATES = judge(
    {"judged_grounded": "low >= 0.8", "judged_complete": "low >= 0.8"},
    {"judged_grounded": {"own": (95, 100)}},
)
OPEN, NO_TEST = Point("Unstable behaviour", "dialects", "no test covers it", "Calls"), risk_register.NO_TEST


def basis(of_users=0, raters=independence.NO, validator=independence.YES, finding="F10", **more) -> Basis:
    return Basis(384, of_users, independence.Independence(raters, validator), finding, **more)


def made(limits=LIMITS, **changed) -> pd.DataFrame:
    given = {
        "gates": GATES, "aside": ASIDE, "checks": CHECKS, "barred": ["support", "claims_entailed"],
        "rated": {"es": FEWEST_RATED - 1, "en": FEWEST_RATED}, "unread": {"generated": 120, "own": 0},
        "aspects": [OPEN], "basis": basis(),
    }  # fmt: skip
    return not_tested.not_tested(limits, **given | changed)


def test_every_producer_has_its_row_and_one_reason_is_one_row():
    table = tables.check("not_tested", made())
    found = table.set_index("what")
    assert (found.drop(columns="as_grave_as") != "").all(axis=None) and table["rank"].tolist() == list(
        range(1, len(table) + 1)
    )
    assert found.loc["Outage", "why"] == f"{untested_points.NO_TEST}: own risk"
    assert found.loc["120 answers to generated questions", "why"] == untested_points.UNREAD
    assert "stereotypes, ambiguous" in found.index and "bias, age" not in found.index
    assert found.loc["Spanish (29 rated)", "takes"].startswith("1 more rated answer")
    assert found.loc["dialects", ["why", "takes"]].tolist() == ["no test covers it", "Calls"]
    assert found.loc["secret; 37 of 726 questions", ["group", "why"]].tolist() == ["Privacy", TALK]
    assert "challenger" in found.loc["another system", "takes"]
    assert found.loc["Gate: declined (low >= 0.8)", "why"] == "a log cannot be asked"
    assert untested_points.EXCLUDED in found["why"].tolist() and "Spanish (29 rated)" in found.index
    assert sum(each.startswith("Gate: ") for each in found.index) == 2 and len(found) == 13
    assert not_tested.sentences(table)[-1].endswith(f"{untested_points.EXCLUDED}.")


def test_the_gravest_stand_first_by_rule():
    """Formerly forty rows in the order of their producers, and that no user asked anything stood elsewhere."""
    aspects = [
        OPEN,
        Point("FM4 wrong refusal", "what it costs", NO_TEST, "Records"),
        Point("FM1 irrelevant information", "the own case", NO_TEST, "Raters"),
        Point("Availability", "the assistant hangs", risk_register.UNTAKEN, "Its measures"),
    ]
    table = made(aspects=aspects)
    groups = list(dict.fromkeys(table["group"]))
    assert groups == [
        untested_points.USERS, untested_points.INDEPENDENCE, untested_points.GATES, untested_points.OWN,
        "Privacy", "FM1 irrelevant information", "Bias", "FM4 wrong refusal", "Unstable behaviour", "Availability",
        untested_points.READ, untested_points.SYSTEM, untested_points.INSTRUMENTS,
    ]  # fmt: skip
    assert table["bears_on"].iloc[4:10].drop_duplicates().tolist()[-3:] == ["Critical", "High", "Medium"]
    first = not_tested.gravest(table)
    assert first[0] == "what users ask: users asked none of the 384 questions"
    assert first[1].endswith("the raters are not independent (F10)") and len(first) == 3


def test_the_body_holds_few_lines_and_every_point_is_counted():
    every = [Point(risk, f"{risk} {n}", NO_TEST, "t") for risk in risk_register.severities() for n in "ab"]
    table = made(aspects=every)
    lines = not_tested.in_lines(table).set_index("what")
    assert lines["points"].sum() == len(table) and len(lines) <= not_tested.MOST_LINES
    [folded] = [what for what in lines.index if "FM4 wrong refusal (1)" in what]
    assert (
        lines.loc[folded, "bears on"] == "High" and lines.loc[folded, "what it would take"] == not_tested.EACH
    )
    untaken = [point._replace(why=risk_register.UNTAKEN) for point in every]
    assert len(not_tested.in_lines(made(aspects=untaken))) <= not_tested.MOST_LINES, (
        "then they are folded too"
    )
    few = not_tested.in_lines(made(aspects=untaken[-2:], checks=CHECKS[:1]))["what"]
    assert any(what.startswith("Instrument risk: ") for what in few), "what no test tried stands alone"


def test_nothing_that_the_file_alone_tells_outranks_what_is_told():
    """Formerly that no other system was compared was told below twelve points of High risks that were not."""
    table = made(aspects=[OPEN, OPEN._replace(group="Availability", why=risk_register.UNTAKEN)])
    lines = not_tested.in_lines(table)
    untold = (lines["what it would take"] == not_tested.EACH).tolist()
    assert untold == sorted(untold) and any(untold) and not all(untold)
    folded = lines["what"].str.contains("Availability (1, none of its measures was taken)", regex=False)
    assert folded.sum() == 1, "what was not tried at all is called so"
    said = not_tested.note(table)
    assert f"alone stand {lines['points'][untold].sum()} of the {len(table)} points" in said
    assert (
        "1 of risks that are High" in said
        and "The risks among them are High at most." in said
        and "1 on comparison" in said
    )
    assert not_tested.note(table[table["bears_on"] == "Critical"]) == not_tested.NOTE


def test_what_was_not_tested_of_a_risk_is_as_grave_as_the_finding_on_what_was():
    """Formerly an untested part of wrong refusals was High beside a Critical finding on its tested part."""
    cost = Point("FM4 wrong refusal", "what it costs", NO_TEST, "Records")
    before, after = (
        made(aspects=[cost], basis=basis(graver=graver)).set_index("group").loc["FM4 wrong refusal"]
        for graver in ({}, {"FM4 wrong refusal": ("Critical", "F4")})
    )
    assert (before["bears_on"], after["bears_on"], after["as_grave_as"]) == ("High", "Critical", "F4")
    lines = not_tested.in_lines(made(aspects=[cost], basis=basis(graver={cost.group: ("Critical", "F4")})))
    assert "FM4 wrong refusal (as grave as F4): what it costs" in lines["what"].tolist()


def test_what_every_share_rests_on_is_not_listed_where_it_is_given():
    given = made(basis=basis(FEWEST_OF_USERS, independence.YES), aspects=[])
    assert not {untested_points.USERS, untested_points.INDEPENDENCE} & set(given["group"])
    unrated = made(basis=basis(29, "", independence.UNSTATED, finding=""), aspects=[])
    assert (
        unrated["takes"]
        .iloc[0]
        .startswith("Questions that users asked, rated like the others: 1 more for a first share")
    )
    assert unrated["why"].iloc[1] == "whether the validator is independent is not stated"


def test_the_basis_is_read_from_the_test_set_and_the_findings():
    cases = pd.DataFrame({"origin": ["log", "own", "log"]})
    findings = pd.DataFrame([("F2", independence.SOURCE, "open"), ("F1", "errors:x", "open")],
                            columns=["finding_id", "source", "status"]).assign(severity="High", also="")  # fmt: skip
    standing = independence.Independence(independence.YES, independence.YES)
    assert Basis.of(cases, standing, findings) == Basis(3, 2, standing, "F2")
    assert Basis.of(cases, standing, findings.head(0)).finding == ""


@pytest.mark.parametrize(
    "what, why, words",
    [
        ("perturbation, paraphrase", "no language model was named to paraphrase", "A language model, named"),
        ("37 of 726 questions", TALK, "given the conversation so far"),
        ("weak spots among Spanish (2)", "fewer than 6 questions", "More questions at these levels"),
        ("weak spots among staff (9)", "its level is not known", "This factor stated"),
        ("something new", "for a reason of its own", untested_points.OTHERWISE),
    ],
)
def test_what_it_would_take_follows_from_what_is_missing(what, why, words):
    assert words in untested_points.takes(what, why)
