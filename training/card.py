"""Writes the tables of every head's card from the head's own file: python training/card.py [--out FOLDER]

What stands above the line `## From the file`, and from `**Where it errs.**` on, is written by hand and stays.
"""

from pathlib import Path
from typing import Any

import data

MARK, ERRS = "## From the file", "**Where it errs.**"


def tables(path: Path) -> str:
    """File, training data and held-out figures of one head as Markdown."""
    from ragassay.models import head_file

    head = head_file.read(path)
    about, kib = head.about, path.stat().st_size / 1024
    shape = f"{head.kind}, rank {about['rank']}, {kib:,.0f} KiB, SHA-256 `{head.identity['sha256']}`"
    made = f"Labels: {', '.join(head.labels)}. Made by `{about['script']}`, seed {about['seed']}."
    lines = ["| measured on what it did not learn | value | 95 % interval |", "|---|---|---|"]
    lines += [figure(name, value) for name, value in about["measured"].items()]
    lines += ["", f"`{path.name}`: {shape}. {made}", "", "| learned from | licence | rows |", "|---|---|---|"]
    lines += [f"| {one['name']} | {one['licence']} | {one['rows']:,} |" for one in about["training_data"]]
    return "\n".join(lines) + "\n"


def figure(name: str, value: Any) -> str:
    """One row: a count, or a value with its interval."""
    if not isinstance(value, list):
        return f"| {name} | {value:,} | |"
    return f"| {name} | {value[0]:.3f} | [{value[1]:.3f}, {value[2]:.3f}] |"


def main() -> None:
    for path in sorted(data.arguments(__doc__).out.glob("*.safetensors")):
        card = path.with_suffix(".md")
        text = card.read_text(encoding="utf-8") if card.exists() else f"# {path.stem}\n\n"
        before, _, after = text.partition(MARK)
        whole = f"{before}{MARK}\n\n{tables(path)}\n{''.join(after.partition(ERRS)[1:])}"
        card.write_text(whole.strip() + "\n", encoding="utf-8")
        print(card)


if __name__ == "__main__":
    main()
