"""Texts to token ids, and these to batches of one length on one device: a result has the same bits whatever
its neighbours, where a product of matrices does not depend on the number of rows, as on the processors tried.

Texts are padded to a multiple of STEP; off the CPU a batch of each length has always the same rows. The
device (cpu, cuda or mps, one for every network of a run: RAGASSAY_DEVICE) changes the last bits of a result:
it is part of its key in the cache, and the manifest states it.
"""

import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from ragassay.errors import ModelError
from ragassay.models import model_files
from ragassay.models.model_files import THREADS

DEVICES = ("cpu", "cuda", "mps")
CPU = DEVICES[0]
TOKENS_OFF_CPU = 8192  # of a batch, padding included
WORKERS_OFF_CPU = 2  # batches at a time: one is made ready while another is computed
WHERE = "device in section run, --model device=..., or RAGASSAY_DEVICE"
CLS, SEP = 101, 102  # before and after a text of the default encoder
Batch = tuple[list[int], int, int]  # places of its inputs, their padded length, rows of every batch of it
_ONE_AT_A_TIME = threading.Lock()  # a fast tokenizer changes when it cuts
TOKENS = 1024  # of a batch, padding included: larger ones are no faster
STEP, STEP_OFF_CPU = 2, 32  # lengths are multiples of it: few rows cost less than padding, off the CPU more
SHAPES = f"onednn;tokens={TOKENS};threads={THREADS};step={STEP}"


def chosen_device() -> str:
    """The device that the run names, whether or not it is there; cpu where it names none. A ModelError if it
    is none of DEVICES."""
    named = model_files.of_run("device") or CPU
    if named not in DEVICES:
        raise ModelError(
            "there is no such device", where=WHERE, found=named, expected=", ".join(DEVICES), do="name one"
        )
    return named


def available_devices() -> list[str]:
    """The devices of this machine that its PyTorch can compute on."""
    import torch

    there = zip(DEVICES, (True, torch.cuda.is_available(), torch.backends.mps.is_available()), strict=True)
    return [name for name, is_there in there if is_there]


def check_device() -> str:
    """The device that the run names; a ModelError if it is none or not on this machine."""
    named = chosen_device()
    if named != CPU and named not in available_devices():
        raise ModelError(
            f"the device {named!r} is not on this machine",
            where=WHERE,
            found=", ".join(available_devices()),
            expected=named,
            do=f"name {CPU}, or install its driver and PyTorch",
        )
    return named


def device_recipe() -> str:
    """What the device adds to a result's key in the cache."""
    return "" if chosen_device() == CPU else f";device={chosen_device()};tokens={TOKENS_OFF_CPU}"


def move_to_device(network: Any) -> Any:
    """The network on the device that the run names; on the CPU oneDNN, which comes with torch, computes its
    linear layers: on the AMD processor tried at twice the speed of torch's own choice."""
    import torch

    device = check_device()
    if device == CPU and torch.backends.mkldnn.is_available():
        for layer in network.modules():
            plain = type(layer) is torch.nn.Linear and type(layer.weight) is torch.nn.Parameter
            if plain and layer.weight.dtype == torch.float32 and "forward" not in vars(layer):
                given = {"W": layer.weight, "B": layer.bias, "attr": "none", "scalars": [], "algorithm": ""}
                layer.forward = functools.partial(torch.ops.mkldnn._linear_pointwise, **given)
    return network.to(device)


class Input(NamedTuple):
    """Token ids of one input, and the type of each."""

    ids: tuple[int, ...]
    types: tuple[int, ...]


def refuse_empty(items: Sequence[str] | Sequence[tuple[str, str]]) -> None:
    """ValueError if a text, or one of a pair, is empty."""
    for place, item in enumerate(items):
        if not all(text.strip() for text in ([item] if isinstance(item, str) else item)):
            raise ValueError(f"text {place} is empty: {item!r:.200}; there is no vector and no judgement")


def tokenize(tokenizer: Any, items: Sequence[Any], limit: int) -> list[Input]:
    """One input per text, or pair (premise, hypothesis), cut at `limit` tokens: of a pair the longer text."""
    return [Input(tuple(one.ids), tuple(one.type_ids)) for one in read(tokenizer, items, limit)]


