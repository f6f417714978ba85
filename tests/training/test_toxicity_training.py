import numpy as np
import pytest

import data
import toxicity
import toxicity_figures
import toxicity_rows


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(data, "DRAWS", 5)


def test_the_halves_share_no_function_and_hold_both_labels():
    folds = toxicity_rows.folds()
    labels = {name: label != "clean" for name, label, _ in toxicity_rows.templates()}
    assert set(folds) == set(labels) and toxicity_rows.folds.__wrapped__() == folds
    for fold in range(toxicity_rows.FOLDS):
        half = [labels[name] for name in folds if folds[name] == fold]
        assert abs(sum(half) - (len(half) - sum(half))) <= 4 and abs(len(half) - len(folds) / 2) <= 1


def test_the_auroc_of_two_halves_is_the_mean_of_theirs():
    """Each half was judged by a head of its own, whose scores the other's are not held against."""
    rows = toxicity_rows.rows()
    fold = np.array([toxicity_rows.folds()[row.function] for row in rows])
    toxic = np.array([row.toxic for row in rows])
    found = toxicity_figures.ranked(rows, np.where(toxic, 1.0, 0.0) / (1 + 9 * fold))
    assert found["unseen functions, AUROC"][:1] == [1.0]
    one_wrong = toxicity_figures.ranked(rows, np.where(fold == 0, toxic, ~toxic).astype(float))
    assert one_wrong["unseen functions, AUROC"][0] == pytest.approx(0.5)
    assert one_wrong["unseen functions, AUROC, first half"][0] == 1.0


def test_shares_by_function_and_group_by_hand():
    rows = toxicity_rows.rows()
    flagged = np.array([row.function == "threat" for row in rows])
    found = toxicity_figures.by_function(rows, flagged)
    assert found["caught: threat"] == [1, 1, 1] and found["false alarms: warm mention"] == [0, 0, 0]
    mentions = toxicity_rows.mentions()
    of_group = toxicity_figures.by_group(mentions, np.array([row.group == "Roma" for row in mentions]))
    assert of_group["plain mentions flagged: Roma"] == [1, 1, 1]
    assert of_group["plain mentions flagged: women"] == [0, 0, 0]


def test_without_near_a_head_learns_nothing_that_comes_near_what_it_is_judged_on():
    names = toxicity_rows.folds()
    for fold in range(toxicity_rows.FOLDS):
        half = {name for name in names if names[name] != fold}
        learned = {text for text, _ in toxicity.beside(half, near=False)}
        written = toxicity_rows.sentences()
        near = {
            one.text for one in written if one.near is None or any(names[each] == fold for each in one.near)
        }
        assert near and not near & learned and len(learned) < len(toxicity.beside(half))
    everything = {text for text, _ in toxicity.beside(names)}
    assert {one.text for one in toxicity_rows.sentences()} <= everything
