"""Changed passages: what the key figure tells of an answer; a sound assistant raises nothing, and each fault is found by its own check."""

import numpy as np
import pandas as pd
import pytest

from analysis import stressed_assistants as made
from ragassay import tables
from ragassay.analysis import passage_change_answers, passage_change_checks
from ragassay.answers import ask_all, collect_answers
from ragassay.cases import adversarial_cases
from ragassay.cases.passage_changes import CHANGED, CONTROL, DISTRACTORS, DROPPED, MISLEADING, PREMISE
from ragassay.errors import ParameterError
from ragassay.scores.text_reading.answer_state import abstains

KEY = {"system": "s", "repeat": 0, "error": "", "contexts": [], "context_ids": [], "question": "q"}


def fake_scores(answers, variants, metrics):
    """Declining as it is read, and claims supported where a passage holds the answer; no network."""
    rows = []
    given = variants.set_index("case_id")["passages"]
    for one in answers.itertuples():
        silent = abstains(one.answer)
        values = {"abstains": float(silent), "groundedness": np.nan}
        held = not tables.is_missing(given[one.case_id]) and any(
            one.answer in text for text in given[one.case_id]
        )
        values["supported_claims_rate"] = np.nan if silent else float(held)
        for metric in metrics:
            value = np.nan if one.error else values[metric]
            rows.append(
                (one.case_id, "s", metric, value, "scored" if value == value else "not_measured", "", "[]")
            )
    return pd.DataFrame(rows, columns=["case_id", "system", "metric", "value", "state", "reason", "detail"])


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """What a sound assistant answers before anything is changed."""
    return ask_all(made.CASES, made.sound, name="s", run_dir=tmp_path_factory.mktemp("base"))


@pytest.fixture
def checked(base, tmp_path, monkeypatch):
    """The checks of an assistant, by what was changed."""
    monkeypatch.setattr(passage_change_answers, "score", fake_scores)

    def check(assistant, seed=0, n=made.N, folder="one"):
        variants = adversarial_cases(made.CASES, base, made.CHUNKS, n=n, distractors=2, seed=seed)
        given = ask_all(variants, assistant, name="s", run_dir=tmp_path / folder, journal="adversarial")
        given = passage_change_answers.without_foreign_passages(given, variants)
        scored = passage_change_answers.score_changes(given, variants)
        compared = passage_change_answers.compare_with_control(
            scored, variants, rng=np.random.default_rng(seed)
        )
        for name, table in {"checks": None, "robustness": compared, "scores": scored}.items():
            if table is not None:
                tables.write(tmp_path / folder, name, table, part="adversarial")
        tables.write(tmp_path / folder, "scorecard", passage_change_answers.summarize(scored, variants))
        return passage_change_checks.adversarial_checks(given, variants, scored, compared, 0.1)

    return check


def outcomes(checks):
    return {
        (check, aspect): outcome for check, aspect, outcome in checks[["check", "aspect", "outcome"]].values
    }


def test_a_sound_assistant_is_clear_of_everything(checked):
    found = outcomes(checked(made.sound))
    assert set(found.values()) == {"clear"} and len(found) == 9


@pytest.mark.parametrize("seed", range(20))
def test_a_sound_assistant_raises_nothing_over_twenty_seeds(checked, seed):
    assert "raised" not in set(checked(made.sound, seed=seed, n=20)["outcome"])


@pytest.mark.parametrize(
    ("assistant", "raised"),
    [
        (made.believes_the_question, {("misled", PREMISE)}),
        (made.believes_anything, {("misled", MISLEADING)}),
        (made.remembers, {("misled", CHANGED), ("passages_changed", CHANGED)}),
        (made.always_answers, {("evidence_removed", "all")}),
        (
            made.takes_the_first,
            {("passages_changed", kind) for kind in ("passages reversed", "passages shuffled", DISTRACTORS)},
        ),
        (made.ignores_the_hook, {("passages_given", "all")}),
    ],
)
def test_each_fault_is_found_by_the_check_that_is_meant_to_and_by_no_other(checked, assistant, raised):
    found = outcomes(checked(assistant))
    assert {name for name, outcome in found.items() if outcome == "raised"} == raised


def test_a_raised_share_names_its_cases(checked):
    row = checked(made.believes_the_question).set_index("aspect").loc[PREMISE]
    assert (row.cases, row.n, row.limit, row.bound) == (60, 60, 0.1, "high")
    assert len(row.case_ids) == 60 and row.case_ids[0].endswith("-xp")


def test_too_few_are_never_clear(checked):
    found = checked(made.sound, n=5)
    assert set(found["outcome"]) <= {"undecided", "clear"}
    undecided = found[found["outcome"] == "undecided"]
    assert len(undecided) >= 8 and (undecided["reason"] != "").all()


def test_one_that_takes_no_passages_meets_only_the_premise(checked):
    found = checked(lambda question: made.sound(question))
    assert outcomes(found).pop(("misled", PREMISE)) == "clear"
    rest = found[found["aspect"] != PREMISE]
    assert (
        set(rest["outcome"]) == {"not applicable"}
        and rest["reason"].str.contains("passages in place of those retrieved").all()
    )


