"""Questions made of sentences, and the way back: by hand, the formula spelled out, its laws, its refusals."""

import numpy as np
import pytest

from ragassay.scores.families.round_trip import questions, return_similarity


@pytest.mark.parametrize(
    "sentence, asked",
    [
        ("The monthly fee is $6.00.", ["What is the monthly fee?", "The monthly fee is what?"]),
        (
            "Errors must be reported within 60 days",
            ["Within how many days must errors be reported?", "Errors must be reported within what?"],
        ),
        ("It was opened in Germany by engineers.", ["It was opened in where by engineers?"]),
        ("It began on 3 May 2020!", ["It began on when?"]),
        ("They like the branch.", ["They like the what?"]),
        ("Is the fee $6?", []),
        ("Fee.", []),
        ("So it is.", []),
        ("", []),
        ("fee " * 1000, []),
    ],
)
def test_by_hand(sentence, asked):
    assert questions(sentence) == asked


def test_the_mean_cosine_is_spelled_out():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    expected = [
        max(a @ b / np.linalg.norm(a) / np.linalg.norm(b), 0) for a, b in zip(one, other, strict=True)
    ]
    assert return_similarity(one, other) == pytest.approx(expected)


def test_laws(texts):
    sentences, _ = texts
    assert return_similarity(sentences, sentences).mean() == pytest.approx(1)
    assert return_similarity(sentences, -sentences).mean() == 0
    assert return_similarity(sentences, 3 * sentences).mean() == pytest.approx(1)


@pytest.mark.parametrize(
    "sentences, complaint", [(np.empty((0, 2)), "no question"), (np.zeros((1, 2)), "undefined")]
)
def test_refusals(sentences, complaint):
    with pytest.raises(ValueError, match=complaint):
        return_similarity(sentences, sentences)
