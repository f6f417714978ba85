"""Annex A: what a regime asks for, theme by theme, against what this run has evidence for."""

import csv
from pathlib import Path

from ragassay.report.blocks import Chapter, Paragraph, Text, data_table, gap
from ragassay.report.sources import NOTEBOOKS, Run
from ragassay.show import clean

COLUMNS = ["regime", "clause", "summary", "sections", "tests"]
PROFILES = Path(__file__).parent / "profiles"
DEFAULT = "sr-26-2-by-analogy"
MADE_OF = {
    "findings": "tables/findings.parquet",
    "gates": "tables/gates.parquet",
    "B": "manifest.json",
    "C": "manifest.json",
    "control": "engagement.json",
    "independence": "engagement.json",
    "challenge": "engagement.json",
    "sign-off": "manifest.json",
    "limitations": "sections",
    "challengers": "tables/challengers.parquet",
}
STATED_IN = {"independence": "independence", "challenge": "challenge_log", "sign-off": "approver"}
SHOWN_IN = {"challengers": "functionality"}
SHORT = {name.split("_", 1)[1]: name for name in NOTEBOOKS}


def annex(run: Run, chapters: list[Chapter]) -> Chapter:
    """The crosswalk of the engagement's profile.

    A row is evidenced when every section it points to exists and was executed, partly when some do, not evidenced when none does or it
    points to none; a bank that decides a row is out of scope writes by whom in the column `decision`.
    """
    name = str(run.engagement.get("profile") or DEFAULT)
    path = find(run, name)
    if path is None:
        return Chapter(
            "A",
            "Regulatory crosswalk",
            "annex-a",
            [gap(f"There is no profile {clean(name, 80)}; profiles are {', '.join(names())}.")],
            "annex",
        )
    rows = [
        [
            row["clause"],
            row["summary"],
            _places(run, chapters, row["sections"]),
            row["tests"],
            status(run, row),
        ]
        for row in read(path)
    ]
    regime = next((row["regime"] for row in read(path)), name)
    table = data_table(
        f"{regime}: themes and where this report answers them",
        ["Theme", "What it asks, in our words", "Section", "Tests", "Status"],
        [[clean(cell) for cell in row] for row in rows],
        widths=[1.3, 3, 1.1, 1.7, 1],
    )
    table.note = (
        "Evidenced means that every section named exists and was executed in this run; whether its content suffices is the reader's judgement. "
        "Themes are put in our own words and quote no clause; the mapping is an analogy where the regime leaves generative systems out."
    )
    return Chapter(
        "A",
        "Regulatory crosswalk",
        "annex-a",
        [
            Paragraph((Text(f"Profile {clean(name, 80)}. A bank may edit the file and keep its own copy."),)),
            table,
        ],
        "annex",
    )


def names() -> list[str]:
    """The profiles that are shipped."""
    return sorted(path.stem for path in PROFILES.glob("*.csv"))


def find(run: Run, name: str) -> Path | None:
    """The profile's file: a CSV of the user's below the run folder, else a shipped one."""
    for path in (
        run.folder / "profiles" / f"{Path(name).name.removesuffix('.csv')}.csv",
        PROFILES / f"{Path(name).name.removesuffix('.csv')}.csv",
    ):
        if path.exists():
            return path
    return None


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a profile; cells that are missing are empty."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [
            {column: (row.get(column) or "").strip() for column in [*COLUMNS, "decision"]}
            for row in csv.DictReader(file)
        ]


def status(run: Run, row: dict[str, str]) -> str:
    """evidenced, partly, not evidenced, or out of scope with whose decision that is."""
    if row["decision"]:
        return f"out of scope by decision of {row['decision']}"
    there = [_exists(run, key) for key in row["sections"].split()]
    return "evidenced" if there and all(there) else "partly" if any(there) else "not evidenced"


def _exists(run: Run, key: str) -> bool:
    """Whether the run holds what the key stands for: an executed notebook, a written file, a field that somebody filled in."""
    if key in SHORT:
        return run.notebooks[SHORT[key]].state == "executed"
    if key == "challengers":
        table = run.table(key) if (run.folder / MADE_OF[key]).exists() else None
        return table is not None and len(table) > 0
    is_stated = key not in STATED_IN or bool(run.engagement.get(STATED_IN[key]))
    return is_stated and (key in ("D", "E") or (run.folder / MADE_OF[key]).exists())


def _places(run: Run, chapters: list[Chapter], keys: str) -> str:
    """Where to look: the numbers of the chapters, or the letters of the annexes."""
    numbers = {chapter.anchor: chapter.number for chapter in chapters}
    names = {
        **dict.fromkeys(("control", "independence", "challenge"), "document control"),
        **{key: f"annex {key}" for key in "BCDE"},
    }
    keys = " ".join(SHOWN_IN.get(key, key) for key in keys.split())
    shown = [
        names.get(key) or f"§{numbers.get(f'chapter-{SHORT[key]}' if key in SHORT else key, key)}"
        for key in keys.split()
    ]
    return ", ".join(dict.fromkeys(shown)) or "the bank's own documents"
