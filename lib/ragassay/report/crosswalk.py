"""Annex A: what a regime asks for, theme by theme, against what this run has evidence for."""

from ragassay import profiles
from ragassay.report.blocks import Chapter, Paragraph, Table, Text
from ragassay.report.compose import data_table, gap
from ragassay.report.run_folder import NOTEBOOKS, Run
from ragassay.show import clean

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

    A row is evidenced when every section it points to exists and was executed, partly when some do, not
    evidenced when none does or it points to none; a bank that decides a row is out of scope writes by whom in
    the column `decision`.
    """
    name = str(run.engagement.get("profile") or profiles.SHIPPED[0])
    own = run.engagement.get("crosswalk")
    if own is None and name not in profiles.SHIPPED:
        flaw = gap(f"There is no profile {clean(name, 80)}; profiles are {', '.join(profiles.SHIPPED)}.")
        return Chapter("A", "Regulatory crosswalk", "annex-a", [flaw], "annex")
    rows = profiles.read(name) if own is None else own
    source = (
        "shipped with this kit; a bank may name its own CSV instead"
        if own is None
        else "the engagement's own file"
    )
    said = Paragraph((Text(f"Profile {clean(name, 200)}: {source}."),))
    return Chapter("A", "Regulatory crosswalk", "annex-a", [said, _table(run, chapters, rows)], "annex")


def _table(run: Run, chapters: list[Chapter], rows: list[dict[str, str]]) -> Table:
    cells = [
        [
            row["clause"],
            row["summary"],
            _places(run, chapters, row["sections"]),
            row["tests"],
            status(run, row),
        ]
        for row in rows
    ]
    table = data_table(
        f"{clean(rows[0]['regime'], 200)}: themes and where this report answers them",
        ["Theme", "What it asks, in our words", "Section", "Tests", "Status"],
        [[clean(cell) for cell in row] for row in cells],
        widths=[1.3, 3, 1.1, 1.7, 1],
        states=["Status"],
    )
    table.note = (
        "Evidenced means that every section named exists and was executed in this run; whether its content "
        "suffices is the "
        "reader's judgement. Themes are put in our own words and quote no clause; the mapping is an analogy "
        "where the regime "
        "leaves generative systems out."
    )
    return table


def status(run: Run, row: dict[str, str]) -> str:
    """evidenced, partly, not evidenced, or out of scope with whose decision that is."""
    if row["decision"]:
        return f"out of scope by decision of {row['decision']}"
    there = [_exists(run, key) for key in row["sections"].split()]
    return "evidenced" if there and all(there) else "partly" if any(there) else "not evidenced"


def _exists(run: Run, key: str) -> bool:
    """Whether the run holds what the key stands for: an executed notebook, a file, a field that somebody
    filled in."""
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
