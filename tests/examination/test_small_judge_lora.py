"""The tuned judge: a tiny causal model, made here with random weights, learns one reply by heart; replies are read with care."""

import json
import sys

import pytest
import small_judge_made as made

from ragassay.errors import ModelError
from ragassay.examination.small_judge import Traces, load, lora

MARKS = {"answer_relevancy": 5, "completeness": None, "usefulness": None, "faithfulness": 0}


@pytest.mark.parametrize(
    "reply, marks",
    [
        (json.dumps(MARKS), MARKS),
        (f"Here: {json.dumps(MARKS)} and more {{", MARKS),
        ("", {}),
        ("none", {}),
        ("{answer_relevancy: 5}", {}),
        (
            '{"answer_relevancy": 7, "usefulness": true, "faithfulness": "1", "completeness": 2}',
            {"completeness": 2},
        ),
    ],
)
def test_what_a_reply_does_not_say_plainly_is_no_mark(reply, marks):
    assert lora.parse_reply(reply) == marks


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A Llama of two small layers with random weights, and a tokenizer of bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base")
    torch.manual_seed(0)
    letters = {
        letter: place for place, letter in enumerate([*sorted(pre_tokenizers.ByteLevel.alphabet()), "</s>"])
    }
    tokenizer = Tokenizer(models.BPE(vocab=letters, merges=[]))
    tokenizer.pre_tokenizer, tokenizer.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>").save_pretrained(folder)
    config = LlamaConfig(
        initializer_range=0.3,
        vocab_size=257,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        eos_token_id=256,
        bos_token_id=256,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_a_tiny_model_is_tuned_written_read_back_and_gives_the_same(base, tmp_path):
    pytest.importorskip("peft")
    rows = [row for number in range(5) for row in made.traces(number)[::4]]
    given = Traces(tuple(rows), tuple({"usefulness": 1} for _ in rows))
    suite = tmp_path / "suite.jsonl"
    suite.write_text("\n".join(json.dumps(row) for row in made.unit_tests(1)[:2]), encoding="utf-8")
    tuning = lora.Tuning(rank=4, epochs=1, rate=1e-2, longest=24)
    found = lora.train(
        given, tmp_path / "tuned", model=base, seed=0, held_out=0.2, tuning=tuning, suite=suite
    )
    assert "lora" in (tmp_path / "tuned" / "card.json").read_text()
    assert (tmp_path / "tuned" / "adapter" / "adapter_model.safetensors").is_file() and not list(
        (tmp_path / "tuned").rglob("*.bin")
    )
    again = load(tmp_path / "tuned")
    assert [again._reply(lora.prompt(row)) for row in rows[:2]] == [
        found.judge._reply(lora.prompt(row)) for row in rows[:2]
    ]


def test_tuning_lowers_the_loss_of_the_marks_alone(base):
    pytest.importorskip("peft")
    import torch

    row = made.traces(0)[0]
    given = Traces((row,) * 8, ({"usefulness": 1},) * 8)

    def loss(judge):
        ids, labels = lora._example(judge.tokenizer, row, {"usefulness": 1}, 16)
        assert labels[:16] == [-100] * 16 and labels[16:] == ids[16:]
        with torch.inference_mode():
            return float(judge.network(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss)

    plain = lora._tune(given, base, lora.Tuning(rank=4, epochs=0, longest=16), 0)
    tuned = lora._tune(given, base, lora.Tuning(rank=4, epochs=20, rate=1e-2, longest=16), 0)
    assert loss(tuned) < 0.8 * loss(plain)


def test_a_base_that_is_not_there_is_refused(tmp_path):
    pytest.importorskip("peft")
    with pytest.raises(ModelError, match="base model"):
        lora._base(tmp_path / "none")
    with pytest.raises(ModelError, match="cannot be read"):
        lora.load(tmp_path)


def test_without_peft_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(ModelError, match=r"\.\[lora\]"):
        lora._peft()
