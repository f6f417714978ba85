"""What the training scripts share: reading `--data`, splitting by group, and writing a head with its
figures."""

import argparse
import gzip
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 0
DRAWS = 1000  # of a bootstrap interval
HEADS, TEACHERS = Path("lib/ragassay/models/heads"), Path("training/teachers")  # that ship; that only teach


def arguments(description: str | None, out: Path = HEADS, **options: float | str) -> argparse.Namespace:
    """The command line of every script: --data, --out, and one option per further name with its default."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=raw)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the public data sets")
    parser.add_argument("--out", type=Path, default=out)
    for name, default in options.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return parser.parse_args()


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a `.jsonl.gz` file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def lines(path: Path) -> list[str]:
    """The lines of a text that are neither empty nor a comment."""
    every = path.read_text(encoding="utf-8").splitlines()
    return [line for line in every if line.strip() and not line.startswith("#")]


def fold(group: object, folds: int, salt: str = "") -> int:
    """The fold of a group: the same on every machine, whatever else is in the data."""
    return int.from_bytes(hashlib.sha256(f"{salt}{group}".encode()).digest()[:8], "big") % folds


def interval(groups: Sequence[object], figure: Callable[[NDArray], float]) -> list[float]:
    """A figure with its 95 % bootstrap interval over whole groups: [value, low, high].

    Parameters
    ----------
    groups : the group of each row
    figure : places of the rows, with repeats -> the figure
    """
    _, numbers = np.unique([str(group) for group in groups], return_inverse=True)
    members = np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])
    draw = np.random.default_rng(SEED)
    drawn = [
        figure(np.concatenate([members[i] for i in draw.integers(len(members), size=len(members))]))
        for _ in range(DRAWS)
    ]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return [round(float(value), 4) for value in (figure(np.arange(len(numbers))), low, high)]


def sources(*rows: tuple[str, str, int]) -> list[dict[str, Any]]:
    """What a head has learned from, of (name, licence, rows)."""
    return [dict(zip(("name", "licence", "rows"), row, strict=True)) for row in rows]


def about(
    kind: str, labels: Sequence[str], max_length: int, learned: Sequence[dict], measured: Mapping[str, Any]
) -> dict[str, Any]:
    """What the file of a head says of it."""
    head = {"kind": kind, "labels": list(labels), "max_length": max_length}
    return head | {"training_data": list(learned), "measured": dict(measured)}


def write(name: str, given: argparse.Namespace, tensors: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write the head `name` and print what was measured of it."""
    path = given.out / f"{name}.safetensors"
    write_head(path, tensors, {"script": f"training/{name}.py", "seed": SEED, **about})
    print(f"{path}: {path.stat().st_size / 1024:.0f} KiB")
    for figure, value in about["measured"].items():
        print(f"  {figure}: {value}")


def write_head(path: Path, tensors: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write a head as ragassay.models.head_file reads it, in half precision.

    tensors : name -> torch tensor or array; names as in the file, or with one `encoder.` more
    """
    from safetensors.numpy import save_file

    from ragassay.models import encoder, head_file

    arrays, rank = {}, 0
    for name, value in tensors.items():
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value, dtype=np.float32)
        if not np.abs(array).max(initial=0) <= np.finfo(np.float16).max:
            raise ValueError(f"{name} does not fit float16")
        own = name.replace("encoder.encoder.", "encoder.", 1)
        arrays[own] = np.ascontiguousarray(array, dtype=np.float16)
        rank = max(rank, len(array)) if name.endswith(".down") else rank
    entry = {**about, "rank": rank, "version": head_file.VERSION, "encoder": encoder.MINILM_SHA256}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(arrays, path, metadata={"head": json.dumps(entry, ensure_ascii=False, sort_keys=True)})
    path.chmod(0o644)
