"""Classical scores against hand counts and brute force; their laws; their refusals."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.scores.families import classical

ANSWER, REFERENCE = "the fee is eighteen dollars a month", "a fee of eighteen dollars is due each month"
SENTENCES = st.lists(
    st.sampled_from(["fee", "is", "due", "each", "month", "a", "the", "dollar"]), min_size=1, max_size=12
).map(" ".join)


def ngrams(words: list[str], n: int) -> Counter:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def rouge_by_hand(answer: str, reference: str, n: int) -> float:
    a, r = ngrams(answer.split(), n), ngrams(reference.split(), n)
    shared = sum((a & r).values())
    return 2 * shared / (sum(a.values()) + sum(r.values())) if sum(a.values()) + sum(r.values()) else 0.0


def longest_common(a: list[str], b: list[str]) -> int:
    """Brute force over all subsequences of the shorter list."""
    short, long = sorted((a, b), key=len)
    for size in range(len(short), 0, -1):
        for chosen in itertools.combinations(short, size):
            rest = iter(long)
            if all(word in rest for word in chosen):
                return size
    return 0


def bertscore_by_hand(candidate: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    def cosine(x, y):
        return float(sum(x * y) / math.sqrt(sum(x * x)) / math.sqrt(sum(y * y)))

    precision = sum(max(cosine(c, t) for t in truth) for c in candidate) / len(candidate)
    recall = sum(max(cosine(c, t) for c in candidate) for t in truth) / len(truth)
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_rouge_counts_shared_words():
    assert classical.rouge(ANSWER, REFERENCE, "rouge1") == pytest.approx(2 * 6 / (7 + 9))
    assert classical.rouge(ANSWER, REFERENCE, "rouge2") == pytest.approx(2 * 1 / (6 + 8))


@settings(max_examples=40, deadline=None)
@given(SENTENCES, SENTENCES)
def test_rouge_is_its_formula(answer, reference):
    for n in (1, 2):
        assert classical.rouge(answer, reference, f"rouge{n}") == pytest.approx(
            rouge_by_hand(answer, reference, n)
        )
    a, r = answer.split(), reference.split()
    assert classical.rouge(answer, reference, "rougeL") == pytest.approx(
        2 * longest_common(a, r) / (len(a) + len(r))
    )


def test_bleu_by_hand():
    # unigrams 4/4, bigrams 3/3, trigrams 2/2, 4-grams 1/1; brevity exp(1 - 5/4)
    assert classical.bleu("the fee is due", "the fee is due today") == pytest.approx(math.exp(1 - 5 / 4))


def test_meteor_by_hand():
    # six of the seven and of the nine words match; "a" before "fee" breaks the order: chunks are counted by brute force below
    found = classical.meteor("fee is due", "the fee is due")
    fmean = 1 * 0.75 / (0.9 * 1 + 0.1 * 0.75)
    assert found == pytest.approx(fmean * (1 - 0.5 * (1 / 3) ** 3))


def test_meteor_spelled_out_with_synonyms():
    """Exact words first, then stems, then synonyms, each word once: chunks and F-mean by hand."""
    found = classical.meteor("you must begin payments", "you must start the payment")
    precision, recall = 4 / 4, 4 / 5  # you, must, payment(s), begin for start
    fmean = precision * recall / (0.9 * precision + 0.1 * recall)
    assert found == pytest.approx(fmean * (1 - 0.5 * (2 / 4) ** 3))


@pytest.mark.parametrize("seed", range(5))
def test_bertscore_is_its_formula(seed):
    draw = np.random.default_rng(seed)
    candidate, truth = np.abs(draw.normal(size=(4, 5))), np.abs(draw.normal(size=(6, 5)))
    assert classical.bertscore(candidate, truth) == pytest.approx(bertscore_by_hand(candidate, truth))


@settings(max_examples=40, deadline=None)
@given(SENTENCES, SENTENCES)
def test_all_lie_between_0_and_1_and_a_copy_is_best(answer, reference):
    for score in (classical.bleu, classical.meteor, lambda a, r: classical.rouge(a, r, "rougeL")):
        assert 0 <= score(answer, reference) <= 1 + 1e-12
        assert score(answer, reference) <= score(reference, reference) + 1e-9


@pytest.mark.parametrize("empty", ["", "   ", "...", "\x00"])
def test_a_text_without_words_is_refused(empty):
    for score in (classical.bleu, classical.meteor, lambda a, r: classical.rouge(a, r, "rouge1")):
        with pytest.raises(ValueError, match="no word"):
            score(empty, "a fee")
    with pytest.raises(ValueError, match="no token"):
        classical.bertscore(np.empty((0, 3)), np.ones((2, 3)))