def read(tokenizer: Any, items: Sequence[Any], limit: int = 0) -> list[Any]:
    """The encodings (of tokenizers) of texts or pairs, each cut at `limit` tokens, or whole and without the
    tokens that mark beginning and end."""
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    readable = [
        replace_surrogates(item) if isinstance(item, str) else tuple(map(replace_surrogates, item))
        for item in items
    ]
    with _ONE_AT_A_TIME:
        fast.no_padding()
        fast.no_truncation()
        if limit:
            fast.enable_truncation(limit, direction=getattr(tokenizer, "truncation_side", "right"))
        return fast.encode_batch(readable, add_special_tokens=bool(limit))


def pad(batch: Sequence[Input], length: int, device: Any, pad_id: int = 0) -> dict[str, Any]:
    """The tensors that a network reads of a batch, by the names of its arguments; shape (inputs, length)."""
    import torch

    rest = [length - len(one.ids) for one in batch]
    rows = {
        "input_ids": [(*one.ids, *[pad_id] * more) for one, more in zip(batch, rest, strict=True)],
        "attention_mask": [[1] * (length - more) + [0] * more for more in rest],
        "token_type_ids": [(*one.types, *[0] * more) for one, more in zip(batch, rest, strict=True)],
    }
    return {name: torch.tensor(values, device=device) for name, values in rows.items()}


def replace_surrogates(text: str) -> str:
    """The text with a question mark for every lone surrogate, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def workers_here() -> int:
    """Batches computed at a time in this process: RAGASSAY_WORKERS, or one for each core, at most 8."""
    return int(os.environ.get("RAGASSAY_WORKERS") or min(8, os.cpu_count() or 1))


def batches(lengths: Sequence[int], limit: int, tokens: int, step: int) -> Iterator[Batch]:
    """The batches, each of inputs that share a padded length, a multiple of `step`; shortest first."""
    padded = [min(-(-length // step) * step, limit) for length in lengths]
    for shape in sorted(set(padded)):
        same = [place for place, length in enumerate(padded) if length == shape]
        rows = max(1, tokens // shape)
        for start in range(0, len(same), rows):
            yield same[start : start + rows], shape, rows


def compute_in_batches(
    inputs: Sequence[Input], limit: int, forward: Callable[[list[Input], int], Iterable[Any]]
) -> list[Any]:
    """A result for every input, in order, by `forward` (inputs of a batch and their padded length), which
    several threads call at once; off the CPU a batch is filled up with its first input, at little cost."""
    on_cpu = chosen_device() == CPU
    shape, results = (TOKENS, STEP) if on_cpu else (TOKENS_OFF_CPU, STEP_OFF_CPU), dict[int, Any]()

    def compute(batch: Batch) -> None:
        places, length, rows = batch
        more = 0 if on_cpu else rows - len(places)
        own = [inputs[place] for place in places + places[:1] * more]
        results.update(zip(places, forward(own, length), strict=False))

    with ThreadPoolExecutor(workers_here() if on_cpu else WORKERS_OFF_CPU) as pool:
        list(pool.map(compute, batches([len(one.ids) for one in inputs], limit, *shape)))
    return [results[place] for place in range(len(inputs))]


def compute_states(
    inputs: Iterable[Input], network: Any, limit: int, layers: Sequence[int] = (-1,)
) -> dict[Input, Any]:
    """The states (tokens, width) of every input after these layers of a transformers network, side by side,
    on the CPU; an input that is there twice is read once."""
    import torch

    def forward(batch: list[Input], length: int) -> list[Any]:
        with torch.inference_mode():
            found = network(**pad(batch, length, network.device), output_hidden_states=True).hidden_states
            states = torch.cat([found[layer] for layer in layers], dim=-1).cpu()
        return [row[: len(one.ids)] for row, one in zip(states, batch, strict=True)]

    unique = list(dict.fromkeys(inputs))
    return dict(zip(unique, compute_in_batches(unique, limit, forward), strict=True))
