"""Judgements of texts by the heads we ship, or by a Hugging Face model named in their place; each once, ever.

entail      a premise and a hypothesis: entailment, neutral or contradiction
acceptable  a text: whether it is well-formed English
toxic       a text: whether it is toxic, by its inner vector (no second pass) and the rule of terms
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.models import cache, head_file, load_instrument, model_files, tokenization, toxic_terms
from ragassay.models.deterministic_batching import Item
from ragassay.models.encoder import inner_vectors
from ragassay.models.load_instrument import Instrument, label_columns
from ragassay.models.tokenization import Input

BLOCK = 64  # sentence vectors multiplied at a time


@dataclass(frozen=True)
class Entailment:
    """Judgement of n pairs (premise, hypothesis).

    Attributes
    ----------
    probabilities : (n, 3) of entailment, neutral, contradiction; each row sums to 1
    z : (n,) entailment's score less the mean of the two others' scores; higher is better
    distance : (n,) z over the length of its weight vector (HCAT 3.2.2); NaN where a foreign model's last
        layer is not linear
    """

    probabilities: NDArray
    z: NDArray
    distance: NDArray


def entail(pairs: Sequence[tuple[str, str]], model: str = "") -> Entailment:
    """Judgement of every pair (premise, hypothesis), in the order given.

    With softmax scores s = W x + b, the hyperplane between entailment and the rest is w = w_e - (w_n + w_c) /
    2 and its constant likewise, so z = w.x + c is entailment's score less the mean of the others' and
    distance is z / ||w||. x is what the last layer reads, for our head tanh of its dense layer. Of a pair
    longer than 256 tokens the premise is cut, of a hypothesis what is past 128.

    Parameters
    ----------
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
    given = [(premise, hypothesis) for premise, hypothesis in pairs]
    _check_pairs(given)
    tool = load_instrument.find_instrument(model, "pair")
    order = label_columns(tool.labels, "entailment", model)
    rows = _scores("entailment", tool, given, _pair_as_text, tokenization.tokenize_pairs)
    scores, norm = rows[:, :-1][:, order], rows[:, -1]
    z = scores[:, 0] - (scores[:, 1] + scores[:, 2]) / 2
    return Entailment(softmax(scores), z, z / norm)


def _check_pairs(pairs: list[tuple[str, str]]) -> None:
    for place, pair in enumerate(pairs):
        if not (pair[0].strip() and pair[1].strip()):
            empty = "hypothesis" if pair[0].strip() else "premise"
            raise ValueError(f"pair {place} has an empty {empty}; there is nothing to judge")


def supports(pairs: Sequence[tuple[str, str]], model: str) -> NDArray:
    """Probability that each premise supports its hypothesis, (n,) in [0, 1]; higher is better.

    Of a model whose labels exclude each other (softmax) that of the label that means support, entailment
    among them; of one with a single label, or with independent ones, its sigmoid. A pair too long is cut as
    in `entail`.

    model : a Hugging Face model by name or folder, its label after a # where it does not name itself

    Raises
    ------
    ValueError
        If a premise or hypothesis is empty.
    ModelError
        If the model is missing, or no label of it means support.
    """
    given = [(premise, hypothesis) for premise, hypothesis in pairs]
    _check_pairs(given)
    tool = load_instrument.find_instrument(model, "support")
    column = label_columns(tool.labels, "support", model)[0]
    return _chance(tool, _scores("support", tool, given, _pair_as_text, tokenization.tokenize_pairs), column)


def check_entailment(model: str) -> None:
    """Refuse a model that cannot judge entailment, without loading it; errors as in `entail`."""
    label_columns(load_instrument.find_instrument(model, "pair").labels, "entailment", model)


def acceptable(texts: Sequence[str], model: str = "acceptability") -> NDArray:
    """Probability that each text is well-formed, (n,) in [0, 1]; higher is better. Errors as in `entail`."""
    return _positive("acceptability", texts, model)


