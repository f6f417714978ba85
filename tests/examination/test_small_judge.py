"""The tuned judge: a tiny causal model, made here with random weights, learns one reply by heart; traces and replies
are read with care."""

import json

import pytest

from ragassay.errors import InputError, LabelError
from ragassay.examination import small_judge
from ragassay.examination.small_judge import Tuning

TEXTS = {
    "input": "What is the fee?",
    "references": ["It is 5."],
    "actual_output": "5 [1].",
    "expected_output": "5 [1].",
}
MARKS = {"answer_relevancy": 5, "completeness": None, "usefulness": None, "faithfulness": 0}


def written(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_marks_are_read_by_three_names_and_may_be_missing(tmp_path):
    rows = [
        TEXTS | MARKS,
        TEXTS | {"marks": MARKS},
        TEXTS | {f"grouse_{mark}:judge": MARKS[mark] for mark in MARKS},
    ]
    found = small_judge.read(written(tmp_path / "t.jsonl", [*rows, TEXTS | {"usefulness": 1}]))
    assert [marks for _, marks in found] == [MARKS, MARKS, MARKS, {"usefulness": 1}] and found[0][0] == TEXTS


@pytest.mark.parametrize("change, error, words", [
    ({"answer_relevancy": 6}, LabelError, "answer_relevancy is outside"),
    ({"faithfulness": True}, LabelError, "faithfulness"),
    ({"completeness": "5"}, LabelError, "completeness"),
    ({"input": 3}, InputError, "'input'"),
    ({"references": "text"}, InputError, "'references'"),
])  # fmt: skip
def test_a_line_that_is_no_trace_is_refused_with_its_place(tmp_path, change, error, words):
    with pytest.raises(error, match=f"(?s){words}.*line 2"):
        small_judge.read(written(tmp_path / "t.jsonl", [TEXTS | MARKS, TEXTS | MARKS | change]))
    with pytest.raises(LabelError, match="no mark"):
        small_judge.read(written(tmp_path / "t.jsonl", [TEXTS]))


@pytest.mark.parametrize("reply, marks", [
    (f"Here: {json.dumps(MARKS)} and more {{", MARKS),
    ("", {}),
    ("{answer_relevancy: 5}", {}),
    ('{"answer_relevancy": 7, "usefulness": true, "faithfulness": "1", "completeness": 2}', {"completeness": 2}),
])  # fmt: skip
def test_what_a_reply_does_not_say_plainly_is_no_mark(reply, marks):
    assert small_judge.parse_reply(reply) == marks


def traces(n=20, questions=5):
    return [(TEXTS | {"input": f"Question {i % questions}?"}, {"usefulness": 1}) for i in range(n)]


def test_questions_stay_on_one_side_and_too_few_are_refused():
    learned, held = small_judge.split(traces(40, 10), 3)
    assert {row["input"] for row, _ in learned}.isdisjoint({row["input"] for row, _ in held})
    assert (len(learned), len(held)) == (32, 8)
    with pytest.raises(LabelError, match="16 traces of 4 questions"):
        small_judge.split(traces(16, 4), 0)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A Llama of two small layers with random weights, and a tokenizer of bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base")
    torch.manual_seed(0)
    letters = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "</s>"]
    vocabulary = {letter: place for place, letter in enumerate(letters)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>").save_pretrained(folder)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"eos_token_id": 256, "bos_token_id": 256}
    LlamaForCausalLM(LlamaConfig(initializer_range=0.3, vocab_size=257, **sizes, **ends)).save_pretrained(
        folder
    )
    return folder


@pytest.mark.slow
def test_a_tiny_model_is_tuned_written_read_back_and_gives_the_same(base, tmp_path):
    pytest.importorskip("peft")
    file = written(tmp_path / "t.jsonl", [row | marks for row, marks in traces()])
    conditions = {f"{mark}_condition": "==None" for mark in MARKS}
    suite = written(tmp_path / "suite.jsonl", [TEXTS | {"conditions": conditions}] * 2)
    out, how = tmp_path / "tuned", Tuning(rank=4, epochs=1, rate=1e-2, longest=24)
    found = small_judge.train(file, out, model=base, seed=0, suite=suite, tuning=how)
    card = json.loads((out / "card.json").read_text())
    assert (card["n_learned"], card["n_held_out"]) == (16, 4) and card["instruments"]["tests"] == 2
    assert sum(row["n"] for row in card["balance"]) == 20 * 4 and card["settings"]["rank"] == 4
    assert (out / "adapter" / "adapter_model.safetensors").is_file() and not list(out.rglob("*.bin"))
    assert small_judge.load(out).reply("What?") == found.reply("What?")


@pytest.mark.slow
def test_tuning_lowers_the_loss_of_the_marks(base):
    pytest.importorskip("peft")
    import torch

    asked = small_judge.prompt(TEXTS)

    def loss(judge):
        ids = judge.tokenizer(asked)["input_ids"][-16:]
        wanted = [*judge.tokenizer(json.dumps({"usefulness": 1}))["input_ids"], 256]
        labels = torch.tensor([[-100] * 16 + wanted])
        with torch.inference_mode():
            return float(judge.network(input_ids=torch.tensor([ids + wanted]), labels=labels).loss)

    pairs = [(TEXTS, {"usefulness": 1})] * 8
    plain, tuned = (
        small_judge.tune(pairs, base, Tuning(rank=4, epochs=20, rate=rate, longest=16), 0)
        for rate in (0.0, 1e-2)
    )
    assert loss(tuned) < 0.8 * loss(plain)
