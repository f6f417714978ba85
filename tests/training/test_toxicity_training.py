import numpy as np
import pytest

import toxicity


def test_signs_of_twitter_are_taken_away():
    assert (
        toxicity.plain('RT @somebody: the fee &amp; the rate http://t.co/abc #fees "')
        == "the fee & the rate fees"
    )


def test_a_text_of_nothing_else_stays_a_text():
    assert toxicity.plain("@a @b http://t.co/x") == "."


def test_copies_of_a_tweet_are_kept_or_learned_together():
    rows = [
        {"text": text}
        for text in ("The queue was long", "RT @me: the queue was long", "@you THE QUEUE was long!")
    ]
    assert len({toxicity.held(row) for row in rows}) == 1


def test_sentences_of_ours_are_of_both_kinds_and_none_is_both():
    texts = toxicity.own()
    toxic, clean = ({text for text, label in texts if label == wanted} for wanted in (1, 0))
    assert len(toxic) > 20 and len(clean) > 20 and not toxic & clean


def test_classes_weigh_alike_whatever_their_sizes():
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(-1, 1, (900, 1)), rng.normal(1, 1, (100, 1))])
    model = toxicity.fitted(vectors, np.repeat([0, 1], [900, 100]), np.ones(1000), 1e6)
    assert -model.intercept_[0] / model.coef_[0, 0] == pytest.approx(
        0, abs=0.25
    )  # without weights: about 1.1