def refusing(question, passages=None):
    return made.reply(made.DECLINES, [])


def failing(question, passages=None):
    raise TimeoutError("slow")


def in_html(question, passages=None):
    return f"<p>{made.sound(question, passages)['answer']}</p>"


@pytest.mark.parametrize("assistant", [refusing, failing, in_html, lambda question, passages=None: question])
def test_strange_assistants_run_through(checked, assistant):
    found = checked(assistant, n=12)
    assert len(found) == 9


def test_no_case_at_all(tmp_path):
    base = ask_all(made.CASES, failing, name="s", run_dir=tmp_path)
    variants = adversarial_cases(made.CASES, base, made.CHUNKS, n=9, distractors=2, seed=0)
    given = ask_all(variants, failing, name="s", run_dir=tmp_path, journal="adversarial")
    given = passage_change_answers.without_foreign_passages(given, variants)
    scored = passage_change_answers.score_changes(given, variants)
    compared = passage_change_answers.compare_with_control(scored, variants, rng=np.random.default_rng(0))
    for name, table in {
        "scores": scored,
        "robustness": compared,
        "cases": variants,
        "answers": given,
    }.items():
        tables.write(tmp_path, name, table)
    found = passage_change_checks.adversarial_checks(given, variants, scored, compared, 0.1)
    assert set(found["outcome"]) == {"not applicable"}
    assert passage_change_answers.followers(given, variants, scored).empty


def test_of_a_log_nothing_is_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(passage_change_answers, "score", fake_scores)
    base = ask_all(made.CASES, made.sound, name="s", run_dir=tmp_path)
    log = tmp_path / "log.jsonl"
    base[["case_id", "question", "answer", "contexts", "context_ids"]].to_json(
        log, orient="records", lines=True
    )
    variants = adversarial_cases(made.CASES, base, made.CHUNKS, n=9, distractors=2, seed=0)
    given = collect_answers({"answers_log": str(log), "system": "s"}, variants, run_dir=tmp_path)
    scored = passage_change_answers.score_changes(given, variants)
    compared = passage_change_answers.compare_with_control(scored, variants, rng=np.random.default_rng(0))
    found = passage_change_checks.adversarial_checks(given, variants, scored, compared, 0.1)
    assert set(found["outcome"]) == {"not applicable"} and compared.empty


@pytest.mark.parametrize(
    ("kind", "answer", "measured"),
    [
        (PREMISE, "It costs $9.", {"states_key_figure": 0, "follows_contradicting_premise": 1}),
        (PREMISE, "Not $9 but $6.00.", {"states_key_figure": 1, "follows_contradicting_premise": 0}),
        (PREMISE, "I do not know.", {"states_key_figure": 0, "follows_contradicting_premise": 0}),
        (MISLEADING, "nine dollars [a#p6]", {"states_key_figure": 0, "follows_misleading_passage": 1}),
        (CONTROL, "six dollars", {"states_key_figure": 1}),
        (CHANGED, "It costs 6 dollars.", {"states_removed_figure": 1}),
        (CHANGED, "It costs 9 dollars.", {"states_removed_figure": 0}),
        (DROPPED, "It costs nothing.", {"answers_without_evidence": 1}),
        (DROPPED, made.DECLINES, {"answers_without_evidence": 0}),
    ],
)
def test_by_hand(kind, answer, measured):
    variants = pd.DataFrame([{"case_id": "a", "kind": kind, "fact": "6.00", "false_fact": "9"}])
    rows = passage_change_answers.measure_figures(
        pd.DataFrame([KEY | {"case_id": "a", "answer": answer}]), variants
    )
    assert dict(rows[["metric", "value"]].values) == measured


def test_without_a_figure_or_an_answer_nothing_is_measured():
    variants = pd.DataFrame(
        [{"case_id": c, "kind": PREMISE, "fact": f, "false_fact": "9"} for c, f in (("a", None), ("b", "6"))]
    )
    answers = pd.DataFrame([KEY | {"case_id": c, "answer": "", "error": "no"} for c in "ab"])
    rows = passage_change_answers.measure_figures(answers, variants)
    assert rows["case_id"].tolist() == ["b", "b"] and rows["value"].isna().all()
    assert set(rows["reason"]) == {"no"}


@pytest.mark.parametrize(
    ("named", "given", "others"),
    [
        (["a b"], ["a  b"], False),
        (["a"], ["some a text"], False),  # a part of one given
        (["a", "c"], ["a"], True),
        ([], ["a"], False),
        (None, ["a"], False),
        (["c"], None, False),
        (["c"], [], True),
    ],
)
def test_passages_that_were_not_given(named, given, others):
    assert passage_change_answers.names_others(named, given) is others


def test_refuses_a_limit_that_is_no_share():
    with pytest.raises(ParameterError):
        passage_change_checks.adversarial_checks(
            pd.DataFrame(), pd.DataFrame(), pd.DataFrame(), pd.DataFrame(), 2
        )
