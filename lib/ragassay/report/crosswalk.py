"""The crosswalk: what a regime asks for, theme by theme, and whether the content of this run suffices."""

from ragassay import profiles
from ragassay.report.blocks import Chapter, Paragraph, Table, Text
from ragassay.report.chapters import CHAPTERS, HOMES, NOTEBOOKS
from ragassay.report.compose import data_table, gap
from ragassay.report.content_tests import Test, tests
from ragassay.report.run_folder import Run
from ragassay.show import clean

TITLE = "Regulatory crosswalk"
SHORT = {name.split("_", 1)[1]: name for name in NOTEBOOKS}
IN_CHAPTER = {"challengers": "quality", "findings": "decision", "gates": "decision"} | {
    **dict.fromkeys(("limitations", "challenge", "conditions", "monitoring", "previous"), "decision"),
    **dict.fromkeys(("attacks", "misuse", "bias"), HOMES["03_risk_safety"]),
    **dict.fromkeys(("materiality", "parts", "documents"), HOMES["00_scope"]),
    **{
        "users": "questions",
        "citations": "quality",
        "waivers": "decision",
        "outside": HOMES["05_robustness"],
    },
    **{short: HOMES[name] for short, name in SHORT.items()},
}
ELSE = "the bank's own documents"
ELSEWHERE = {
    **dict.fromkeys(("control", "independence"), "Document control"),
    "sign-off": "Sign-off",
    **dict.fromkeys("BE", "[Annex](#annex-files)"),  # the letters are words of a profile, not of the document
    **dict.fromkeys(("C", "deployment"), "[Annex](#annex-environment)"),
    "D": "[Annex](#annex-methods)",
}


def chapter(run: Run) -> Chapter:
    """The crosswalk of the engagement's profile.

    A row is evidenced when every test of the content of the sections it points to holds, partly when some
    do, not evidenced when none does or it points to none; that a notebook was executed is needed, and by
    itself evidence of nothing. A bank that decides a row is out of scope writes
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
    said = Paragraph((Text(f"Profile {clean(name)}: {source}."),))
    return Chapter("", TITLE, "crosswalk", [said, _table(run, rows)])


def _table(run: Run, rows: list[dict[str, str]]) -> Table:
    cells = [[row["clause"], row["summary"], _content(run, row), status(run, row)] for row in rows]
    return data_table(
        f"{clean(rows[0]['regime'])}: themes and where this report answers them",
        ["Theme", "What it asks, in our words", "Where, and evidenced if", "Status"],
        [[clean(cell) for cell in row] for row in cells],
        widths=[1.1, 2.2, 3.9, 1],
        states=["Status"],
        note="Evidenced: every test of content named in the row holds in this run; partly: some do. Themes "
        "are put in our own words and quote no clause; the mapping is an analogy where the regime leaves "
        "generative systems out.",
    )


def status(run: Run, row: dict[str, str]) -> str:
    """evidenced, partly, not evidenced, or out of scope with whose decision that is."""
    if row["decision"]:
        return f"out of scope by decision of {row['decision']}"
    held = [(test, test.holds(run)) for key in row["sections"].split() for test in tests(key)]
    if held and all(holds for _, holds in held):
        return "evidenced"
    return "partly" if any(holds for test, holds in held if not test.is_execution) else "not evidenced"


def _content(run: Run, row: dict[str, str]) -> str:
    """The tests of the row by the chapter or annex that they look at, each as it should be; what is not met
    says so, and that a notebook was executed goes without saying."""
    told: dict[str, list[str]] = {}
    for key in row["sections"].split():
        said = told.setdefault(_place(key), [])
        said += [sentence for test in tests(key) if (sentence := _told(run, test)) and sentence not in said]
    return "\n".join(f"{place}: {'; '.join(said) or 'executed'}" for place, said in told.items()) or ELSE


def _told(run: Run, test: Test) -> str:
    if test.holds(run):
        return "" if test.is_execution else test.sentence
    return f"not met: {test.sentence}"


def _place(key: str) -> str:
    """Where to look: the title of a chapter, or an annex."""
    return CHAPTERS[IN_CHAPTER[key]].title if key in IN_CHAPTER else ELSEWHERE[key]
