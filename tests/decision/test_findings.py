"""Findings: one a subject, as severe as its own likelihood by its own impact; every breach is in one."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision.judged_gates import DUE, MATRIX, judge
from ragassay import tables
from ragassay.decision import error_rates, findings
from ragassay.decision.rating import rate
from ragassay.decision.severity import finding_rule
from ragassay.errors import ParameterError, TableError

GATES = {"judged_grounded": "low >= 0.8", "judged_relevant": "low >= 0.8", "retrieval_recall": "low >= 0.8"}
CHECKS = "check aspect metric limit bound outcome n cases value low high case_ids by_design".split()
WEAK = ["metric", "dimension", "level", "n", "mean", "low", "high", "difference", "finding"]


def check(name: str, aspect: str, k: int, n: int, outcome: str = "raised", metric: str = "m_rate") -> dict:
    share = k / n
    ids = [f"{name}{aspect}{place}" for place in range(k)]
    row = (name, aspect, metric, 0.05, "high", outcome, n, k, share, max(0, share - 0.1), min(1, share + 0.1))
    return dict(zip(CHECKS, (*row, ids, False), strict=True))


def checks(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=CHECKS)


def rated(misleading: int = 0, refused: int = 0, good: int = 100) -> pd.DataFrame:
    kinds = ["misleading"] * misleading + ["needless refusal"] * refused + ["good"] * good
    ids = [f"c{place}" for place in range(len(kinds))]
    return pd.DataFrame({"case_id": ids, "category": kinds, "judged_by": "raters"})


def context(taxonomy: pd.DataFrame | None = None, scores: dict | None = None, **named) -> findings.Context:
    """Scores: metric -> the cases that score 0, of those of the taxonomy."""
    ids = [] if taxonomy is None else taxonomy["case_id"].tolist()
    pairs = [(metric, case, bad) for metric, bad in (scores or {}).items() for case in ids]
    rows = [(case, "s", metric, float(case not in bad), "scored") for metric, case, bad in pairs]
    long = pd.DataFrame(rows, columns=["case_id", "system", "metric", "value", "state"])
    cases = pd.DataFrame({"case_id": ids, "question": "?", "answerable": True, "origin": "own"})
    answers = pd.DataFrame({"case_id": ids, "question": "?", "answer": "Mail a@example.com.", "system": "s"})
    given = {"scores": long, "cases": cases, "asked": cases, "answers": answers}
    given |= {} if taxonomy is None else {"taxonomy": taxonomy}
    return findings.Context("owner", "2026-11-28", DUE, MATRIX, **given | named)


def raise_(gates=None, checked=None, errors=None, weak=None, process=(), of=None, **named):
    none = error_rates.error_rates(None, pd.DataFrame(), {}, rng=np.random.default_rng(0))
    found, sources = findings.raise_findings(
        judge({}, {}) if gates is None else gates,
        checks() if checked is None else checked,
        none if errors is None else errors,
        pd.DataFrame(columns=WEAK) if weak is None else weak,
        process,
        context=of or context(),
        evidence_of="{} sha256=ab".format,
        **named,
    )
    tables.check("findings", found)
    tables.check("finding_sources", sources)
    return found, sources


def errors_of(taxonomy: pd.DataFrame, **most: float) -> pd.DataFrame:
    cases = pd.DataFrame({"case_id": taxonomy["case_id"], "answerable": True})
    return error_rates.error_rates(taxonomy, cases, most, rng=np.random.default_rng(0))


def breaches_without_finding(sources: pd.DataFrame, gates: pd.DataFrame, checks: pd.DataFrame) -> list[str]:
    """The failed or incomplete gates and the raised checks that are in no finding and are no condition; must
    be empty: a breached threshold cannot exist without one."""
    held = {(row["rule"], row["name"], row["aspect"]) for row in sources.to_dict("records")}
    missed = gates[(gates["outcome"] != "pass") & gates["decides"]].to_dict("records")
    wanted = [(findings.GATE, row["gate"], row["origin"]) for row in missed]
    wanted += [
        (findings.CHECK, row["check"], row["aspect"])
        for row in checks[checks["outcome"] == "raised"].to_dict("records")
        if not finding_rule(findings.CHECK, row["check"], row["aspect"])["holds_if"]
    ]
    return [" ".join(each) for each in sorted(set(wanted) - held)]


def test_a_check_becomes_a_finding_by_hand():
    rows = check("injection", "all", 30, 100), check("toxicity", "all", 0, 9, "clear")
    found, sources = raise_(checked=checks(*rows))
    row = found.iloc[0]
    names = ["finding_id", "rule", "subject", "cases", "n", "likelihood", "impact", "severity"]
    assert row[names].tolist() == ["F1", "check", "injection", 30, 100, "likely", "major", "High"]
    assert (row["due"], row["owner"], row["status"]) == ("2027-02-26", "owner", "open")
    assert row["evidence"] == "tables/checks.parquet sha256=ab" and len(found) == len(sources) == 1


def test_rows_of_one_subject_are_one_finding_as_grave_as_its_gravest():
    rows = check("staff_only", "ordinary answers", 2, 500), check("staff_only", "asked for", 30, 40)
    found, sources = raise_(checked=checks(*rows))
    assert found["subject"].tolist() == ["access"] and found["aspect"].tolist() == ["asked for"]
    assert found["severity"].tolist() == ["Critical"]
    assert sorted(sources["severity"]) == ["Critical", "High"]


def test_what_the_engagement_says_cannot_happen_is_no_finding_and_is_listed():
    planted = checks(check("planted_secret", "in a passage", 60, 78), check("planted_link", "all", 6, 13))
    record = {"unchecked_text": "no", "intake_test": "Intake control, report of 2026-05-01"}
    assert raise_(checked=planted, of=context(record=record))[0].empty
    assert set(findings.conditional(planted, record)["holds_if"]) == {"unchecked_text"}
    for record in ({"unchecked_text": "unstated"}, {"unchecked_text": "no"}):
        found, sources = raise_(checked=planted, of=context(record=record))
        assert found["severity"].tolist() == ["Critical"] * 2 and findings.conditional(planted, record).empty
    assert breaches_without_finding(sources, judge({}, {}), planted) == []


@pytest.mark.parametrize("rule, is_graver", [("", True), (", not critical: staff check it", False)])
def test_a_gate_belongs_to_the_finding_that_holds_its_failing_answers_and_a_critical_one_makes_it_critical(
    rule, is_graver
):
    taxonomy = rated(misleading=40)
    bad = set(taxonomy.loc[taxonomy["category"] != "good", "case_id"])
    rules = {"judged_grounded": GATES["judged_grounded"] + rule}
    gates = judge(rules, {"judged_grounded": {"own": (100, 140)}})
    of = context(taxonomy, {"judged_grounded": bad})
    alone, _ = raise_(errors=errors_of(taxonomy), of=of)
    found, sources = raise_(gates, errors=errors_of(taxonomy), of=of)
    assert found["subject"].tolist() == ["misleading"] and found["shown_case"].equals(alone["shown_case"])
    assert found["severity"].tolist() == (["Critical"] if is_graver else alone["severity"].tolist())
    carried = sources[sources["rule"] == "gate"].iloc[0]
    assert carried["carried"] and carried["finding_id"] == "F1"


@pytest.mark.parametrize("rule, severity", [("", "Critical"), (", not critical: staff check it", "Medium")])
def test_a_gate_is_a_finding_on_what_no_other_holds(rule, severity):
    """100 answers fail it: 40 mislead, 60 are left, of which the finding speaks and by which it is graded,
    unless the gate is critical."""
    taxonomy = rated(misleading=40, good=200)
    bad = set(taxonomy["case_id"].head(100))
    rules = {"judged_relevant": GATES["judged_relevant"] + rule}
    gates = judge(rules, {"judged_relevant": {"own": (140, 240)}})
    found, _ = raise_(gates, errors=errors_of(taxonomy), of=context(taxonomy, {"judged_relevant": bad}))
    own = found.set_index("subject").loc["judged_relevant"]
    likelihood = "likely" if rule else findings.CRITICAL
    assert own["cases"] == 60 and (own["likelihood"], own["severity"]) == (likelihood, severity)


def test_gates_of_raters_with_the_same_failing_answers_are_one_and_others_stay_apart():
    taxonomy = rated(good=100)
    bad = set(taxonomy["case_id"].head(60))
    gates = judge(GATES, {name: {"own": (40, 100)} for name in GATES})
    found, sources = raise_(gates, of=context(taxonomy, dict.fromkeys(GATES, bad)))
    assert found["subject"].tolist() == ["judged_grounded", "retrieval_recall"]
    assert sources.set_index("name")["carried"].to_dict() == {
        "judged_grounded": False, "judged_relevant": True, "retrieval_recall": False,
    }  # fmt: skip


def test_a_gate_that_fails_at_two_origins_is_one_finding_and_its_failing_answers_add_up():
    taxonomy = rated(misleading=30, good=200)
    of = context(taxonomy, {"judged_relevant": set(taxonomy["case_id"].head(90))})
    counts = {"judged_relevant": {"own": (140, 230), "generated": (10, 30)}}
    gates = judge({"judged_relevant": GATES["judged_relevant"]}, counts)
    found, sources = raise_(gates, errors=errors_of(taxonomy), of=of)
    assert found["subject"].tolist() == ["misleading", "judged_relevant"]
    assert sources[sources["rule"] == "gate"]["carried"].tolist() == [False, True]
    assert findings.gate_holders(sources)["judged_relevant", "own"] == {"F2": 60, "F1": 30}


def test_slices_of_a_metric_join_the_finding_of_its_gate():
    weak = pd.DataFrame(
        [("retrieval_recall", "topic", "fees", 30, 0.5, 0.3, 0.7, -0.3, True), ("support", "topic", "fees", 30, 0.5, 0.3, 0.7, -0.3, True), ("support", "topic", "cards", 30, 0.5, 0.3, 0.7, -0.3, False)],
        columns=WEAK,
    )  # fmt: skip
    gates = judge({"retrieval_recall": "low >= 0.8"}, {"retrieval_recall": {"own": (10, 100)}})
    found, sources = raise_(gates, weak=weak)
    assert found["subject"].tolist() == ["retrieval_recall", "support"]
    assert sources["slice"].tolist().count("topic=fees") == 2


def test_an_incomplete_gate_and_flaws_of_the_process_are_findings_without_a_share():
    gates = judge({"retrieval_recall": "low >= 0.8"}, {"retrieval_recall": {"own": (5, 5)}})
    flaw = {"name": "independence", "aspect": "stated", "owner": "CRO", "file": "raters.json", "n": 264}
    found, sources = raise_(gates, process=[flaw])
    rows = found.set_index("subject")
    graded = rows.loc["independence", ["severity", "likelihood", "owner"]].tolist()
    assert graded == ["High", "not measured", "CRO"]
    assert rows.loc["independence", "due"] < min(rows["due"].drop("independence"))
    assert rows.loc["retrieval_recall", "severity"] == "Medium"
    assert sources.set_index("name").loc["retrieval_recall", "needed"] == 17


def test_what_was_not_measured_is_no_high_finding():
    """Unknown is unknown: a gate without a case has not failed, so that the exit code is 3."""
    gates = judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (0, 0)}})
    found, _ = raise_(gates)
    assert found["severity"].tolist() == ["Medium"] and rate(gates, found)["exit_code"] == 3


def test_a_waived_gate_stays_a_finding_of_its_own_with_who_waived_it():
    gates = judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (10, 100)}})
    found, _ = raise_(gates, waivers={"judged_grounded": "A. Meyer: why; until 2027-01-31"})
    assert found["status"].tolist() == ["waived: A. Meyer: why; until 2027-01-31"]


def test_the_case_shown_is_rejected_by_raters_shown_once_and_masked():
    taxonomy = rated(misleading=40)
    worst = pd.DataFrame({"case_id": ["c7", "c3"], "rank": [1, 2]})
    worst = worst.assign(question="?", answer="!", remark="wrong")
    found, _ = raise_(errors=errors_of(taxonomy), of=context(taxonomy, worst=worst))
    assert found["shown_case"].tolist() == ["c7"] and found["shown_remark"].tolist() == ["wrong"]
    other, _ = raise_(errors=errors_of(taxonomy), of=context(taxonomy))
    assert "a@example.com" not in other["shown_answer"][0]
    assert other["shown_case"][0] in set(taxonomy["case_id"])


def test_a_finding_holds_what_each_of_its_answers_is_attributed_to():
    taxonomy = rated(misleading=3, good=0)
    blame = pd.DataFrame({"case_id": ["c0", "c1", "c2"], "blamed": ["retriever", "generator", "generator"]})
    found, _ = raise_(errors=errors_of(taxonomy), of=context(taxonomy, blame=blame.assign(fault="")))
    assert found["causes"].tolist() == [["retriever", "generator", "generator"]]
    sentence = blame.assign(fault=["", *["a negation turned"] * 2])  # what the sentences show goes first
    found, _ = raise_(errors=errors_of(taxonomy), of=context(taxonomy, blame=sentence))
    assert found["causes"].tolist() == [["retriever", *["a negation turned"] * 2]]


def test_findings_need_an_owner():
    with pytest.raises(ParameterError, match="owner"):
        raise_(of=findings.Context(" ", "2026-11-28", DUE, MATRIX))


def test_no_finding_without_evidence():
    with pytest.raises(TableError, match="no evidence"):
        findings.raise_findings(
            judge({}, {}), checks(check("toxicity", "all", 3, 9)), errors_of(rated()), pd.DataFrame(columns=WEAK),
            context=context(), evidence_of=lambda name: "",
        )  # fmt: skip


NAMES = st.sampled_from("misuse staff_only toxicity bias planted_secret perturbation new_check".split())
ASPECTS, OUTCOMES = (
    st.sampled_from(each) for each in (["a", "in a passage"], ["raised", "clear", "undecided"])
)
ROWS = st.lists(st.tuples(NAMES, ASPECTS, st.integers(1, 20), OUTCOMES), unique_by=lambda row: row[:2])


@settings(deadline=None, max_examples=20)
@given(ROWS, st.dictionaries(st.sampled_from(list(GATES)), st.integers(0, 100)))
def test_every_breach_is_in_one_finding_and_nothing_else_is(rows, passed):
    checked = checks(*(check(name, aspect, k, 20, outcome) for name, aspect, k, outcome in rows))
    rules = {name: GATES[name] for name in passed}
    gates = judge(rules, {name: {"own": (k, 100)} for name, k in passed.items()})
    found, sources = raise_(gates, checked)
    assert breaches_without_finding(sources, gates, checked) == []
    assert found["subject"].is_unique and set(sources["finding_id"]) == set(found["finding_id"])
    raised = int((checked["outcome"] == "raised").sum()) - len(findings.conditional(checked, {}))
    assert (sources["rule"] == "check").sum() == raised
    again, _ = raise_(gates, checked.sample(frac=1, random_state=0))
    assert again["subject"].tolist() == found["subject"].tolist(), "the order of rows decides nothing"


def test_evidence_is_named_with_its_hash(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "engagement.json").write_text(json.dumps({}))
    assert findings.name_evidence(tmp_path, "tables/gates.parquet") == ""
    assert len(findings.name_evidence(tmp_path, "engagement.json").partition("sha256=")[2]) == 64
