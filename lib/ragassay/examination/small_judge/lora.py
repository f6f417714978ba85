"""A causal language model of the user's own, tuned on the traces by low-rank adaptation:
the source's way (GroUSE 5.1, appendix F).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragassay.errors import ModelError, install
from ragassay.examination import unit_test_suite as suites
from ragassay.examination.small_judge import traces, training
from ragassay.examination.small_judge.traces import Traces, is_allowed
from ragassay.examination.unit_test_suite import MARKS

FILE, ADAPTER, VERSION, REPLY = "small_judge_lora.json", "adapter", 1, 64
ASKED = "Marks as JSON (answer_relevancy, completeness: null, 1-5; usefulness, faithfulness: null, 0, 1):"
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class Tuning:
    """How the adapter is trained; the defaults are the source's, whose batch was 64 and which quantised the
    base to 8 bits.

    rank, alpha, dropout : of the adapter; epochs, rate, batch : of the training; longest : tokens of a
        prompt, its beginning cut beyond
    """

    rank: int = 32
    alpha: int = 16
    dropout: float = 0.05
    epochs: int = 3
    rate: float = 2e-4
    batch: int = 8
    longest: int = 7104


@dataclass(frozen=True)
class LoraJudge:
    """Rows of a suite to the four marks, by a tuned language model, decoded greedily;
    a reply that cannot be read gives no mark.
    """

    network: Any
    tokenizer: Any
    longest: int

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, float | None]]:
        """The marks of each row; a mark that the reply lacks, or has out of range, is left out."""
        return [parse_reply(self._reply(prompt(row))) for row in rows]

    def _reply(self, text: str) -> str:
        import torch

        ids = torch.tensor([_ids(self.tokenizer, text)[-self.longest :]], device=self.network.device)
        end = self.tokenizer.eos_token_id
        with torch.inference_mode():
            out = self.network.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=REPLY,
                do_sample=False,
                pad_token_id=end,
                eos_token_id=end,
            )
        return self.tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)


def prompt(row: Mapping[str, Any]) -> str:
    """What the model reads before it gives the marks."""
    references = "\n".join(f"[{number}] {text}" for number, text in enumerate(row["references"], start=1))
    parts = (
        f"References:\n{references}",
        f"Question: {row['input']}",
        f"True answer: {row['expected_output']}",
        f"Answer: {row['actual_output']}",
    )
    return "\n\n".join((*parts, ASKED)) + "\n"


def parse_reply(reply: str) -> dict[str, float | None]:
    """The marks in a reply; what is no JSON object, or lies out of range, is left out."""
    match = _OBJECT.search(reply)
    try:
        found = json.loads(match[0]) if match else {}
    except ValueError:
        return {}
    return {mark: found[mark] for mark in MARKS if mark in found and is_allowed(mark, found[mark])}


def train(
    marked: str | Path | Traces,
    out: str | Path,
    *,
    model: str | Path,
    seed: int,
    held_out: float = training.HELD_OUT,
    tuning: Tuning | None = None,
    suite: str | Path = suites.BUNDLED,
) -> training.Trained:
    """A judge tuned from the causal model in the folder `model`, with the card of `training.train`;
    the base model is not copied.

    Raises
    ------
    ModelError
        If peft is not installed (extra `lora`), or the folder holds no model.
    LabelError
        As `training.train`.

    Source: Hu et al. (2022), LoRA; GroUSE section 5.1, appendix F.
    """
    how = tuning or Tuning()
    suites.read(suite)  # a suite that cannot be read is refused before hours of training
    given = marked if isinstance(marked, Traces) else traces.read(marked)
    learning, held = training.split(given, held_out, np.random.default_rng(seed))
    judge = _tune(learning, Path(model), how, seed)
    card = training.evaluate(
        judge, learning, held, {"kind": "lora", "base": Path(model).name, "seed": seed, **vars(how)}, suite
    )
    judge.network.save_pretrained(str(Path(out) / ADAPTER), safe_serialization=True)
    about = {"version": VERSION, "kind": "lora", "base": str(Path(model).resolve()), "longest": how.longest}
    (Path(out) / FILE).write_text(json.dumps(about, sort_keys=True) + "\n", encoding="utf-8")
    return training.Trained(judge, card, card.save(out))


def load(folder: str | Path) -> LoraJudge:
    """The judge that `train` wrote, with the base model from where it was.

    Raises ModelError if there is none, it is damaged, the base model has gone, or peft is not installed.
    """
    file = Path(folder) / FILE
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
        base, longest = Path(about["base"]), int(about["longest"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ModelError(
            "the tuned judge cannot be read", where=file, found=repr(problem), do="train it again"
        ) from None
    peft = _peft()
    network, tokenizer = _base(base)
    return LoraJudge(
        peft.PeftModel.from_pretrained(network, str(Path(folder) / ADAPTER)).eval(), tokenizer, longest
    )


def _tune(learning: Traces, base: Path, how: Tuning, seed: int) -> LoraJudge:
    import torch

    peft = _peft()
    torch.manual_seed(seed)
    network, tokenizer = _base(base)
    adapter = {"r": how.rank, "lora_alpha": how.alpha, "lora_dropout": how.dropout}
    settings = peft.LoraConfig(**adapter, target_modules="all-linear", task_type="CAUSAL_LM")
    network = peft.get_peft_model(network, settings).train()
    pairs = zip(learning.rows, learning.marks, strict=True)
    examples = [_example(tokenizer, row, marks, how.longest) for row, marks in pairs]
    _descend(network, examples, how, np.random.default_rng(seed))
    return LoraJudge(network.eval(), tokenizer, how.longest)


def _descend(network: Any, examples: list, how: Tuning, rng: np.random.Generator) -> None:
    """AdamW over the epochs, the rate falling along a cosine."""
    import torch

    steps = how.epochs * -(-len(examples) // how.batch)
    optimiser = torch.optim.AdamW([each for each in network.parameters() if each.requires_grad], lr=how.rate)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for batch in _batches(examples, how, rng):
        for ids, labels in batch:
            asked = torch.tensor([ids], device=network.device)
            wanted = torch.tensor([labels], device=network.device)
            (network(input_ids=asked, labels=wanted).loss / len(batch)).backward()
        optimiser.step()
        falling.step()
        optimiser.zero_grad()


def _example(
    tokenizer: Any, row: Mapping[str, Any], marks: Mapping[str, Any], longest: int
) -> tuple[list[int], list[int]]:
    """Token ids, and the same as labels with the prompt masked: only the marks are learned."""
    asked = _ids(tokenizer, prompt(row))[-longest:]
    wanted = [*_ids(tokenizer, json.dumps(marks)), tokenizer.eos_token_id]
    return asked + wanted, [-100] * len(asked) + wanted


def _batches(examples: list, how: Tuning, rng: np.random.Generator) -> Iterator[list]:
    for _ in range(how.epochs):
        order = rng.permutation(len(examples))
        yield from (
            [examples[i] for i in order[start : start + how.batch]]
            for start in range(0, len(order), how.batch)
        )


def _ids(tokenizer: Any, text: str) -> list[int]:
    return tokenizer(text.encode("utf-8", "replace").decode(), add_special_tokens=False)["input_ids"]


def _base(folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    where, here = str(folder), {"local_files_only": True}
    try:
        network: Any = AutoModelForCausalLM.from_pretrained(where, **here)
        tokenizer = AutoTokenizer.from_pretrained(where, **here)
    except (OSError, ValueError) as problem:
        raise ModelError(
            "the base model cannot be loaded",
            where=folder,
            found=problem,
            do="name a folder with a causal language model",
        ) from None
    return network.to(device), tokenizer


def _peft() -> Any:
    try:
        import peft
    except ImportError:
        raise ModelError("peft is not installed", do=install("lora")) from None
    return peft
