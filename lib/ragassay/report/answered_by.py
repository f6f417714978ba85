"""Which version of the assistant the answers are of, by whose word, and that it changed on the way."""

from typing import Any

from ragassay.analysis.answer_counts import GROUPS
from ragassay.answers import answer_journal, assistant_versions
from ragassay.report.block_builders import bullets, data_table, paragraph
from ragassay.report.blocks import Block, Callout
from ragassay.report.run_folder import STATED, Run
from ragassay.show import clean

LONGEST = 240  # characters of a version, as it is printed
LONGEST_MARK = 40  # characters of one that stands on every page
MOST = 20  # versions that a table shows
COLUMNS = ["Version", "By whose word", "Answers", "First seen", "Last seen"]
ENDS = ("first", "last")
UNKNOWN = "not known: the reply named none"
NOBODY = "The assistant said no version with its answers; the version on the cover is as stated."


def version(run: Run) -> str:
    """The version validated: as the engagement states it, else the one of which all answers are."""
    rows = _rows(run)
    is_one = len({row["version"] for row in rows}) == 1 and rows[0]["version"] is not None
    return _name(rows[0]) if run.stated("model_version") == STATED and is_one else run.stated("model_version")


def version_with_source(run: Run) -> str:
    """The same, and by whose word, where the engagement does not state it."""
    found = version(run)
    by = "" if found == run.stated("model_version") else f" ({clean(_rows(run)[0]['by'], LONGEST)})"
    return f"{found}{by}"


def mark(run: Run) -> str:
    """The version, as every page names it: as stated where the one that answered is too long for that."""
    found = version(run)
    return found if len(found) <= LONGEST_MARK else run.stated("model_version")


def blocks(run: Run) -> list[Block]:
    """The versions, a row each; that scores mix several, or that it is not always known."""
    rows = _rows(run)
    if not rows:
        asked = run.manifest and not run.engagement.get("answers_log")
        return [paragraph(NOBODY)] if asked else []
    shown = [_told(run, row) for row in rows[:MOST]]
    more = f"{len(rows) - MOST} more are in manifest.json." if len(rows) > MOST else ""
    table = data_table("Version that answered", COLUMNS, shown, widths=[2, 2, 1, 2, 2], note=more)
    told = mixed(run)
    return [table, Callout("warning", "Warning", [bullets(told)])] if told else [table]


def mixed(run: Run) -> list[str]:
    """That answers are of several versions, or that the version of some is not known, a sentence each."""
    parts = (
        assistant_versions.Part(row["version"], row["answers"], *(row[end]["case_id"] for end in ENDS))
        for row in _rows(run)
    )
    return [clean(each) for each in assistant_versions.sentences(assistant_versions.together(parts))]


def _told(run: Run, row: dict[str, Any]) -> list[str]:
    return [
        _name(row),
        clean(row["by"], LONGEST),
        f"{row['answers']:,}",
        *(_seen(run, row[end]) for end in ENDS),
    ]


def _name(row: dict[str, Any]) -> str:
    return UNKNOWN if row["version"] is None else clean(row["version"], LONGEST)


def _seen(run: Run, answer: dict[str, str]) -> str:
    """When and to which question: `2026-11-23, u-1 (ordinary questions)`."""
    name = answer["journal"]
    times = answer_journal.times(run.content(f"journal/{name}.jsonl") or b"")
    day = times.get(answer["case_id"], "")[:10]
    group = GROUPS.get("" if name == "answers" else name, name)
    return clean(f"{f'{day}, ' if day else ''}{answer['case_id']} ({group})", LONGEST)


def _rows(run: Run) -> list[dict[str, Any]]:
    """The manifest's versions; what is no such row is passed over."""
    listed = run.manifest.get("versions")
    return [row for row in (listed if isinstance(listed, list) else []) if _is_row(row)]


def _is_row(row: Any) -> bool:
    kinds = {"version": str | None, "by": str, "answers": int, "first": dict, "last": dict}
    if not isinstance(row, dict) or not all(isinstance(row.get(name), kind) for name, kind in kinds.items()):
        return False
    return all(isinstance(row[end].get(name), str) for end in ENDS for name in ("journal", "case_id"))
