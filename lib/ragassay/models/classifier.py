"""Judgements of texts by the heads we ship, or by a Hugging Face model named in their place; each once, ever.

entail      a premise and a hypothesis: entailment, neutral or contradiction
supported   a context and a text, by a model of support that the user names
acceptable  a text: whether it is well-formed English
toxic       a text: whether it is toxic, by its inner vector (no second pass) and the rule of terms
perplexity  a text: how unlikely it is to a causal language model, where the user names one
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import batching, cache, head_file, load_instrument, model_files, toxic_terms
from ragassay.models.encoder import inner_vectors
from ragassay.models.load_instrument import Instrument, label_columns

Asked = tuple[tuple[str, ...], str]  # a context's sentences, and what is held against them
Span = tuple[int, int]
LIMIT = 1024  # tokens that perplexity reads, or fewer where the model takes fewer


@dataclass(frozen=True)
class Entailment:
    """Judgement of n pairs (premise, hypothesis)."""

    probabilities: NDArray  # (n, 3) of entailment, neutral, contradiction; each row sums to 1
    z: NDArray  # (n,) entailment's score less the mean of the two others' scores; higher is better
    distance: NDArray  # (n,) z over the length of its weights; NaN where a foreign last layer is not linear


def entail(pairs: Sequence[tuple[str, str]], model: str = "") -> Entailment:
    """Judgement of every pair (premise, hypothesis), in the order given.

    With softmax scores s = W x + b, the hyperplane between entailment and the rest is w = w_e - (w_n + w_c) /
    2 and its constant likewise, so z = w.x + c and distance = z / ||w||; x is what the last layer reads. Of a
    pair longer than 256 tokens the longer text is cut.

    model : "entailment"; a head's file; or a Hugging Face model by name or folder, its labels named after a #
        where they do not name themselves; "" is the run's, else "entailment"

    Raises
    ------
    ValueError
        If a premise or hypothesis is empty.
    ModelError
        If the model is missing or its labels are not the three.

    Source
    ------
    Sudjianto et al. (2024), HCAT, section 3.2.2; the reduction of three classes to one hyperplane is ours.
    """
    model = model or model_files.of_run("entailment") or "entailment"
    instrument = load_instrument.find_instrument(model, "pair")
    order = label_columns(instrument.labels, "entailment", model)
    scores, norm = _score("entailment", instrument, pairs)
    z = scores[:, order[0]] - (scores[:, order[1]] + scores[:, order[2]]) / 2
    from scipy.special import softmax  # not when a kernel starts

    return Entailment(softmax(scores[:, order], axis=1), z, z / norm)


def premise_spans(asked: Sequence[Asked]) -> list[list[Span]]:
    """Of each (sentences, hypothesis) the spans [start, stop) of sentences that are one premise each to the
    run's model of entailment: all of them, in their order, as many to a span as it reads beside the
    hypothesis. A sentence too long by itself is a span of its own, and cut when it is read."""
    named = model_files.of_run("entailment") or "entailment"
    return _spans_that_fit(asked, load_instrument.find_instrument(named, "pair"))


def _spans_that_fit(asked: Sequence[Asked], instrument: Instrument) -> list[list[Span]]:
    tokenizer, limit = instrument.load().tokenizer, instrument.limit
    texts = sorted({text for sentences, hypothesis in asked for text in (*sentences, hypothesis)})
    read = batching.read(tokenizer, texts)
    tokens = {text: len(one.ids) for text, one in zip(texts, read, strict=True)}
    room = limit - tokenizer.num_special_tokens_to_add(True)
    return [
        spans([tokens[one] for one in sentences], room - min(tokens[hypothesis], room // 2))
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


def supported(asked: Sequence[Asked], model: str = "") -> NDArray:
    """Probability that a context supports a text, for each (sentences of the context, text), shape (n,) in
    [0, 1]; higher is better: that of the label that means support, entailment among them.

    The whole context is one premise where the model reads it beside the text; else it is cut between
    sentences into as few pieces as it takes, and the piece that supports the text most counts.

    model : a Hugging Face model by name or folder, its label after a # where it does not name itself; "" is
        the run's

    Raises
    ------
    ValueError
        If a context holds no sentence, or a text is empty.
    ModelError
        If no model is named, it is missing, or no label of it means support.
    """
    named = model or model_files.of_run("support")
    if not named:
        raise ModelError("no model is named for support", do="name one: support in section run")
    empty = [place for place, (sentences, _) in enumerate(asked) if not sentences]
    if empty:
        raise ValueError(f"context {empty[0]} holds no sentence; there is nothing that could support a text")
    if not asked:
        return np.empty(0)
    instrument = load_instrument.find_instrument(named, "support")
    column = label_columns(instrument.labels, "support", named)[0]
    cut = _spans_that_fit(asked, instrument)
    pairs = [
        (" ".join(sentences[start:stop]), text)
        for (sentences, text), own in zip(asked, cut, strict=True)
        for start, stop in own
    ]
    firsts = [0, *accumulate(map(len, cut))][:-1]
    scores, _ = _score("support", instrument, pairs)
    return np.maximum.reduceat(_probability(instrument, scores, column), firsts)


def acceptable(texts: Sequence[str], model: str = "acceptability") -> NDArray:
    """Probability that each text is well-formed, (n,) in [0, 1]; higher is better. Errors as in `entail`."""
    return _judge_texts("acceptability", texts, model)


def toxic(texts: Sequence[str], model: str = "") -> NDArray:
    """Probability that each text is toxic, (n,) in [0, 1]; lower is better. `model` and errors as in
    `entail`; "" is the run's, else "toxicity"."""
    model = model or model_files.of_run("toxicity") or "toxicity"
    path = head_file.find_head(model)
    if path is None or head_file.read(path).kind != "sentence":
        return _judge_texts("toxicity", texts, model)
    instrument, layers = load_instrument.find_instrument(model, "text"), head_file.read(path).layers
    instrument.record_use()
    weights, bias = layers["out.weight"].astype(float), layers["out.bias"].astype(float)
    # not a matrix product: the bits of a row are to be independent of the others
    scores = np.einsum("nd,ld->nl", toxicity_features(texts).astype(float), weights) + bias
    return _probability(instrument, scores, label_columns(instrument.labels, "toxicity", model)[0])