def toxic(texts: Sequence[str], model: str = "") -> NDArray:
    """Probability that each text is toxic, (n,) in [0, 1]; lower is better. Errors as in `entail`.

    model : "toxicity"; a head's file; or a Hugging Face model, its toxic label named after a # where it does
        not name itself; "" is the run's, else "toxicity"
    """
    model = model or model_files.of_run("toxicity") or "toxicity"
    path = head_file.find_head(model)
    if path is None or head_file.read(path).kind != "sentence":
        return _positive("toxicity", texts, model)
    tool = load_instrument.find_instrument(model, "sentence")
    tool.note()
    column = label_columns(tool.labels, "toxicity", model)[0]
    return softmax(score_vectors(toxicity_features(texts), head_file.read(path).layers))[:, column]


def toxicity_features(texts: Sequence[str]) -> NDArray[np.float32]:
    """What a sentence head reads, (n, 388): our encoder's inner vectors, whichever the run names, and for
    each category of toxic terms 1 where one stands, else 0."""
    names = toxic_terms.CATEGORIES
    found = [{hit.category for hit in toxic_terms.find(text)} for text in texts]
    terms = np.array([[name in each for name in names] for each in found], dtype=np.float32)
    return np.hstack([inner_vectors(texts), terms.reshape(-1, len(names))])


def check_toxicity(model: str) -> None:
    """Refuse a model that cannot judge toxicity, without loading it; errors as in `entail`."""
    path = head_file.find_head(model)
    kind = "sentence" if path and head_file.read(path).kind == "sentence" else "text"
    label_columns(load_instrument.find_instrument(model, kind).labels, "toxicity", model)


def score_vectors(vectors: NDArray, layers: dict[str, NDArray]) -> NDArray:
    """Scores (n, labels) of a sentence head over its features (n, d); a row's bits do not depend on n."""
    for name in [name for name in ("dense", "out") if f"{name}.weight" in layers]:
        weights, bias = (layers[f"{name}.{part}"].astype(np.float64) for part in ("weight", "bias"))
        blocks = [
            (vectors[i : i + BLOCK, None, :].astype(np.float64) * weights).sum(axis=2)
            for i in range(0, len(vectors), BLOCK)
        ]
        vectors = np.concatenate([*blocks, np.empty((0, len(bias)))]) + bias
        vectors = np.tanh(vectors) if name == "dense" else vectors
    return vectors


def softmax(scores: NDArray) -> NDArray:
    """Probabilities of each row, (n, labels)."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True)) if len(scores) else scores
    return powers / powers.sum(axis=1, keepdims=True)


def _positive(asked: str, texts: Sequence[str], model: str) -> NDArray:
    """Probability of the one label asked for."""
    empty = [i for i, text in enumerate(texts) if not text.strip()]
    if empty:
        raise ValueError(f"text {empty[0]} is empty; there is nothing to judge")
    tool = load_instrument.find_instrument(model, "text")
    column = label_columns(tool.labels, asked, model)[0]
    return _chance(tool, _scores(asked, tool, list(texts), str, tokenization.tokenize_texts), column)


def _chance(tool: Instrument, rows: NDArray, column: int) -> NDArray:
    """Probability of one label, from rows of `_scores`."""
    scores = rows[:, :-1]
    return 1 / (1 + np.exp(-scores[:, column])) if tool.several else softmax(scores)[:, column]


def _pair_as_text(pair: tuple[str, str]) -> str:
    """A pair as one text, another for every pair."""
    return f"{len(pair[0])}\0{pair[0]}{pair[1]}"


def _scores(
    noted_as: str,
    tool: Instrument,
    items: Sequence[Item],
    text: Callable[[Any], str],
    tokenize: Callable[[Any, Any, int], list[Input]],
) -> NDArray:
    """Scores of the labels and, last, the length of the vector behind z; (n, labels + 1)."""
    tool.note()

    def compute(missing: list[Item]) -> Iterator[dict[Item, NDArray]]:
        loaded = tool.load()
        norm = np.float32(loaded.hyperplane_norm)
        inputs = tokenize(loaded.tokenizer, missing, tool.limit)
        for part in loaded.compute(missing, inputs):
            yield {item: np.append(row, norm) for item, row in part.items()}

    known = cache.cached_compute(noted_as, items, lambda item: cache.key(tool.recipe, text(item)), compute)
    scores = np.array([known[item] for item in items], dtype=np.float64)
    return scores.reshape(len(items), len(tool.labels) + 1)
