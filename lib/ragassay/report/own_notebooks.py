"""Notebooks of the engagement's own in the report: which they are, and what departs from the kit's."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ragassay.report.block_builders import data_table, paragraph, words
from ragassay.report.blocks import Attached, Block, Heading, Verbatim
from ragassay.report.run_folder import Run
from ragassay.show import clean, value_text

FILE = "departures.json"
MOST_LINES, WIDEST = 60, 160  # lines of a difference that are printed, and letters of one
PARTS = {"notebook": str, "sha256": str, "kit_sha256": str, "added": int, "removed": int, "diff": str}
ANCHOR = "own-notebooks"


def departures(run: Run) -> list[dict[str, Any]]:
    """What the run noted of them; none where it has none, or the note cannot be read."""
    try:
        found = json.loads(run.content(FILE) or b"[]")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(map(_is_departure, found)):
        run.miss(f"not available: {FILE} cannot be read")
        return []
    return found


def _is_departure(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(found.get(part), kind) for part, kind in PARTS.items())


def in_words(run: Run) -> str:
    """Which notebooks are not the kit's, for a table."""
    named = [f"{clean(each['notebook'], 80)}{_counts(each)}" for each in departures(run)]
    return "; ".join(named) or "none: every notebook is the kit's"


def blocks(run: Run) -> list[Block]:
    """A heading, a table of the notebooks and each difference, cut; nothing where all are the kit's."""
    found = departures(run)
    if not found:
        return []
    rows = [
        [clean(each["notebook"], 80), *map(value_text, (each["added"], each["removed"])), _kit(each)]
        for each in found
    ]
    said = (
        "These notebooks are the engagement's own and were executed in place of the kit's. Lines that begin "
        f"with + are theirs, with - the kit's. At most {MOST_LINES} lines of each are printed; the whole "
        "difference is attached."
    )
    return [
        Heading(2, words("Notebooks that depart from the kit's"), ANCHOR),
        paragraph(said),
        data_table(
            "Notebooks of the engagement's own",
            ["Notebook", "Lines added", "Lines removed", "The kit's"],
            rows,
            align="lrrl",
        ),
        *(Verbatim(_printed(each["diff"]), title=clean(each["notebook"], 80)) for each in found),
    ]


def attached(run: Run) -> Iterator[Attached]:
    """Each difference, whole."""
    for each in departures(run):
        name = re.sub(r"[^A-Za-z0-9_]", "_", each["notebook"])[:80]
        data = clean(each["diff"], 0).encode("utf-8", "backslashreplace") + b"\n"
        yield Attached(
            f"departure_{name}.diff", data, f"what departs from the kit's {clean(each['notebook'], 80)}"
        )


def _kit(each: dict[str, Any]) -> str:
    return f"SHA-256 {clean(each['kit_sha256'][:16], 0)}" if each["kit_sha256"] else "has none of that name"


def _counts(each: dict[str, Any]) -> str:
    return f" (+{each['added']} and -{each['removed']} lines)"


def _printed(diff: str) -> str:
    """The first lines, each cut, and how many follow."""
    lines = clean(diff, 0).split("\n")
    shown = [line if len(line) <= WIDEST else f"{line[:WIDEST]}..." for line in lines[:MOST_LINES]]
    rest = len(lines) - len(shown)
    return "\n".join([*shown, *([f"... and {rest:,} lines more, in the attached file"] if rest else [])])
