"""Variants against what they vary: by hand, against scipy, laws, refusals; what is raised. The same question again:
pairs, shares by question. Changed passages: each fault is found by its own check. Several wordings: figures and a
check by origin, the module that fails."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis import stressed_assistants as made
from analysis.made import scores_of
from assistants.in_this_process import ask_all
from ragassay import tables
from ragassay.analysis import checks, robustness
from ragassay.analysis.robustness import POOLED, failing_modules, summarize_wordings, wordings_checks
from ragassay.cases import adversarial_cases
from ragassay.cases.case_table import GENERATED, OWN
from ragassay.cases.passage_changes import DISTRACTORS, DROPPED, MISLEADING
from ragassay.errors import ParameterError, TableError
from ragassay.scores.families.same_answer import Agreement
from ragassay.stats import clopper_pearson


def variants_of(kind="spelling", n=20, prefix="v", **columns) -> pd.DataFrame:
    ids, parents = ([f"{letter}{i:03d}" for i in range(n)] for letter in (prefix, "c"))
    return pd.DataFrame({"case_id": ids, "parent_id": parents, "kind": kind, **columns})


def compared(base, after, variants, threshold=None, **named) -> pd.DataFrame:
    return robustness.compare(base, after, variants, {"groundedness": threshold}, **named)


def test_by_hand():
    base = scores_of([0.8] * 10 + [0.4] * 10)
    after = scores_of([0.5] * 4 + [0.8] * 6 + [0.4] * 9 + [np.nan], prefix="v")
    found = compared(base, after, variants_of(intensity=2), threshold=0.7)
    assert found["variation"].tolist() == ["spelling", POOLED, f"{POOLED}, intensity 2"]
    tables.check("robustness", found)
    for row in found.to_dict("records"):
        assert (row["pairs"], row["n"], row["left_out"]) == (20, 19, 1)
        assert row["reason"] == "1 variant not measured" and row["to_fail"] == 4
        assert row["difference"] == pytest.approx(4 * -0.3 / 19)
        assert row["p"] == 1 / 2**4  # four parents lost, none gained
        assert row["case_ids"] == ["v000", "v001", "v002", "v003"]


def test_each_kind_and_level_is_judged_and_the_harmful_one_found(rng):
    before = rng.uniform(0.5, 0.9, 40)
    sides = [("spelling", "v", 0.15), ("casual", "w", 0.0), ("paraphrase", "x", 0.0)]
    after = [scores_of(before - drop + rng.normal(0, 0.03, 40), prefix=name) for _, name, drop in sides]
    cases = [variants_of(kind, 40, name, intensity=np.resize([1.0, 3.0], 40)) for kind, name, _ in sides]
    cases[2]["intensity"] = np.nan
    found = compared(scores_of(before), pd.concat(after), pd.concat(cases)).set_index("variation")
    levels = [f"{POOLED}, intensity {level}" for level in (1, 3)]
    assert found.index.tolist() == ["casual", "paraphrase", "spelling", POOLED, *levels]
    assert found["worse"][["spelling", "casual", "paraphrase"]].tolist() == [True, False, False]
    assert found["n"].tolist() == [40, 40, 40, 120, 40, 40]


@pytest.mark.parametrize(
    ("variants", "after", "complaint"),
    [
        (variants_of().assign(parent_id=None), {"prefix": "v"}, "no parent_id"),
        (variants_of(), {"prefix": "other"}, "no variant has a score"),
        (variants_of(), {"prefix": "v", "system": "b"}, "several systems"),
    ],
)
def test_refusals(variants, after, complaint):
    with pytest.raises(TableError, match=complaint):
        compared(scores_of([0.5] * 20), scores_of([0.5] * 20, **after), variants)
    with pytest.raises(ParameterError, match="smallest_difference"):
        compared(None, None, None, smallest_difference=1.0)


N = 40


def checked(before, after, seed=0) -> list[dict]:
    """Checks of `spelling`, by whether each question was passed before and after."""
    metric, least = "abstention_correct", {"smallest_difference": 0.05}
    base, given = scores_of(before, metric), scores_of(after, metric, prefix="v")
    found = robustness.compare(base, given, variants_of(n=len(after)), {metric: 0.5}, seed=seed, **least)
    return robustness.perturbation_checks(found, ["spelling"], **least).to_dict("records")


def losing(lost, n=N) -> list[dict]:
    return checked(np.ones(n), np.arange(n) >= lost)


def test_a_fall_is_raised_over_all_kinds_and_for_its_kind():
    pooled, row = losing(15)
    assert (pooled["aspect"], pooled["outcome"]) == (POOLED, "raised")
    assert (row["check"], row["aspect"], row["outcome"]) == ("perturbation", "spelling", "raised")
    assert row["value"] == pytest.approx(-15 / N) and row["low"] < row["value"] < row["high"]
    assert row["case_ids"] == [f"v00{i}" for i in range(5)] and row["q"] < 0.05
    assert (row["cases"], row["limit"], row["bound"]) == (15, -0.15, "low")


@pytest.mark.parametrize(
    ("lost", "n", "outcome"), [(0, N, "clear"), (1, N, "clear"), (4, N, "undecided"), (0, 5, "undecided")]
)
def test_what_is_clear_and_what_is_not_decided(lost, n, outcome):
    row = losing(lost, n)[1]
    assert row["outcome"] == outcome and (row["reason"] == "") == (outcome == "clear")


def test_without_a_fault_nothing_is_raised_beyond_the_error_rate(simulations):
    """As many gained as lost: over 100 seeds at most 5 % raised, within 2.3 standard errors."""
    runs, raised = simulations(100), 0
    for seed in range(runs):
        before, after = (np.random.default_rng(seed).random((2, N)) < 0.8).astype(float)
        raised += any(row["outcome"] == "raised" for row in checked(before, after, seed))
    assert raised / runs <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / runs)


def alike(pairs, languages) -> list[Agreement]:
    """A comparison without a network: by the words."""
    return [Agreement(a == b, "same text" if a == b else "entailment") for a, b in pairs]


def answers_of(texts: dict[str, str], repeat: int = 0, errors: dict[str, str] | None = None) -> pd.DataFrame:
    rows = [(case, repeat, text, (errors or {}).get(case, "")) for case, text in texts.items()]
    return pd.DataFrame(rows, columns=["case_id", "repeat", "answer", "error"])


def repeats_of(parents: list[str], kind: str = "repeat", rounds: int = 1) -> pd.DataFrame:
    rows = [(f"{parent}-r{n}", parent, kind, "en") for n in range(1, rounds + 1) for parent in parents]
    return pd.DataFrame(rows, columns=["case_id", "parent_id", "kind", "language"])


def asked(names, language: str = "en") -> pd.DataFrame:
    return pd.DataFrame({"case_id": list(names), "language": language, "origin": "own"})


def pairs_of(n: int, changed: int, kind: str = "repeat") -> pd.DataFrame:
    names = [f"c{i}" for i in range(n)]
    again = {f"{name}-r1": "It is 5." if i >= changed else "It is 6." for i, name in enumerate(names)}
    both = answers_of(dict.fromkeys(names, "It is 5.")), answers_of(again)
    return robustness.pair_answers(*both, repeats_of(names, kind), asked(names), alike)


def test_a_question_counts_once_however_often_it_was_asked_again():
    base = answers_of({"a": "5", "b": "5", "c": "5"})
    again = answers_of({"a-r1": "5", "a-r2": "5", "b-r1": "5", "b-r2": "6", "c-r1": "5", "c-r2": "5"})
    pairs = robustness.pair_answers(base, again, repeats_of(["a", "b", "c"], rounds=2), asked("abc"), alike)
    share = robustness.share_repeated(pairs, "repeat")
    exact = clopper_pearson(2, 3)
    assert (share.value, share.low, share.high, share.n) == (exact.value, exact.low, exact.high, 3)


def test_a_missing_answer_leaves_its_question_out_and_says_why():
    base = answers_of({"a": "5", "b": "5"})
    again = answers_of({"a-r1": "5", "b-r1": ""}, errors={"b-r1": "no answer within 1 s"})
    pairs = robustness.pair_answers(base, again, repeats_of(["a", "b"]), asked("ab"), alike)
    share = robustness.share_repeated(pairs, "repeat")
    assert (share.n, share.left_out) == (1, 1)
    assert pairs["reason"].tolist() == ["", "no answer within 1 s"]
    assert pairs.loc[1, "same_answer"] is None or math.isnan(pairs.loc[1, "same_answer"])


@pytest.mark.parametrize("language", ["en", "es"])
def test_later_answers_of_a_log_are_repeats(language):
    log = pd.concat([answers_of({"a": "5", "b": "5"}), answers_of({"a": "6"}, repeat=1)])
    pairs = robustness.pair_answers(log, answers_of({}), repeats_of([]), asked("ab", language), alike)
    assert pairs[["parent_id", "kind", "language"]].to_numpy().tolist() == [["a", "repeat", language]]
    assert robustness.share_repeated(pairs, "repeat").value == 0


@pytest.mark.parametrize(
    ("n", "changed", "outcome"),
    [(60, 0, checks.CLEAR), (60, 20, checks.RAISED), (60, 6, checks.UNDECIDED), (10, 0, checks.UNDECIDED)],
)
def test_what_is_raised(n, changed, outcome):
    row = robustness.repeat_checks(pairs_of(n, changed), least=0.9).iloc[0]
    assert row["outcome"] == outcome
    assert len(row["case_ids"]) == changed
    assert (row["reason"] == "") == (outcome != checks.UNDECIDED)
    assert (row["cases"], row["n"], row["limit"], row["bound"]) == (changed, n, 0.9, "low")


KEY = {"system": "s", "repeat": 0, "error": "", "contexts": [], "context_ids": [], "question": "q"}
MOST = 0.25
ASKED = 16


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """What a sound assistant answers before anything is changed."""
    return ask_all(made.CASES, made.sound, name="s", run_dir=tmp_path_factory.mktemp("base"))


@pytest.fixture
def checked_changes(base, tmp_path):
    """The checks of an assistant, by what was changed."""

    def check(assistant):
        variants = adversarial_cases(made.CASES, base, made.CHUNKS, n=ASKED, seed=0)
        given = ask_all(variants, assistant, name="s", run_dir=tmp_path, journal="adversarial")
        scored = robustness.measure_changes(given, variants)
        tables.write(tmp_path, "scores", scored, part="adversarial")
        tables.write(tmp_path, "scorecard", robustness.summarize_changes(scored, variants, made.CASES))
        return robustness.passage_checks(scored, most=MOST)

    return check


FAULTS = {
    "passages_changed": made.takes_the_first,
    "misled": made.believes_anything,
    "evidence_removed": made.always_answers,
}


def test_a_sound_assistant_is_clear_of_everything(checked_changes):
    assert checked_changes(made.sound)["outcome"].tolist() == ["clear"] * 3


@pytest.mark.parametrize(("raised", "assistant"), FAULTS.items())
def test_each_fault_is_found_by_the_check_that_is_meant_to_and_by_no_other(
    checked_changes, assistant, raised
):
    found = checked_changes(assistant)
    assert found.loc[found["outcome"] == "raised", "check"].tolist() == [raised]


def test_answers_from_passages_that_were_taken_away_are_not_measured(checked_changes):
    row = checked_changes(made.ignores_the_hook).set_index("check").loc["evidence_removed"]
    assert (row.outcome, row.reason) == ("not applicable", robustness.OTHER_PASSAGES)


@pytest.mark.parametrize(
    ("kind", "answer", "measured"),
    [
        (DISTRACTORS, "six dollars", {"states_key_figure": 1}),
        (DISTRACTORS, "It costs nothing.", {"states_key_figure": 0}),
        (MISLEADING, "nine dollars [a#p6]", {"follows_misleading_passage": 1}),
        (MISLEADING, "Not $9 but $6.00.", {"follows_misleading_passage": 0}),
        (DROPPED, "It costs nothing.", {"answers_without_evidence": 1}),
        (DROPPED, made.DECLINES, {"answers_without_evidence": 0}),
    ],
)
def test_changed_passages_by_hand(kind, answer, measured):
    known = {"fact": "6.00", "false_fact": "9", "stated": True, "passages": None}
    answers = pd.DataFrame([KEY | {"case_id": "a", "answer": answer}])
    rows = robustness.measure_changes(answers, pd.DataFrame([{"case_id": "a", "kind": kind} | known]))
    assert dict(rows[["metric", "value"]].values) == measured


def judged_wordings(groups: int, right: tuple[int, ...], first: int = 0, **columns) -> pd.DataFrame:
    """So many questions, each in several wordings of which these are answered rightly."""
    pairs = [(g, w, one) for g in range(first, first + groups) for w, one in enumerate(right)]
    rows = pd.DataFrame(
        {"group_id": [f"c{g}" for g, _, _ in pairs], "answerable": True, "error": "", "judged_by": "machine"}
    )
    return rows.assign(
        case_id=[f"c{g}-{w}" if w else f"c{g}" for g, w, _ in pairs],
        parent_id=[f"c{g}" if w else None for g, w, _ in pairs],
        question=[f"question {g} in words {w}" for g, w, _ in pairs],
        correct=[float(one) if g % 5 or not w else 1.0 for g, w, one in pairs],
        context_ids=[[f"d#p{g}"] if one else [f"d#p{g}", "d#p99"] for g, _, one in pairs],
        reference_chunk_ids=[[f"d#p{g}"] for g, _, _ in pairs],
    ).assign(**columns)


def cases(*origins: str) -> pd.DataFrame:
    """One question for each of these origins, `c0`, `c1` and so on."""
    return pd.DataFrame({"case_id": [f"c{n}" for n in range(len(origins))], "origin": list(origins)})


def test_a_module_at_fault_is_named_and_raises_the_check(monkeypatch):
    made = judged_wordings(40, (1, 0, 0, 1))
    found = robustness.measure_wordings(made, seed=0)
    assert found["robustness_retrieval"].value == 1 and found["lambda"].value == 0
    [row] = wordings_checks(made, cases(*[OWN] * 40), seed=0).to_dict("records")
    assert (row["outcome"], row["n"], row["cases"], len(row["case_ids"])) == ("raised", 160, 64, 64)
    monkeypatch.setattr(robustness, "LEAST_ROBUST", 0.4)
    assert wordings_checks(made, cases(*[OWN] * 40), seed=0)["outcome"].tolist() == ["clear"]
    modules = failing_modules(made, seed=0).set_index("module")
    assert modules.loc["generator", "value"] == 1 and (modules["n"] == 64).all()


@pytest.mark.parametrize(
    "made",
    [judged_wordings(3, (1,)), judged_wordings(3, (1, 1), error="not asked"), judged_wordings(3, (1, 1), correct=np.nan)],
    ids=["one wording", "not asked", "not judged"],
)  # fmt: skip
def test_where_nothing_was_asked_in_several_wordings(made):
    assert all(np.isnan(each.value) for each in robustness.measure_wordings(made, seed=0).values())
    [row] = wordings_checks(made, cases(*[OWN] * 3), seed=0).to_dict("records")
    assert (row["outcome"], row["aspect"]) == ("not applicable", "all") and row["reason"]
    assert failing_modules(made, seed=0).empty


def test_easy_questions_of_one_origin_do_not_lift_another():
    """Thirty own questions that fall in two of three other wordings, thirty generated ones that do not."""
    weak, sound = judged_wordings(30, (1, 0, 0, 1)), judged_wordings(30, (1, 1, 1, 1), first=30)
    judged, asked = pd.concat([weak, sound], ignore_index=True), cases(*[OWN] * 30, *[GENERATED] * 30)
    found = wordings_checks(judged, asked, seed=0).set_index("aspect")
    assert found["outcome"].to_dict() == {OWN: "raised", GENERATED: "clear"}
    alone = robustness.measure_wordings(weak, seed=0)["robustness"]
    assert found.loc[OWN, "low"] <= alone.low and found.loc[OWN, "high"] > alone.high, "wider, for two tests"
    card = summarize_wordings(judged, asked, seed=0)
    robust = card[card["metric"] == "wordings_robustness"].set_index("slice")["value"]
    assert robust.to_dict() == {"all": 0.8, "origin=own": 0.6, "origin=generated": 1.0}