def toxicity_features(texts: Sequence[str]) -> NDArray[np.float32]:
    """What a sentence head reads, (n, 388): our encoder's inner vectors, whichever the run names, and for
    each category of toxic terms 1 where one stands, else 0."""
    found = [{hit.category for hit in toxic_terms.find(text)} for text in texts]
    terms = [[name in each for each in found] for name in toxic_terms.CATEGORIES]
    return np.hstack([inner_vectors(texts), np.array(terms, dtype=np.float32).T])


def _judge_texts(asked: str, texts: Sequence[str], model: str) -> NDArray:
    """Probability of the one label asked for."""
    instrument = load_instrument.find_instrument(model, "text")
    column = label_columns(instrument.labels, asked, model)[0]
    scores, _ = _score(asked, instrument, texts)
    return _probability(instrument, scores, column)


def _probability(instrument: Instrument, scores: NDArray, column: int) -> NDArray:
    from scipy.special import expit, softmax

    return expit(scores[:, column]) if instrument.several else softmax(scores, axis=1)[:, column]


def _score(noted_as: str, instrument: Instrument, items: Sequence[Any]) -> tuple[NDArray, NDArray]:
    """Scores of the labels (n, labels), and the length of the vector behind z (n,)."""
    batching.refuse_empty(items)
    instrument.record_use()

    def compute(missing: list[Any]) -> list[NDArray]:
        loaded = instrument.load()
        rows = loaded.compute(batching.tokenize(loaded.tokenizer, missing, instrument.limit))
        return [np.append(row, loaded.hyperplane_norm) for row in rows]

    known = cache.cached_compute(noted_as, instrument.recipe, items, compute)
    rows = np.array([known[item] for item in items], dtype=float)
    rows = rows.reshape(len(items), len(instrument.labels) + 1)
    return rows[:, :-1], rows[:, -1]


def perplexity(texts: Sequence[str], *, model: str = "") -> NDArray[np.float64]:
    """exp of the mean negative log-likelihood of each text's tokens given those before, shape (n,), at least
    1; lower is likelier; NaN where nothing is predicted.

    The first LIMIT tokens are read, after the token that begins a text, where the tokenizer has one. A
    ModelError if no model is named, it is not on this machine, or is no causal language model.
    """
    named = model or model_files.of_run("language_model")
    if not named:
        raise ModelError("no language model is named", do="name one: language_model in section run")
    folder = model_files.find_folder(named)
    identity = model_files.identify(folder, named)
    model_files.settings(folder, named, "ForCausalLM", "LMHeadModel")
    provenance.model(**identity)
    recipe = f"perplexity;{LIMIT};{identity['sha256']}{batching.device_recipe()}"

    def compute(missing: list[str]) -> list[NDArray]:
        tokenizer, network = _load_causal(folder, batching.chosen_device())
        return [np.array([_perplexity(tokenizer, network, text)]) for text in missing]

    known = cache.cached_compute("perplexity", recipe, texts, compute)
    return np.array([known[text][0] for text in texts], dtype=float)


@functools.lru_cache(maxsize=1)
def _load_causal(folder: Path, device: str) -> tuple[Any, Any]:
    tokenizer, network = model_files.load(folder, "AutoModelForCausalLM")
    return tokenizer, batching.move_to_device(network)


def _perplexity(tokenizer: Any, network: Any, text: str) -> float:
    import torch

    limit = min(LIMIT, int(getattr(network.config, "max_position_embeddings", LIMIT)))
    first = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    ids = (first + tokenizer(text, add_special_tokens=False)["input_ids"])[:limit]
    if len(ids) < 2:
        return math.nan
    read = torch.tensor([ids], device=network.device)
    with torch.inference_mode():
        return math.exp(network(input_ids=read, labels=read).loss.item())
