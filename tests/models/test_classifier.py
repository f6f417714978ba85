"""Judgements of pairs and texts: order, each input once, the distance to the hyperplane, which label means what, how a
context is cut; Hugging Face models in place of ours, asked as their own library is; perplexity; what is refused.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, softmax
from small_heads import LABELS, write
from test_batching import TOKENIZER
from tiny_language_model import SIZE, save_tiny_language_model
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertForTokenClassification

import ragassay
from models.tiny_classifier import made
from models.tiny_encoder import save_tiny_encoder
from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import batching, classifier, head_file, load_instrument, model_files
from ragassay.models.load_instrument import Instrument, Loaded, label_columns
from ragassay.models.toxic_terms import CATEGORIES, Hit


@pytest.fixture
def computed(monkeypatch):
    """Stands in for every network: scores come from the token numbers alone. A list of how many were asked."""
    batches: list[int] = []

    def compute(inputs, labels):
        batches.append(len(inputs))
        return [np.array([np.sin(sum(one.ids) * (i + 1.0)) for i in range(len(labels))]) for one in inputs]

    def find_instrument(model, kind):
        identity = {"name": model, "file": "x", "sha256": model}
        loaded = Loaded(TOKENIZER, lambda inputs: compute(inputs, LABELS[kind]), 4.0)
        return Instrument(identity, tuple(LABELS[kind]), 64, model, lambda: loaded)

    monkeypatch.setattr(load_instrument, "find_instrument", find_instrument)
    return batches


THREE_PAIRS = [
    ("The fee is 28 dollars.", "A fee is due."),
    ("It rains.", "It is dry."),
    ("The fee is 28 dollars.", "A fee is due."),
]


def test_each_pair_is_judged_once_and_order_is_kept(computed):
    found = models.entail(THREE_PAIRS)
    assert computed == [2]
    assert found.z[0] == found.z[2] != found.z[1]
    assert (models.entail(THREE_PAIRS[::-1]).z == found.z[::-1]).all()
    assert computed == [2]


def test_an_empty_text_is_refused(computed):
    with pytest.raises(ValueError, match="text 1 is empty"):
        models.acceptable(["full", ""])


@pytest.fixture
def vectors(monkeypatch):
    """Random unit vectors in the encoder's place; every seventh text holds an insult, every ninth a threat."""
    drawn = np.random.default_rng(0).normal(size=(200, 384)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)

    def inner_vectors(texts):
        return drawn[[int(text) for text in texts]]

    monkeypatch.setattr(classifier, "inner_vectors", inner_vectors)

    def find(text):
        every = (("threat", 9), ("insult", 7))
        return [Hit(category, 0, 1) for category, step in every if int(text) % step == 0]

    monkeypatch.setattr(classifier.toxic_terms, "find", find)
    of = {"insult": np.arange(200) % 7 == 0, "threat": np.arange(200) % 9 == 0}
    return np.column_stack([drawn, *(of.get(name, np.zeros(200)) for name in CATEGORIES)])


def test_toxicity_is_a_layer_on_inner_vectors_and_the_rule_of_terms(vectors, tmp_path):
    model = write(tmp_path, "sentence")
    layers = head_file.read(head_file.find_head(model)).layers
    scores = vectors @ layers["out.weight"].T + layers["out.bias"]
    found = models.toxic([str(i) for i in range(200)], model=model)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(scores[:, 0] - scores[:, 1])), atol=1e-5)


def test_a_head_not_shipped_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(head_file, "FOLDER", tmp_path)
    with pytest.raises(ModelError, match="'entailment' is not on this machine"):
        models.entail([("a", "b")])


PAIRS = [("The fee is 28 dollars.", "A fee is due."), ("It rains in Paris all day long.", "It is dry.")]
TEXTS = ["The fee is 28 dollars.", "You are a fool."]


