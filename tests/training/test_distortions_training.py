"""Retellings: both directions with their labels, the figures by hand, and batches that share nothing."""

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import aligned
import distortions as training
from distortions import Judged, Retelling

ROOT = Path(__file__).resolve().parents[2]
TOLD = training.retellings()


def retelling(relation: str, premise: str = "The bank must answer.", text: str = "It owes an answer."):
    return Retelling("a", "duty", relation, premise, text)


def test_a_distortion_contradicts_in_both_directions():
    assert training.pairs([retelling("distorted", "P.", "D.")]) == [
        ("P.", "D.", "contradiction"),
        ("D.", "P.", "contradiction"),
    ]


@pytest.mark.parametrize(
    ("relation", "forth", "back"),
    [("weaker", "entailment", "neutral"), ("stronger", "neutral", "entailment")],
)
def test_what_follows_one_way_does_not_the_other(relation, forth, back):
    assert [label for *_, label in retelling(relation).pairs()] == [forth, back]


def test_there_are_several_hundred_retellings_in_at_least_four_batches():
    batches = Counter(one.batch for one in TOLD)
    assert len(batches) >= 4 and min(batches.values()) >= 100
    assert {one.relation for one in TOLD} == set(training.RELATIONS)


def test_batches_share_no_premise_and_no_retelling():
    texts = [text for batch in {one.batch for one in TOLD} for text in texts_of(batch)]
    assert len(texts) == len(set(texts))


def texts_of(batch: str) -> set[str]:
    return {text for one in TOLD if one.batch == batch for text in (one.premise, one.text)}


def test_every_batch_tells_every_kind_wrongly():
    kinds = {one.kind for one in TOLD}
    assert len(kinds) == 10
    assert all({one.kind for one in TOLD if one.batch == batch} == kinds for batch in {o.batch for o in TOLD})


@pytest.fixture
def judged():
    told = [retelling("same", "P."), retelling("distorted", "P."), retelling("weaker", "Q.")]
    forth = np.array([[0.8, 0.1, 0.1], [0.3, 0.1, 0.6], [0.6, 0.3, 0.1]])
    back = np.array([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
    return Judged(told, forth, back)


def test_supported_by_hand(judged):
    found = training.supported(judged)
    assert found.score.tolist() == [0.8, 0.7, 0.3, 0.2, 0.6, 0.5]
    assert found.truth.tolist() == [True, True, False, False, True, False]
    assert found.premise.tolist() == ["P.", "P.", "P.", "P.", "Q.", "Q."]


def test_distorted_is_read_from_the_lesser_contradiction_of_clear_retellings(judged):
    found = training.distorted(judged)
    assert found.score.tolist() == [0.1, 0.5] and found.truth.tolist() == [False, True]


def test_three_way_by_hand(judged):
    found = training.recognised(judged)
    assert training.share_equal(found.score, found.truth) == pytest.approx(5 / 6)


def test_area_under_the_curve_by_hand_and_as_scikit_learn_gives_it(rng):
    from sklearn.metrics import roc_auc_score

    assert training.auroc(np.array([0.1, 0.5, 0.5]), np.array([False, True, False])) == 0.75
    score, truth = rng.integers(5, size=60), rng.random(60) < 0.4
    assert training.auroc(score, truth) == pytest.approx(roc_auc_score(truth, score))
    assert np.isnan(training.auroc(score, np.ones(60, dtype=bool)))


def test_shared_words_by_hand():
    found = training.shared_words([retelling("same", "The fee is low.", "Low is the new fee.")])
    assert (found.forth[0, 0], found.back[0, 0]) == (0.8, 1.0)


def test_the_difference_is_that_of_the_same_retellings(judged):
    found = training.figures(judged, judged)
    assert found["three-way accuracy"]["n"] == 6 and found["three-way accuracy"]["premises"] == 2
    assert found["supported, AUROC"]["difference"] == [0, 0, 0]


def test_the_second_stage_keeps_pairs_of_the_first_beside_the_retellings(monkeypatch):
    read = []
    monkeypatch.setattr(aligned, "fit", lambda model, tokenizer, learn, plan: read.extend(learn))
    first = [(f"p{i}", "h", "neutral") for i in range(aligned.BESIDE + 50)]
    told = training.pairs([retelling("same"), retelling("distorted")])
    aligned.second_stage(None, None, first, told)
    counts = Counter(read)
    assert all(counts[pair] == aligned.PASSES for pair in told)
    assert sum(counts[pair] for pair in first) == aligned.BESIDE


def test_what_is_kept_of_the_first_stage_is_drawn_with_a_seed(monkeypatch):
    read = []
    monkeypatch.setattr(aligned, "fit", lambda model, tokenizer, learn, plan: read.append(learn))
    first = [(f"p{i}", "h", "neutral") for i in range(aligned.BESIDE + 50)]
    for _ in range(2):
        random.seed(len(read))
        aligned.second_stage(None, None, first, [])
    assert read[0] == read[1]


def test_the_page_says_what_the_bench_wrote():
    page = " ".join((ROOT / "docs/calibration.md").read_text(encoding="utf-8").split())
    found = json.loads((ROOT / "bench/distortions.json").read_text(encoding="utf-8"))
    for name, one in {**found["batches"], "all": found["all"]}.items():
        cells = [
            "{:.2f}, {:.2f} [{:.2f}, {:.2f}]".format(
                one[key]["before"][0], one[key]["after"][0], *one[key]["difference"][1:]
            )
            for key in training.FIGURES
        ]
        assert f"| {name} | {one['supported, AUROC']['premises']} | {' | '.join(cells)} |" in page
    for key in ("distorted, AUROC", "supported, AUROC"):
        assert "{:.3f} [{:.3f}, {:.3f}]".format(*found["all"][key]["difference"]) in page
    assert f"(from {found['nli/dev']['before'][0]:.3f} to {found['nli/dev']['after'][0]:.3f})" in page


def test_what_was_measured_are_the_pairs_of_today():
    found = json.loads((ROOT / "bench/distortions.json").read_text(encoding="utf-8"))
    assert found["all"]["supported, AUROC"]["n"] == len(training.pairs(TOLD))
    assert set(found["batches"]) == {one.batch for one in TOLD}
