"""What reading a large log takes: python bench/large_logs.py [--gib 2]

The same answers are written as JSON Lines, as a JSON list and as a JSON object with a key of rows, and each
file is read from its detection to its last row in a process of its own, which scores nothing and loads no
network.
Printed: peak memory, processor seconds and rows of each.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

FORMS = {
    "log.jsonl": ("", "\n", "\n"),
    "list.json": ("[", ",\n", "]"),
    "rows.json": ('{"results": [', ",", "]}"),
}
TEXT = "The monthly fee is waived when the average balance stays above fifteen hundred dollars. " * 12


def main() -> None:
    """Make the files, one at a time, and measure each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--read", type=Path)
    given = parser.parse_args()
    if given.read:
        print(json.dumps(_read(given.read)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, form in FORMS.items():
            path = Path(folder) / name
            _write(path, form, int(given.gib * (1 << 30)))
            command = [sys.executable, __file__, "--read", str(path)]
            print(
                name,
                f"{path.stat().st_size / (1 << 30):.2f} GiB",
                subprocess.check_output(command, text=True),
            )
            path.unlink()


def _write(path: Path, form: tuple[str, str, str], size: int) -> None:
    begin, between, end = form
    with path.open("w") as file:
        file.write(begin)
        for number, record in enumerate(_records()):
            file.write(between * bool(number) + record)
            if file.tell() >= size:
                break
        file.write(end)


def _records() -> Iterator[str]:
    number = 0
    while True:
        row = {
            "question": f"What is fee {number}?",
            "answer": TEXT[:300],
            "contexts": [TEXT] * 5,
            "id": number,
        }
        yield json.dumps(row)
        number += 1


def _read(path: Path) -> dict[str, float]:
    from ragassay.answers.answer_batches import file_records, open_answers

    rows = sum(1 for _ in open_answers(file_records(path)).rows())
    assert "torch" not in sys.modules
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"peak_mib": round(peak), "cpu_s": round(time.process_time(), 1), "rows": rows}


if __name__ == "__main__":
    main()