def asked_directly(folder, first, second=None):
    """The scores of one input without any padding."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return network(**tokenizer(first, second, return_tensors="pt")).logits[0].double().numpy()


@pytest.mark.parametrize(
    ("labels", "asked", "model", "found"),
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], "entailment", "m", [2, 1, 0]),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "entailment", "m#LABEL_2, LABEL_1,LABEL_0", [2, 1, 0]),
        (["LABEL_0", "LABEL_1"], "acceptability", "m#LABEL_1", [1]),
        (["entailment", "not_entailment"], "support", "m", [0]),
        (["entailment", "not_entailment"], "entailment", "m", None),
        (["LABEL_0", "LABEL_1"], "acceptability", "m", None),
        (["LABEL_0", "LABEL_1"], "acceptability", "m#LABEL_7", None),
    ],
)
def test_labels_are_found_by_their_names_or_the_users_word_and_never_by_guess(labels, asked, model, found):
    if found:
        assert label_columns(labels, asked, model) == found
    else:
        with pytest.raises(ModelError, match="do not say"):
            label_columns(labels, asked, model)


def test_entailment_agrees_with_the_library(tmp_path):
    folder = made(tmp_path / "m", ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"])
    found = models.entail(PAIRS, model=folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder)
    weights = network.classifier.weight.detach().double().numpy()
    norm = np.linalg.norm(weights[2] - (weights[0] + weights[1]) / 2)
    for place, pair in enumerate(PAIRS):
        c, n, e = asked_directly(folder, *pair)
        np.testing.assert_allclose(found.probabilities[place], softmax([e, n, c]), atol=1e-5)
        assert found.z[place] == pytest.approx(e - (n + c) / 2, abs=1e-4)
        assert found.distance[place] == pytest.approx(found.z[place] / norm, abs=1e-4)


@pytest.mark.parametrize(
    ("labels", "chosen", "options", "expected"),
    [
        (["non-toxic", "toxic"], "", {}, lambda s: softmax(s)[1]),
        (["LABEL_0", "LABEL_1"], "#LABEL_0", {}, lambda s: softmax(s)[0]),
        (["toxic", "insult"], "", {"problem_type": "multi_label_classification"}, lambda s: expit(s[0])),
    ],
)
def test_toxicity_agrees_with_the_library(tmp_path, labels, chosen, options, expected):
    place = made(tmp_path / "m", labels, **options)
    models.check_model("toxicity", place + chosen)
    found = models.toxic(TEXTS, place + chosen)
    assert found == pytest.approx([expected(asked_directly(place, text)) for text in TEXTS], abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "chosen", "expected"),
    [
        (["unsupported", "supported"], "", lambda s: softmax(s)[1]),
        (["contradiction", "neutral", "entailment"], "", lambda s: softmax(s)[2]),
        (["LABEL_0"], "#LABEL_0", lambda s: expit(s[0])),
    ],
)
def test_support_agrees_with_the_library(tmp_path, labels, chosen, expected):
    place = made(tmp_path / "m", labels)
    models.check_model("support", place + chosen)
    found = models.supported([((premise,), text) for premise, text in PAIRS], place + chosen)
    assert found == pytest.approx([expected(asked_directly(place, *pair)) for pair in PAIRS], abs=1e-5)


@pytest.mark.parametrize("kind", ["toxicity", "support", "entailment"])
def test_a_model_that_cannot_judge_is_refused_with_what_to_write(tmp_path, kind):
    with pytest.raises(ModelError, match=f"do not say which means {kind}") as refused:
        models.check_model(kind, made(tmp_path / "m", ["LABEL_0", "LABEL_1"]))
    assert "LABEL_1" in refused.value.found and "model#LABEL" in refused.value.do
    with pytest.raises(ModelError, match="another kind"):
        models.check_model(kind, made(tmp_path / "names", ["O", "B-PER"], BertForTokenClassification))
    with pytest.raises(ModelError, match="nowhere"):
        models.check_model(kind, "nowhere")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(ModelError, match=r"config\.json"):
        models.check_model(kind, str(tmp_path / "empty"))


FEE, WIRE = "The fee is 28 dollars.", "A wire leaves the same day."


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch):
    monkeypatch.delenv("RAGASSAY_SUPPORT", raising=False)


@pytest.fixture(scope="module")
def supporting(tmp_path_factory):
    return made(tmp_path_factory.mktemp("models") / "support", ["unsupported", "supported"])


def test_a_context_that_fits_is_read_whole(supporting):
    whole = models.supported([((f"{FEE} {WIRE}",), "A fee is due.")], supporting)
    np.testing.assert_array_equal(models.supported([((FEE, WIRE), "A fee is due.")], supporting), whole)


def test_of_a_context_in_pieces_the_one_that_supports_most_counts(supporting, monkeypatch):
    context = tuple(
        f"Fee {number} is {number} dollars and it is due on day {number}." for number in range(90)
    )
    instrument = load_instrument.find_instrument(supporting, "support")
    cut = classifier._spans_that_fit([(context, "A fee is due.")], instrument)[0]
    assert len(cut) > 2
    pieces = models.supported([(context[a:b], "A fee is due.") for a, b in cut], supporting)
    found = models.supported([(context, "A fee is due."), ((WIRE,), "It stays.")], supporting)
    assert found[0] == pieces.max() and found[1] == models.supported([((WIRE,), "It stays.")], supporting)[0]


ANSWERS = [
    {"case_id": "c", "question": "What is the fee?", "answer": f"{FEE} It stays.", "contexts": [FEE, WIRE]},
    {"case_id": "d", "question": "Why?", "answer": "So.", "contexts": []},
]


def test_the_metric_is_the_least_support_of_a_sentence_by_the_whole_context(supporting):
    table = ragassay.score(ANSWERS, metrics=["support"], support=supporting).to_pandas()
    each = models.supported([((FEE, WIRE), FEE), ((FEE, WIRE), "It stays.")], supporting)
    assert table.value[0] == pytest.approx(each.min(), abs=1e-6)
    assert table.state[1] == "not_applicable" and np.isnan(table.value[1])


def test_it_needs_no_encoder_of_ours(supporting, tmp_path):
    """The logistic model is measured on our encoder alone; a named one reads texts."""
    own = save_tiny_encoder(tmp_path / "own")
    states = [
        ragassay.score(ANSWERS[:1], metrics=["support"], model=own, **named).to_pandas().state[0]
        for named in ({}, {"support": supporting})
    ]
    assert states == ["not_measured", "scored"]


@pytest.fixture
def limit(monkeypatch):
    """Lets the entailment network read so many tokens, in two heads of which one reads more."""

    def set_limit(tokens: int) -> None:
        head = SimpleNamespace(limit=tokens, load=lambda: SimpleNamespace(tokenizer=TOKENIZER))
        monkeypatch.setattr(load_instrument, "find_instrument", lambda model, kind: head)

    return set_limit


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 40))
def test_every_sentence_is_in_one_piece_and_no_piece_could_take_the_next(lengths, room):
    found = classifier.spans(lengths, room)
    assert [place for start, stop in found for place in range(start, stop)] == list(range(len(lengths)))
    assert all(sum(lengths[start:stop]) <= room or stop - start == 1 for start, stop in found)
    assert all(sum(lengths[start : stop + 1]) > room for start, stop in found[:-1])


def test_a_context_is_one_premise_exactly_as_long_as_the_network_reads_it_all(limit):
    """[CLS] 4 x 4 tokens [SEP] 2 tokens [SEP]: 21 tokens."""
    those, said = ("fee fee fee fee",) * 4, "fee fee"
    limit(21)
    assert classifier.premise_spans([(those, said)]) == [[(0, 4)]]
    read = batching.tokenize(TOKENIZER, [(" ".join(those), said)], 21)[0]
    assert len(read.ids) == 21 and len(read.ids) - sum(read.types) - 2 == 16
    limit(20)
    assert classifier.premise_spans([(those, said), (those[:1], said)]) == [[(0, 3), (3, 4)], [(0, 1)]]


@pytest.fixture(scope="module")
def speaking(tmp_path_factory):
    return save_tiny_language_model(tmp_path_factory.mktemp("lm") / "tiny")


@pytest.fixture(scope="module")
def even(tmp_path_factory):
    """A model to which every word is equally likely."""
    return save_tiny_language_model(tmp_path_factory.mktemp("lm") / "even", spread=0.0)


def test_by_hand(even):
    """Every word equally likely: as perplexed as there are words."""
    assert models.perplexity(["fee card fee", "card"], model=even) == pytest.approx([SIZE, SIZE])


def test_it_is_what_torch_computes(speaking):
    """exp of the cross-entropy of the tokens after the one that begins a text."""
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(speaking).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(speaking)
    ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer("fee card loan")["input_ids"]]])
    with torch.inference_mode():
        loss = network(input_ids=ids, labels=ids).loss.item()
    assert models.perplexity(["fee card loan"], model=speaking) == pytest.approx(math.exp(loss), rel=1e-5)


def test_refusals(speaking, tmp_path, monkeypatch):
    monkeypatch.delenv(model_files.OF_RUN["language_model"], raising=False)
    assert models.of_run("language_model") == ""
    with pytest.raises(ModelError, match="no language model is named"):
        models.perplexity(["fee"])
    with pytest.raises(ModelError, match="not on this machine"):
        models.check_model("language_model", str(tmp_path / "nowhere"))
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}')
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match="of another kind"):
        models.check_model("language_model", str(tmp_path))
    monkeypatch.setenv(model_files.OF_RUN["language_model"], speaking)
    assert models.perplexity(["fee"])[0] > 1


def test_a_text_is_read_once(speaking, monkeypatch, tmp_path):
    """What is known comes from the cache, the same to the bit; another model's values are not taken for it."""
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path))
    read = []
    compute = classifier._perplexity
    monkeypatch.setattr(classifier, "_perplexity", lambda *given: read.append(given[2]) or compute(*given))
    first = models.perplexity(["fee card", "loan", "fee card", ""], model=speaking)
    again = models.perplexity(["loan", "fee card", ""], model=speaking)
    assert sorted(read) == ["", "fee card", "loan"] and np.isnan(again[2])
    assert first[:2].tolist() == again[[1, 0]].tolist() and first[0] == first[2]
    other = save_tiny_language_model(tmp_path / "other", spread=0.0)
    assert models.perplexity(["loan"], model=other) == pytest.approx([SIZE]) and read.count("loan") == 2
