"""The models and the device that a call names in place of the run's, checked before anything is computed; and
what a reader is to know of models in the place of the kit's."""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from ragassay.errors import ModelError
from ragassay.models import (
    classifier,
    devices,
    encoder,
    entailment_thresholds,
    load_instrument,
    model_files,
    tokenization,
)
from ragassay.models.load_instrument import Instrument, label_columns

Asked = tuple[tuple[str, ...], str]  # a context's sentences, and what is held against them
Span = tuple[int, int]
SUPPORT = "support"
KINDS = {"entailment": "pair", SUPPORT: SUPPORT, "toxicity": "text"}  # of instruments
NAMED = (*KINDS, "thresholds", "device")
IN_PLACE_OF = {
    "entailment": "the kit's heads",
    SUPPORT: "the kit's logistic model",
    "toxicity": "the kit's head",
}


def premise_spans(asked: Sequence[Asked], model: str = "") -> list[list[Span]]:
    """Of each (sentences, hypothesis) the spans [start, stop) of sentences that are one premise each: all of
    them, in their order, as many to a span as the network reads beside the hypothesis.

    A sentence too long by itself is a span of its own, and cut when it is read. Tokens are counted by
    sentence. Errors as in `entail`.
    """
    named = model or model_files.of_run("entailment") or "entailment"
    return spans_that_fit(asked, load_instrument.find_instrument(named, "pair"))


def spans_that_fit(asked: Sequence[Asked], instrument: Instrument) -> list[list[Span]]:
    """The same for this instrument."""
    tokenizer, limit = instrument.load().tokenizer, instrument.limit
    texts = sorted({text for sentences, hypothesis in asked for text in (*sentences, hypothesis)})
    tokens = dict(zip(texts, tokenization.count_tokens(tokenizer, texts), strict=True))
    most = min(tokenization.HYPOTHESIS, limit // 2)
    room = limit - tokenizer.num_special_tokens_to_add(True)
    return [
        spans([tokens[one] for one in sentences], room - min(tokens[hypothesis], most))
        for sentences, hypothesis in asked
    ]


def spans(lengths: Sequence[int], room: int) -> list[Span]:
    """Neighbours together as long as their lengths fit into `room`; what does not fit alone stands alone."""
    starts, filled = [0] if lengths else [], 0
    for place, length in enumerate(lengths):
        filled += length
        if filled > room and place > starts[-1]:
            starts.append(place)
            filled = length
    return list(pairwise([*starts, len(lengths)]))


def support_model(model: str = "") -> str:
    """The model's name: the one given, else the run's; "" where none is named."""
    return model or model_files.of_run(SUPPORT)


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
        do = "name one: support in section run, --model support=..., or RAGASSAY_SUPPORT"
        raise ModelError("no model is named for support", do=do)
    empty = [place for place, (sentences, _) in enumerate(asked) if not sentences]
    if empty:
        raise ValueError(f"context {empty[0]} holds no sentence; there is nothing that could support a text")
    if not asked:
        return np.empty(0)
    cut = spans_that_fit(asked, load_instrument.find_instrument(named, SUPPORT))
    pairs = [
        (" ".join(sentences[start:stop]), text)
        for (sentences, text), spans in zip(asked, cut, strict=True)
        for start, stop in spans
    ]
    firsts = [0, *accumulate(map(len, cut))][:-1]
    return np.maximum.reduceat(classifier.supports(pairs, named), firsts)


def check_model(kind: str, model: str) -> None:
    """Refuse a model that cannot serve as this, without loading it.

    kind : encoder, language_model, entailment, support or toxicity

    Raises
    ------
    ModelError
        If it is not on this machine, lacks weights, configuration or tokenizer, is of another kind, or none
        of its labels means what is asked.
    """
    if kind == "encoder":
        place = encoder.folder(model)
        encoder.identity(model)
        missing = [name for name in ("config.json", "tokenizer.json") if not (place / name).is_file()]
        if missing:
            do = "save it with a fast tokenizer: SentenceTransformer(...).save(folder)"
            raise ModelError(f"the encoder {model!r} has no {missing[0]}", where=place, do=do)
    elif kind == "language_model":
        place = model_files.find_folder(model)
        model_files.identify(place, model)
        model_files.settings(place, model, "ForCausalLM", "LMHeadModel")
    else:
        label_columns(load_instrument.find_instrument(model, KINDS[kind]).labels, kind, model)


@contextlib.contextmanager
def using(**named: str) -> Iterator[None]:
    """Within it, these (NAMED) in place of the run's; "" is the run's.

    Raises
    ------
    ModelError
        If a model is not on this machine or of another kind, or the device is not here.
    InputError
        If the thresholds cannot be read, or were chosen for another model.
    """
    with model_files.naming(**named):
        for kind in KINDS:
            if named.get(kind):
                check_model(kind, named[kind])
        entailment_thresholds.own()
        devices.check_device()
        yield


def limits(of: Collection[str] = tuple(KINDS), encoder: str = "") -> list[str]:
    """Which models judge `of` (of KINDS) in place of the kit's, each with its hash, and which
    thresholds do not hold for them, in sentences; none with the kit's.

    encoder : where a call names another than the run's
    """
    found = []
    for kind, model in _named(of).items():
        identity = load_instrument.find_instrument(model, KINDS[kind]).identity
        known = f"{identity['name']} (SHA-256 {identity['sha256'][:16]})"
        found.append(f"{kind.capitalize()} is judged by {known}, not by {IN_PLACE_OF[kind]}.")
    return found + (entailment_thresholds.uncalibrated(encoder) if "entailment" in of else [])


def hashes(of: Collection[str] = tuple(KINDS)) -> dict[str, str]:
    """SHA-256 of the files of each model of `of` that is named in place of the kit's."""
    return {kind: load_instrument.files_sha256(model) for kind, model in _named(of).items()}


def _named(of: Collection[str]) -> dict[str, str]:
    """The models of these kinds that are not the kit's."""
    named = {kind: model_files.of_run(kind) for kind in of}
    return {kind: model for kind, model in named.items() if model not in ("", kind)}
