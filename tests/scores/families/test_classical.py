"""Classical scores against hand counts and brute force; their laws; their refusals."""

import itertools
import math
import time
import unicodedata
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.models import model_files
from ragassay.scores import score
from ragassay.scores.families import classical

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


def test_meteor_spelled_out_with_stems():
    """Exact words first, then stems, each word once: chunks and F-mean by hand."""
    found = classical.meteor("you must start payments", "you must start the payment")
    precision, recall = 4 / 4, 4 / 5  # you, must, start, payment(s)
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
    for formula in (classical.bleu, classical.meteor, lambda a, r: classical.rouge(a, r, "rougeL")):
        assert 0 <= formula(answer, reference) <= 1 + 1e-12
        assert formula(answer, reference) <= formula(reference, reference) + 1e-9


@pytest.mark.parametrize("empty", ["", "   ", "...", "\x00"])
def test_a_text_without_words_is_refused(empty):
    for formula in (classical.bleu, classical.meteor, lambda a, r: classical.rouge(a, r, "rouge1")):
        with pytest.raises(ValueError, match="no word"):
            formula(empty, "a fee")
    with pytest.raises(ValueError, match="empty"):
        classical.bertscore(np.empty((0, 3)), np.ones((2, 3)))


ROW = {"case_id": "c", "system": "s", "answer": "The fee is 9 euros [a#p1].", "context_ids": ["a#p1"]}


def measured(perplexity=None, **changed):
    instruments = {"perplexity": perplexity} if perplexity else {}
    return score(pd.DataFrame([ROW | changed]), metrics=["perplexity"], instruments=instruments).iloc[0]


@pytest.fixture(autouse=True)
def none_named(monkeypatch):
    monkeypatch.delenv(model_files.OF_RUN["language_model"], raising=False)


def test_the_answer_is_asked_about_without_its_citations():
    found = measured(lambda texts: [float(len(text)) for text in texts])
    assert found.value == len("The fee is 9 euros.") and "The fee is 9 euros." in found.detail


def test_without_a_language_model_it_is_not_measured():
    found = measured()
    assert (found.state, found.reason) == (
        "not_measured",
        "no language model named (language_model in section run)",
    )


@pytest.mark.parametrize(
    "text",
    ["停止付款的手续费是十八美元。", "الرسوم ثمانية عشر دولارا.", "शुल्क अठारह डॉलर है।", "L'échéance du café"],
)
def test_rouge_reads_every_script_in_either_composition(text):
    for kind in ("rouge1", "rouge2", "rougeL"):
        assert classical.rouge(unicodedata.normalize("NFD", text), text, kind) == pytest.approx(1)
    assert 0 < classical.rouge(text[: len(text) // 2], text, "rougeL") < 1
    assert classical.rouge("今天天气很好18", "手续费是18", "rouge1") == pytest.approx(2 / 12)


def test_rouge_of_one_line_without_blanks_takes_seconds():
    line, began = "https://a.b/c?d=e&" * 2700, time.process_time()
    assert classical.rouge(line, line, "rougeL") == pytest.approx(1)
    assert time.process_time() - began < 5
