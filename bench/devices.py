"""How fast networks compute on each device of this machine: python bench/devices.py [--sentences 600]
[--encoder FOLDER] [--entailment FOLDER] [--support FOLDER] [--out FILE]

Of every network inputs a second by the clock and a second of the processors, beside bare encoding of the same
sentences by the kit's encoder; and how far its numbers lie from those of the CPU. A device that this machine
does not have is named and not measured.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import workload
from numpy.typing import NDArray

from ragassay import models
from ragassay.models import devices, model_files
from run import cold

BARE = "bare encoding"
WARM = ["A sentence that loads the network."] * 2
Ask = Callable[[list[str]], NDArray]


class Measured(NamedTuple):
    """A network on a device: inputs, how many a second by the clock and of the processors, and the greatest
    difference of its numbers from the CPU's."""

    device: str
    network: str
    inputs: int
    per_second: float
    per_cpu_second: float
    from_cpu: float


def asked(given: argparse.Namespace) -> dict[str, Ask]:
    """Every network by name: what it makes of sentences; pairs are neighbours among them."""
    found: dict[str, Ask] = {
        BARE: lambda texts: models.encode(texts, "minilm"),
        "entailment, the kit's heads": lambda texts: models.entail(_pairs(texts), "entailment").probabilities,
    }
    if given.encoder:
        found[f"encoder {given.encoder}"] = lambda texts: models.encode(texts, given.encoder)
    if given.entailment:
        found[f"entailment {given.entailment}"] = lambda texts: (
            models.entail(_pairs(texts), given.entailment).probabilities
        )
    if given.support:
        found[f"support {given.support}"] = lambda texts: models.supported(
            [((one,), other) for one, other in _pairs(texts)], given.support
        )
    return found


def _pairs(texts: list[str]) -> list[tuple[str, str]]:
    return list(pairwise(texts))


def measure(networks: dict[str, Ask], sentences: list[str]) -> Iterator[Measured]:
    """Every network on every device there is, the CPU first."""
    on_cpu: dict[str, NDArray] = {}
    for device in devices.available():
        with model_files.naming(device=device):
            for name, ask in networks.items():
                ask(WARM)
                numbers: list[NDArray] = []
                took = cold(lambda ask=ask, numbers=numbers: numbers.append(ask(sentences)))
                gap = float(np.abs(numbers[0] - on_cpu.setdefault(name, numbers[0])).max())
                n = len(numbers[0])
                yield Measured(device, name, n, n / took.wall, n / took.cpu, gap)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=600)
    for name in ("encoder", "entailment", "support"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    drawn = workload.answers(workload.passages(), given.sentences)
    sentences = [row["question"] for row in drawn]
    rows: list[Measured] = []
    for one in measure(asked(given), sentences):
        rows.append(one)
        bare = next(row for row in rows if row.device == one.device)
        print(
            f"{one.device} {one.network}: {one.per_second:,.0f} a second ({one.per_cpu_second:,.0f} a CPU "
            f"second), {one.per_second / bare.per_second:.2f} of bare encoding; from the CPU's numbers at "
            f"most {one.from_cpu:.1g}",
            flush=True,
        )
    for device in sorted({*devices.DEVICES} - {*devices.available()}):
        print(f"{device}: not on this machine, not measured")
    if given.out:
        given.out.write_text(json.dumps([row._asdict() for row in rows], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
