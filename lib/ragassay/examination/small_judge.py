"""A judge of one's own: a causal language model that the user names, tuned by low-rank adaptation on the
marks that a larger one gave (GroUSE section 5, appendices F and H).

    traces (answers with marks) -> held out by question -> adapter -> agreement, unit tests -> folder

It is worth what its traces are worth: it repeats a language model's marks, and is to be examined like any
other instrument.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ragassay import output_files
from ragassay.documents.record_files import whole_records
from ragassay.errors import LabelError, ModelError, install
from ragassay.examination.examine import (
    BUNDLED,
    MARKS,
    Marks,
    examine,
    is_readable,
    read_suite,
    shown,
    with_baseline,
)
from ragassay.examination.instruments import between_judges, marks_of_rows

ADAPTER, CARD, REPLY = "adapter", "card.json", 64
FEWEST, FEWEST_QUESTIONS = 20, 5
HELD_OUT = 0.2  # share of the questions kept for evaluation
ASKED = "Marks as JSON (answer_relevancy, completeness: null, 1-5; usefulness, faithfulness: null, 0, 1):"
_OBJECT = re.compile(r"\{[^{}]*\}")
Row = Mapping[str, Any]
Trace = tuple[Row, Marks]  # what a scorer may see of an answer, and its marks


@dataclass(frozen=True)
class Tuning:
    """How the adapter is trained; the defaults are the source's, whose batch was 64 and which quantised the
    base to 8 bits. longest : tokens of a prompt, its beginning cut beyond
    """

    rank: int = 32
    alpha: int = 16
    dropout: float = 0.05
    epochs: int = 3
    rate: float = 2e-4
    batch: int = 8
    longest: int = 7104


@dataclass(frozen=True)
class SmallJudge:
    """Rows of a suite to the four marks, by a tuned language model, decoded greedily; a scorer for
    `examine.examine`.
    """

    network: Any
    tokenizer: Any
    longest: int

    def __call__(self, rows: Sequence[Row]) -> list[Marks]:
        """The marks of each row; a mark that the reply lacks, or has out of range, is left out."""
        return [parse_reply(self.reply(prompt(row))) for row in rows]

    def reply(self, text: str) -> str:
        """What the model says after this text."""
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


def read(path: str | Path) -> list[Trace]:
    """The traces of a JSON Lines file, one answer per line: what a scorer may see, and its marks.

    A line has input, references, actual_output, expected_output (absent or null: none is known) and the marks
    answer_relevancy, completeness (1 to 5 or null), usefulness, faithfulness (0, 1 or null), by these names
    or as `grouse_completeness:judge`, beside the texts or under `marks`. A mark left out is a reply that
    could not be read: counted, and not learned from.

    Raises InputError if the file is missing, or a line is not such an object; LabelError if
    a line has no mark, or one outside its range.
    """
    traces: list[Trace] = []
    for record, where, *_ in whole_records(Path(path)):
        row = shown(record | {"expected_output": record.get("expected_output") or ""}, where)
        given = record["marks"] if isinstance(record.get("marks"), dict) else record
        plain = {name.removeprefix("grouse_").removesuffix(":judge"): value for name, value in given.items()}
        marks = {mark: plain[mark] for mark in MARKS if mark in plain}
        outside = [mark for mark, value in marks.items() if not is_readable(mark, value)]
        if outside or not marks:
            what = f"{outside[0]} is outside its range" if outside else "a trace has no mark of a judge"
            found = marks.get(outside[0]) if outside else ", ".join(record)
            raise LabelError(what, where=where, found=found, do="correct the line or leave it out")
        traces.append((row, marks))
    return traces


def train(
    traces: str | Path,
    out: str | Path,
    *,
    model: str | Path,
    seed: int,
    suite: str | Path = BUNDLED,
    tuning: Tuning | None = None,
) -> SmallJudge:
    """A judge tuned from the causal model in the folder `model`, written into the folder `out` with its card;
    the base model is not copied. It has not learned from the answers to a fifth of the questions, held out.

    card.json : settings; n_learned, n_held_out; balance (how often each mark was given, GroUSE appendix H);
        alignment with the marks on the held-out questions (`between_judges`); instruments (pass rates on the
        suite, and those of rules alone: `examine.with_baseline`)

    Parameters
    ----------
    traces : a file for `read`
    suite : unit tests in GroUSE's format; the bundled ones unless others are named

    Raises ModelError if peft is not installed (extra `lora`), or the folder holds no model; InputError if the
    traces or the suite cannot be read; LabelError if there are fewer than 20 traces or 5 questions, or a line
    cannot be learned from.

    Source: Hu et al. (2022), LoRA; GroUSE sections 5.1 and 5.2, tables 3 and 4, appendices F and H.
    """
    tests, how = read_suite(suite), tuning or Tuning()  # refused before hours of training
    learning, held = split(read(traces), seed)
    judge, folder = tune(learning, Path(model), how, seed), Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    judge.network.save_pretrained(str(folder / ADAPTER), safe_serialization=True)
    rows = [row for row, _ in held]
    theirs, ours = marks_of_rows(rows, [marks for _, marks in held]), marks_of_rows(rows, judge(rows))
    alignment = between_judges(theirs, ours, rng=np.random.default_rng(seed))
    given = (marks for _, marks in (*learning, *held))
    counts = Counter((mark, str(marks.get(mark, "unread"))) for marks in given for mark in MARKS)
    card = {
        "settings": {
            "base": str(Path(model).resolve()),
            "seed": seed,
            "suite": Path(suite).name,
            **asdict(how),
        },
        "n_learned": len(learning),
        "n_held_out": len(held),
        "balance": [{"mark": mark, "given": given, "n": n} for (mark, given), n in counts.items()],
        "alignment": json.loads(alignment.to_json(orient="records")),
        "instruments": with_baseline(tests, examine(tests, judge, name="small judge")),
    }
    output_files.write_text(
        folder / CARD, json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    )
    return judge


def split(traces: Sequence[Trace], seed: int) -> tuple[list[Trace], list[Trace]]:
    """The traces to learn from and those held out, by question. Raises as `train`."""
    from sklearn.model_selection import GroupShuffleSplit

    questions = [row["input"] for row, _ in traces]
    if len(traces) < FEWEST or len(set(questions)) < FEWEST_QUESTIONS:
        raise LabelError(
            "too few traces to train a judge",
            found=f"{len(traces)} traces of {len(set(questions))} questions",
            expected=f"{FEWEST} of {FEWEST_QUESTIONS} questions, or more",
        )
    ((kept, left),) = GroupShuffleSplit(1, test_size=HELD_OUT, random_state=seed).split(
        questions, groups=questions
    )
    return [traces[place] for place in kept], [traces[place] for place in left]


def load(folder: str | Path) -> SmallJudge:
    """The judge that `train` wrote, with the base model from where it was.

    Raises ModelError if there is none, it is damaged, the base model has gone, or peft is not installed.
    """
    file = Path(folder) / CARD
    try:
        about = json.loads(file.read_text(encoding="utf-8"))["settings"]
        base, longest = Path(about["base"]), int(about["longest"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ModelError(
            "the small judge cannot be read",
            where=file,
            found=repr(problem),
            do="train it again: examination.small_judge.train",
        ) from None
    peft = _peft()
    network, tokenizer = load_base(base)
    return SmallJudge(
        peft.PeftModel.from_pretrained(network, str(Path(folder) / ADAPTER)).eval(), tokenizer, longest
    )


def tune(learning: Sequence[Trace], base: Path, how: Tuning, seed: int) -> SmallJudge:
    """The base model with an adapter that has learned the marks alone, not the prompt: AdamW over the epochs,
    the rate falling along a cosine."""
    peft = _peft()
    from transformers import DataCollatorForSeq2Seq, Trainer, TrainingArguments, set_seed

    set_seed(seed)
    network, tokenizer = load_base(base)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token  # of which a batch of one needs none
    network = peft.get_peft_model(
        network,
        peft.LoraConfig(
            r=how.rank,
            lora_alpha=how.alpha,
            lora_dropout=how.dropout,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        ),
    )
    examples = []
    for row, marks in learning:
        asked = _ids(tokenizer, prompt(row))[-how.longest :]
        wanted = [*_ids(tokenizer, json.dumps(marks)), tokenizer.eos_token_id]
        examples.append({"input_ids": asked + wanted, "labels": [-100] * len(asked) + wanted})
    with TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=how.epochs,
            per_device_train_batch_size=1,
            gradient_accumulation_steps=how.batch,
            learning_rate=how.rate,
            lr_scheduler_type="cosine",
            seed=seed,
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
            dataloader_pin_memory=False,
        )
        Trainer(
            network, arguments, train_dataset=examples, data_collator=DataCollatorForSeq2Seq(tokenizer)
        ).train()
    return SmallJudge(network.eval(), tokenizer, how.longest)


def prompt(row: Row) -> str:
    """What the model reads before it gives the marks."""
    references = "\n".join(f"[{number}] {text}" for number, text in enumerate(row["references"], start=1))
    parts = (
        f"References:\n{references}",
        f"Question: {row['input']}",
        f"True answer: {row['expected_output']}",
        f"Answer: {row['actual_output']}",
    )
    return "\n\n".join((*parts, ASKED)) + "\n"


def parse_reply(reply: str) -> Marks:
    """The marks in a reply; what is no JSON object, or lies out of range, is left out."""
    match = _OBJECT.search(reply)
    try:
        found = json.loads(match[0]) if match else {}
    except ValueError:
        return {}
    return {mark: found[mark] for mark in MARKS if mark in found and is_readable(mark, found[mark])}


def load_base(folder: Path) -> tuple[Any, Any]:
    """The causal language model of a folder and its tokenizer. Raises ModelError if there is none."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        network: Any = AutoModelForCausalLM.from_pretrained(str(folder), local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError) as problem:
        raise ModelError(
            "the base model cannot be loaded",
            where=folder,
            found=problem,
            do="name a folder with a causal language model",
        ) from None
    return network.to(device), tokenizer


def _ids(tokenizer: Any, text: str) -> list[int]:
    return tokenizer(text.encode("utf-8", "replace").decode(), add_special_tokens=False)["input_ids"]


def _peft() -> Any:
    try:
        import peft
    except ImportError:
        raise ModelError("peft is not installed", do=install("lora")) from None
    return peft
