"""A gate is carried by the findings that hold its failing cases, by counting them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision.drafts import draft
from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.findings.restated_findings import merge_restatements
from ragassay.decision.gates import shared_gate_cases
from ragassay.decision.gates.findings_behind_gates import CARRIES, NOBODY, attribute, carriers, owners
from ragassay.tables import SEVERITIES

KINDS = ("unsafe", "should have declined", "needless refusal", "misleading")
ERRORS = [f"errors:{kind}" for kind in KINDS]
GATES = ["gate:judged_grounded|own", "gate:judged_relevant|own", "gate:abstention_correct|own"]


def cases(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in range(count))


def register(*drafts: dict) -> dict[str, dict]:
    return {found["source"]: found for found in attribute(merge_restatements(drafts))}


def bank() -> list[dict]:
    """What two runs of the example bank showed: no partial answer is ungrounded."""
    unsafe, answered, refused, misled, partial = (
        cases(letter, n) for letter, n in (("u", 1), ("d", 30), ("r", 32), ("m", 29), ("p", 53))
    )
    gate = {"severity": "Critical", "asked_of": {"own": 264}, "n": 264}
    return [
        draft("errors:unsafe", "Critical", unsafe),
        draft("errors:should have declined", "High", answered),
        draft("errors:needless refusal", "High", refused),
        draft("errors:misleading", "High", misled),
        draft("gate:judged_grounded|own", failing=(*refused, *misled, *unsafe, *answered[:2]), **gate),
        draft("gate:judged_complete|own", failing=(*unsafe, *answered, *refused, *misled, *partial), **gate),
    ]


def test_a_finding_without_failing_cases_of_a_gate_does_not_carry_it():
    found = register(*bank())
    partial = found["gate:judged_complete|own"]
    assert partial["lead"] == list(cases("p", 53)) and sources(partial) == ["gate:judged_complete|own"]
    carrying = {source for source, each in found.items() if "gate:judged_grounded|own" in sources(each)}
    assert carrying == {"errors:needless refusal", "errors:misleading"}
    shared = found["errors:misleading"]["carries"][-1]
    assert (shared["every"], shared["held"]["errors:misleading"]) == (64, 29)
    assert shared["held"]["errors:needless refusal"] == 32 and sum(shared["held"].values()) == 64


def test_what_carries_a_gate_is_as_grave_as_it_and_says_what_it_were_by_itself():
    found = register(*bank())
    assert found["errors:misleading"]["severity"] == "Critical"
    assert found["errors:misleading"]["by_itself"] == "High"
    assert "by_itself" not in found["errors:unsafe"]


def test_what_is_left_is_so_grave_by_itself_only_if_it_alone_fails_a_gate():
    *others, complete = bank()
    for tolerated, alone in ((0.4, "Low"), (0.1, "Critical")):
        met = {"tolerated": tolerated, "share": 138 / 264, "n": 264, "critical": True}
        gate = {**complete, "thresholds": [{**met, "failing": complete["failing"]}]}
        partial = register(*others, gate)["gate:judged_complete|own"]
        assert (partial["severity"], partial["by_itself"]) == ("Critical", alone)


def test_what_is_left_is_counted_among_the_answers_of_its_gates():
    partial = register(*bank())["gate:judged_complete|own"]
    assert (partial["n"], partial["share"]) == (264, pytest.approx(53 / 264))
    both = [
        {**each, "asked_of": {"generated": 36}} if "grounded" in each["source"] else each for each in bank()
    ]
    both[-2]["failing"] += cases("q", 20)
    left = register(*both)["gate:judged_complete|own"]
    assert len(left["lead"]) == 73 and left["n"] == 300


def test_a_gate_that_no_finding_carries_stands_by_itself():
    spread = [draft(f"errors:{kind}", failing=(kind,)) for kind in KINDS]
    gate = draft("gate:judged_grounded|own", failing=(*KINDS[:1], *cases("x", 20)))
    found = register(*spread, gate)
    assert found["gate:judged_grounded|own"]["lead"] == list(cases("x", 20))
    assert all(each["also"] == [] for each in found.values())


def test_few_cases_left_make_no_finding_and_are_counted_as_nobodys():
    refused = cases("r", 20)
    gate = draft("gate:judged_grounded|own", failing=(*refused, "x"))
    found = register(draft("errors:needless refusal", failing=refused), gate)
    assert [*found] == ["errors:needless refusal"]
    (shared,) = found["errors:needless refusal"]["carries"]
    assert shared["held"][NOBODY] == 1 < CARRIES * shared["every"]


def test_a_gate_on_instruments_is_carried_where_errors_show_most_of_it():
    refused = cases("r", 4)
    for left, alone in ((1, False), (2, True)):
        gate = draft("gate:abstention_correct|own", failing=(*refused, *cases("x", left)))
        found = register(draft("errors:needless refusal", failing=refused), gate)
        assert ("gate:abstention_correct|own" in found) == alone


def test_the_raters_gates_whose_cases_are_not_known_are_one_finding():
    gates = [draft(f"gate:judged_{each}", title=f"{each} too low") for each in ("grounded", "relevant")]
    (found,) = register(*gates).values()
    assert found["title"] == "2 requirements missed: grounded too low; relevant too low"


IDS = st.lists(st.sampled_from(cases("c", 40)), max_size=20, unique=True)


@st.composite
def registers(draw) -> list[dict]:
    """Findings on errors, which count each answer once, and gates with any failing cases."""
    kind_of = draw(st.lists(st.integers(0, len(KINDS)), min_size=40, max_size=40))
    held = [tuple(f"c{i}" for i, kind in enumerate(kind_of) if kind == place) for place in range(len(KINDS))]
    severities = draw(st.lists(st.sampled_from(SEVERITIES), min_size=9, max_size=9))
    errors = [
        draft(source, severity, failing)
        for source, severity, failing in zip(ERRORS, severities, held, strict=False)
        if failing
    ]
    return [
        *errors,
        *(draft(gate, severity, draw(IDS)) for gate, severity in zip(GATES, severities[4:], strict=False)),
    ]


@given(registers())
def test_a_gate_is_in_no_finding_on_errors_without_a_tenth_of_its_failing_cases(drafts):
    failing = {each["source"]: set(each["failing"]) for each in drafts}
    for found in attribute(merge_restatements(drafts)):
        for source in found["also"] if found["source"].startswith("errors:") else ():
            assert len(failing[source] & set(found["failing"])) >= CARRIES * len(failing[source]) > 0


@given(registers(), st.sampled_from(ERRORS), st.integers(1, 60))
def test_cases_added_to_one_finding_move_no_gate_to_it_or_from_another(drafts, grown, count):
    """What is added are cases of no gate: the gates stay where their failing cases are."""
    more = [
        {**each, "failing": [*each["failing"], *cases("n", count)]} if each["source"] == grown else each
        for each in drafts
    ]
    before, after = register(*drafts), register(*more)
    assert {source: sources(each) for source, each in before.items()} == {
        source: sources(each) for source, each in after.items()
    }


@given(registers(), st.randoms(use_true_random=False))
def test_the_order_of_the_findings_changes_nothing(drafts, random):
    mixed = random.sample(drafts, len(drafts))
    assert register(*drafts) == register(*mixed)


@given(registers())
def test_no_gate_and_no_severity_is_lost(drafts):
    found = attribute(merge_restatements(drafts))
    assert {name for each in found for name in sources(each)} == {each["source"] for each in drafts}
    gravest = min((each["severity"] for each in drafts), key=SEVERITIES.index, default="")
    assert min((each["severity"] for each in found), key=SEVERITIES.index, default="") == gravest


def test_a_case_belongs_to_the_finding_that_counts_it_in_its_title():
    first = {**draft("errors:misleading", failing=("a", "b")), "lead": ["a"]}
    second = {**draft("errors:needless refusal", failing=("b",)), "lead": ["b"]}
    for errors in ([first, second], [second, first]):
        assert owners(errors) == {"a": "errors:misleading", "b": "errors:needless refusal"}
    assert carriers(["a", "b", "z"], owners([first])) == {"errors:misleading", NOBODY}


@pytest.mark.parametrize("seed", range(5))
def test_the_whole_register_does_not_depend_on_the_order_of_its_drafts(seed):
    rng = np.random.default_rng(seed)
    drafts = bank()
    mixed = [drafts[place] for place in rng.permutation(len(drafts))]
    assert register(*drafts) == register(*mixed)


def test_a_slice_beside_the_gate_of_its_metric_says_how_many_cases_both_count():
    gate = draft("gate:recall|own", failing=tuple("abcdefgh"))
    weak = draft("weakness:recall|answer_type|steps", failing=tuple("abxyz"), confirmed=True)
    found = register(gate, weak)
    assert found[weak["source"]]["within"] == {"gate:recall|own": 2}
    numbers = {"gate:recall|own": "F1", weak["source"]: "F2"}
    said = shared_gate_cases.condition_text(found[weak["source"]], numbers, None)["condition"]
    assert said.endswith(
        "2 of its 5 cases are counted in F1 too; it is worse than the rest in a held-out half too."
    )
