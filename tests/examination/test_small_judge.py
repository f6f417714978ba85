"""The small judge: trained on traces made by rule, evaluated on questions it has not seen, written, read back, refused."""

import json

import numpy as np
import pandas as pd
import pytest
import small_judge_made as made
from scipy.special import softmax

from ragassay.errors import InputError, LabelError, ModelError
from ragassay.examination import small_judge
from ragassay.examination.small_judge.judge import fit_head
from ragassay.examination.small_judge.training import split


def written(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def tests_file(folder):
    return written(folder / "suite.jsonl", made.unit_tests(7))


@pytest.fixture(scope="module")
def trained(folder, tests_file):
    file = written(folder / "traces.jsonl", made.many(20))
    return small_judge.train(
        file, folder / "judge", seed=0, held_out=0.35, suite=tests_file, tools=made.tools()
    )


def test_it_repeats_the_marks_on_questions_it_has_not_seen(trained):
    """The traces follow rules that the features can tell: what was learned on thirteen worlds holds on seven others."""
    found = trained.card.alignment
    assert found.identical.min() >= 0.9 and (found.n + found.left_out == 7 * 16).all()


def test_marks_that_mean_nothing_teach_nothing(folder, tests_file):
    """Shuffled marks: agreement on held-out questions is no better than chance, so the evaluation does not leak."""
    rows, rng = made.many(20), np.random.default_rng(1)
    drawn = rng.permutation(len(rows))
    shuffled = [
        row | {mark: rows[other][mark] for mark in made.MARKS} for row, other in zip(rows, drawn, strict=True)
    ]
    card = small_judge.train(
        written(folder / "shuffled.jsonl", shuffled),
        folder / "noise",
        seed=0,
        held_out=0.35,
        suite=tests_file,
        tools=made.tools(),
    ).card
    found = card.alignment.set_index("mark")
    assert found.value[["usefulness", "faithfulness"]].max() < 0.5
    assert not (found[found.measure == "Spearman"].low > 0.3).any()


def test_the_card_says_what_a_reader_must_know(trained):
    told = json.loads((trained.folder / "card.json").read_text())
    assert told["n_learned"] == 13 * 16 and told["n_held_out"] == 7 * 16
    counted = pd.DataFrame(told["balance"])
    assert counted.n.sum() == 4 * 20 * 16
    measured = pd.DataFrame(told["alignment"])
    assert set(measured.mark) == {*made.MARKS, "positive_acceptance", "negative_rejection"}


def test_a_loaded_judge_gives_the_same_marks_to_the_last_bit(trained):
    rows = made.many(5, seed=4)
    again = small_judge.load(trained.folder, tools=made.tools())
    assert again(rows) == trained.judge(rows)


def test_hostile_texts_get_marks(trained):
    nasty = [
        "",
        "   ",
        "[1][2][99999]",
        "<script>alert(1)</script>",
        "\x00\x01\ud800",
        "=cmd|' /C calc'!A0",
        "a" * 100_000,
        "🦜 " * 300,
    ]
    rows = [
        {"input": text, "references": [text], "actual_output": text, "expected_output": text}
        for text in nasty
    ]
    rows += [{"input": "What?", "references": [], "actual_output": "Nothing [3].", "expected_output": ""}]
    for given in trained.judge(rows):
        assert set(given) == set(made.MARKS)
        assert given["usefulness"] in (None, 0.0, 1.0) and given["completeness"] in (None, 1.0, 3.0, 5.0)


def test_questions_stay_on_one_side():
    given = small_judge.Traces(tuple(made.many(10)), tuple({"usefulness": None} for _ in range(160)))
    learned, held = split(given, 0.2, np.random.default_rng(3))
    assert {row["input"] for row in learned.rows}.isdisjoint({row["input"] for row in held.rows})
    assert (len(learned), len(held)) == (128, 32)


def test_a_mark_given_only_once_over_is_said_and_given_always(folder, tests_file):
    rows = [row | {"usefulness": None} for row in made.many(8)]
    found = small_judge.train(
        written(folder / "alone.jsonl", rows), folder / "alone", seed=0, suite=tests_file, tools=made.tools()
    )
    assert {marks["usefulness"] for marks in found.judge(made.many(2, 5))} == {None}
    assert any("usefulness: only null" in note for note in found.card.notes)


@pytest.mark.parametrize("worlds, words", [(1, "16 traces of 1 questions"), (2, "32 traces of 2 questions")])
def test_too_few_traces_are_refused(folder, worlds, words):
    with pytest.raises(LabelError, match=words):
        small_judge.train(
            written(folder / "few.jsonl", made.many(worlds)), folder / "few", seed=0, tools=made.tools()
        )


@pytest.mark.parametrize("share", [0, 1, -0.1, 2, float("nan")])
def test_a_share_held_out_must_leave_both_sides(folder, trained, share):
    with pytest.raises(ValueError, match="held_out"):
        small_judge.train(folder / "traces.jsonl", folder / "none", seed=0, held_out=share)


def test_a_damaged_or_foreign_judge_is_refused(trained, tmp_path):
    with pytest.raises(ModelError, match="no small judge"):
        small_judge.load(tmp_path)
    text = (trained.folder / "small_judge.json").read_text()
    found = json.loads(text)
    nan = json.loads(text)
    nan["heads"]["usefulness"]["intercept"][0] = float("nan")
    narrow = json.loads(text)
    narrow["view"]["names"].pop()
    for damaged in (
        text[:5000],
        "[]",
        "{}",
        json.dumps(found | {"version": 2}),
        json.dumps(nan),
        json.dumps(narrow),
        json.dumps(found | {"heads": {}}),
    ):
        (tmp_path / "small_judge.json").write_text(damaged)
        with pytest.raises(ModelError, match="damaged"):
            small_judge.load(tmp_path)
    (tmp_path / "small_judge.json").write_text(json.dumps(found | {"encoder": "0" * 64}))
    with pytest.raises(ModelError, match="another encoder"):
        small_judge.load(tmp_path)


def test_a_head_is_scikit_learns_multinomial_regression():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    given = np.where(x[:, 0] + rng.logistic(size=300) > 0, np.where(x[:, 1] > 0, 5.0, 3.0), np.nan)
    head = fit_head(x, given, [str(i // 3) for i in range(300)])
    rival = LogisticRegression(C=1 / head.penalty, max_iter=2000).fit(x, np.nan_to_num(given, nan=9))
    assert head.classes == (3.0, 5.0, None)
    np.testing.assert_allclose(head.chances(x), rival.predict_proba(x), atol=1e-4)
    two = fit_head(x, np.where(x[:, 2] > 0, 1.0, 0.0), [str(i // 3) for i in range(300)])
    np.testing.assert_allclose(two.chances(x), softmax(x @ np.asarray(two.weights).T + two.intercept, axis=1))
    assert np.mean([mark == (value > 0) for mark, value in zip(two.predict(x), x[:, 2], strict=True)]) > 0.95


def test_a_suite_that_is_not_there_is_refused_before_training(folder, trained):
    with pytest.raises(InputError, match=r"none\.jsonl"):
        small_judge.train(
            folder / "traces.jsonl",
            folder / "unwritten",
            seed=0,
            suite=folder / "none.jsonl",
            tools=made.tools(),
        )
    assert not (folder / "unwritten").exists()
