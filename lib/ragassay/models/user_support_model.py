"""Whether a context supports a text, by a local model that the user names; there is none by default, and the
support model of `scores` stands."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ragassay.errors import ModelError
from ragassay.models import classifier, load_instrument, model_files
from ragassay.models.instrument import label_columns
from ragassay.models.premise_windows import Asked, spans_that_fit

KIND = "support"


def support_model(model: str = "") -> str:
    """The model's name: the one given, else the run's; "" where none is named."""
    return model or model_files.of_run(KIND)


def check_support(model: str) -> None:
    """Refuse a model that cannot judge support, without loading it; errors as in `classifier.supports`."""
    label_columns(load_instrument.find_instrument(model, KIND).labels, KIND, model)


def supported(asked: Sequence[Asked], model: str = "") -> NDArray:
    """Probability that a context supports a text, for each (sentences of the context, text), shape (n,) in
    [0, 1]; higher is better.

    The whole context is one premise where the model reads it beside the text; else it is cut between
    sentences into as few pieces as it takes, and the piece that supports the text most counts.

    Raises
    ------
    ValueError
        If a context holds no sentence, or a text is empty.
    ModelError
        If no model is named, or as in `classifier.supports`.
    """
    named = support_model(model)
    if not named:
        do = "name one: support in section run, --support, or RAGASSAY_SUPPORT"
        raise ModelError("no model is named for support", do=do)
    empty = [place for place, (sentences, _) in enumerate(asked) if not sentences]
    if empty:
        raise ValueError(f"context {empty[0]} holds no sentence; there is nothing that could support a text")
    if not asked:
        return np.empty(0)
    cut = spans_that_fit(asked, load_instrument.find_instrument(named, KIND))
    pairs = [
        (" ".join(sentences[start:stop]), text)
        for (sentences, text), spans in zip(asked, cut, strict=True)
        for start, stop in spans
    ]
    firsts = [0, *accumulate(map(len, cut))][:-1]
    return np.maximum.reduceat(classifier.supports(pairs, named), firsts)
