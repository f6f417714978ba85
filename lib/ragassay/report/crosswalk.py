"""The crosswalk: what a regime asks for, theme by theme, and whether the content of this run suffices."""

from ragassay import profiles
from ragassay.report.blocks import Chapter, Paragraph, Table, Text
from ragassay.report.chapters import CHAPTERS, HOMES, NOTEBOOKS
from ragassay.report.compose import data_table, gap
from ragassay.report.content_tests import tests
from ragassay.report.run_folder import Run
from ragassay.show import clean

TITLE = "Regulatory crosswalk"
SHORT = {name.split("_", 1)[1]: name for name in NOTEBOOKS}
IN_CHAPTER = {"challengers": "quality", "findings": "decision", "gates": "decision"} | {
    **dict.fromkeys(("limitations", "challenge"), "decision"),
    **{short: HOMES[name] for short, name in SHORT.items()},
}
ELSEWHERE = {
    **dict.fromkeys(("control", "independence"), "document control"),
    "sign-off": "sign-off",
    **{letter: f"annex {letter}" for letter in "BCD"},
    "E": "annex B",
}


def chapter(run: Run) -> Chapter:
    """The crosswalk of the engagement's profile.

    A row is evidenced when every test of the content of the sections it points to holds, partly when some
    do, not evidenced when none does or it points to none; a bank that decides a row is out of scope writes
    by whom in the column `decision`.
    """
    name = str(run.engagement.get("profile") or profiles.SHIPPED[0])
    own = run.engagement.get("crosswalk")
    if own is None and name not in profiles.SHIPPED:
        flaw = gap(f"There is no profile {clean(name, 80)}; profiles are {', '.join(profiles.SHIPPED)}.")
        return Chapter("", TITLE, "crosswalk", [flaw])
    rows = profiles.read(name) if own is None else own
    source = (
        "shipped with this kit; a bank may name its own CSV instead"
        if own is None
        else "the engagement's own file"
    )
    said = Paragraph((Text(f"Profile {clean(name, 200)}: {source}."),))
    return Chapter("", TITLE, "crosswalk", [said, _table(run, rows)])


def _table(run: Run, rows: list[dict[str, str]]) -> Table:
    cells = [
        [row["clause"], row["summary"], _places(row["sections"]), _content(run, row), status(run, row)]
        for row in rows
    ]
    return data_table(
        f"{clean(rows[0]['regime'], 200)}: themes and where this report answers them",
        ["Theme", "What it asks, in our words", "Where", "Evidenced if", "Status"],
        [[clean(cell) for cell in row] for row in cells],
        widths=[1.2, 2.4, 1.2, 3.2, 1.1],
        states=["Status"],
        note="Evidenced: every test of content named in the row holds in this run; partly: some do. Themes "
        "are put in our own words and quote no clause; the mapping is an analogy where the regime leaves "
        "generative systems out.",
    )


def status(run: Run, row: dict[str, str]) -> str:
    """evidenced, partly, not evidenced, or out of scope with whose decision that is."""
    if row["decision"]:
        return f"out of scope by decision of {row['decision']}"
    held = [test.holds(run) for key in row["sections"].split() for test in tests(key)]
    return "evidenced" if held and all(held) else "partly" if any(held) else "not evidenced"


def _content(run: Run, row: dict[str, str]) -> str:
    """The tests of the row, those first that hold."""
    asked = {test.sentence: test.holds(run) for key in row["sections"].split() for test in tests(key)}
    held = [sentence for sentence, holds in asked.items() if holds]
    missed = [f"not met: {sentence}" for sentence, holds in asked.items() if not holds]
    return "; ".join([*held, *missed]) or "the bank's own documents show it"


def _places(keys: str) -> str:
    """Where to look: the titles of chapters, or the letters of annexes."""
    shown = [CHAPTERS[IN_CHAPTER[key]].title if key in IN_CHAPTER else ELSEWHERE[key] for key in keys.split()]
    return ", ".join(dict.fromkeys(shown)) or "the bank's own documents"
