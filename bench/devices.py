"""How fast networks compute on each device of this machine: python bench/devices.py [--sentences 600]
[--encoder FOLDER] [--entailment FOLDER] [--support FOLDER]

Of every network inputs a second by the clock and a second of the processors, beside bare encoding of the same
sentences by the kit's encoder; and how far its numbers lie from those of the CPU. A device that this machine
does not have is named and not measured.
"""

import argparse
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragassay import models
from ragassay.models import batching, model_files
from run import answers, passages, spent

WARM = ["A sentence that loads the network."] * 2
Ask = Callable[[list[str]], NDArray]


def networks(given: argparse.Namespace) -> dict[str, Ask]:
    """Every network by name: what it makes of sentences; pairs are neighbours among them."""
    named = {"encoder": given.encoder, "entailment": given.entailment, "support": given.support}
    ask: dict[str, Callable] = {
        "encoder": models.encode,
        "entailment": lambda texts, model: models.entail([*pairwise(texts)], model).probabilities,
        "support": lambda texts, model: models.supported([((a,), b) for a, b in pairwise(texts)], model),
    }
    every = [
        ("encoder", "minilm"),
        ("entailment", "entailment"),
        *((k, name) for k, name in named.items() if name),
    ]
    return {f"{kind} {model}": partial(ask[kind], model=model) for kind, model in every}


def main() -> None:
    """Print a line for every network on every device there is, the CPU first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=600)
    for name in ("encoder", "entailment", "support"):
        parser.add_argument(f"--{name}", default="")
    given = parser.parse_args()
    sentences = [row["question"] for row in answers(passages(), given.sentences)]
    on_cpu: dict[str, NDArray] = {}
    for device in batching.available_devices():
        bare = 0.0
        for name, ask in networks(given).items():
            with model_files.naming(device=device):
                ask(WARM)
                numbers: list[NDArray] = []
                took = spent(lambda ask=ask, numbers=numbers: numbers.append(ask(sentences)))[0]
            per_second, per_cpu_second = (len(numbers[0]) / seconds for seconds in took)
            gap = float(np.abs(numbers[0] - on_cpu.setdefault(name, numbers[0])).max())
            bare = bare or per_second
            print(
                f"{device} {name}: {per_second:,.0f} a second ({per_cpu_second:,.0f} a CPU second), "
                f"{per_second / bare:.2f} of bare encoding; from the CPU's numbers at most {gap:.1g}",
                flush=True,
            )
    for device in sorted({*batching.DEVICES} - {*batching.available_devices()}):
        print(f"{device}: not on this machine, not measured")


if __name__ == "__main__":
    main()
