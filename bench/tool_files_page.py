"""The tables of docs/logs.md on the files that were taken to their reports, made of bench/tool_files.json:
python bench/tool_files_page.py renews them, and bench/tool_files.py does at its end.
"""

import json
import textwrap
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- tried: from bench/tool_files.json -->", "<!-- end of tried -->"
ROOT = Path(__file__).parents[1]
PAGE, FOUND = ROOT / "docs" / "logs.md", ROOT / "bench" / "tool_files.json"
NOT_THERE, NOT_READ, KEPT = "(none)", "no counterpart", "kept, and written back"
Found = dict[str, Any]


def renewed(page: str, found: dict[str, Found]) -> str:
    """The page with the block of what was found."""
    before, rest = page.split(BEGIN)
    return before + block(found) + rest.split(END)[1]


def block(found: dict[str, Found]) -> str:
    """All of the page that was found, between its two marks."""
    entries = [_entry(one) for one in found.values()]
    told = "What no answer of these files had a value of, by what was lacking:"
    return "\n\n".join([BEGIN, _list(entries), told, _list(consequences(found)), END])


def _entry(one: Found) -> str:
    """A file: what was read as what, how many scores came along, what had no counterpart, what is lacking."""
    rows = one["mapped"]
    unread = [path for path, ours, why in rows if ours == NOT_READ or why.startswith(KEPT)]
    read = [(path, ours) for path, ours, _ in rows if path not in (NOT_THERE, *unread)]
    scores = [ours for _, ours in read if ":" in ours]
    lacking = [ours for path, ours, _ in rows if path == NOT_THERE and ":" not in ours]
    parts = [
        ", ".join(f"`{path}` {ours}" for path, ours in read if ":" not in ours),
        f"scores {', '.join(scores)}" if scores else "",
        f"no counterpart {', '.join(f'`{name}`' for name in unread)}" if unread else "",
        f"lacking {', '.join(lacking)}",
        f"report in {one['seconds']} s" if "seconds" in one else "read, not taken to a report",
    ]
    return f"**{one['file']}**: {'; '.join(filter(None, parts))}."


def _list(entries: list[str]) -> str:
    lines = [
        textwrap.wrap(f"- {one}", 108, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
        for one in entries
    ]
    return "\n".join(line for entry in lines for line in entry)


def consequences(found: dict[str, Found]) -> list[str]:
    """What was not measured of any answer, by the reason, over all files."""
    metrics: dict[str, set[str]] = {}
    for one in found.values():
        for reason, names in one.get("not_measured", {}).items():
            metrics.setdefault(reason, set()).update(names)
    return [f"{reason}: {', '.join(sorted(names))}." for reason, names in sorted(metrics.items())]


def renew() -> None:
    """Write the page anew from bench/tool_files.json."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    renew()
