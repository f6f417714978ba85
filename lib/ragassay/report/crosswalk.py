"""The crosswalk: what a regime asks for, theme by theme, and what follows where a run does not meet it."""

import re
from typing import NamedTuple

from ragassay import regulatory_profiles
from ragassay.report.block_builders import data_table, gap
from ragassay.report.blocks import Chapter, Paragraph, Table, Text
from ragassay.report.chapters import CHAPTERS, HOMES, NOTEBOOKS
from ragassay.report.crosswalk_criteria import CONDITION, RAISED_BY, SIGN_OFF, Test, tests
from ragassay.report.findings_register import open_finding, open_findings
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
OWN_DOCUMENTS = Test(
    ELSE,
    lambda run: False,
    CONDITION,
    "the bank evidences these themes in documents of its own, before sign-off.",
    before=SIGN_OFF,
)
_SOURCE = re.compile(r"\{([a-z]{1,20}:[a-z ]{1,40})\}")
MOST_NAMED = 2  # criteria named on the summary
ELSEWHERE = {
    **dict.fromkeys(("control", "independence"), "Document control"),
    "sign-off": "Sign-off",
    **dict.fromkeys("BE", "[Annex](#annex-files)"),  # the letters are words of a profile, not of the document
    **dict.fromkeys(("C", "deployment"), "[Annex](#annex-environment)"),
    "D": "[Annex](#annex-methods)",
}


class Unmet(NamedTuple):
    """A criterion that the run does not meet: its number, what it becomes and what follows, the themes that
    ask for it, and whether one of them is critical for the profile."""

    number: str
    criterion: str
    becomes: str
    follows: str
    clauses: list[str]
    is_critical: bool
    before: str = ""


def chapter(run: Run) -> Chapter:
    """The crosswalk of the engagement's profile.

    A row is evidenced when every test of the content of the sections it points to holds, partly when some
    do, not evidenced when none does or it points to none; that a notebook was executed is needed, and by
    itself evidence of nothing. A bank that decides a row is out of scope writes by whom in the column
    `decision`, and marks the themes that are critical for it in the column `critical`.
    """
    name, own = _profile(run), run.engagement.get("crosswalk")
    rows = rows_of(run)
    if rows is None:
        flaw = gap(
            f"There is no profile {clean(name, 80)}; profiles are {', '.join(regulatory_profiles.SHIPPED)}."
        )
        return Chapter("", TITLE, "crosswalk", [flaw])
    source = (
        "shipped with this kit; a bank may name its own CSV instead"
        if own is None
        else f"the engagement's own file, {clean(name, 120)}"
    )
    said = Paragraph((Text(f"Profile: {regime(run)}; {source}."),))
    missed = unmet(run, rows)
    return Chapter("", TITLE, "crosswalk", [said, _table(run, rows, missed), *_consequences(missed)])


def critical_line(run: Run) -> list[str]:
    """How many criteria are not met in themes critical for the profile, as a line of the summary; none where
    all are met."""
    found = [each for each in unmet(run, rows_of(run) or []) if each.is_critical]
    if not found:
        return []
    named = "; ".join(each.criterion for each in found[:MOST_NAMED])
    more = f"; {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    some = "criteria are" if len(found) > 1 else "criterion is"
    return [
        f"{len(found)} {some} not met in themes critical for {regime(run)}: "
        f"{named}{more}. What follows: [chapter](#crosswalk)."
    ]


def unmet(run: Run, rows: list[dict[str, str]]) -> list[Unmet]:
    """The criteria that the run does not meet, each once, numbered in the order of the rows; none of a row
    that is out of scope."""
    found: dict[str, Unmet] = {}
    for row in rows:
        for place, test in [] if row["decision"] else _missing(run, row):
            criterion, critical = _lacking(run, place, test), bool(row.get("critical"))
            follows = _pointing(run, test.follows)
            old = found.get(
                criterion,
                Unmet(f"C{len(found) + 1}", criterion, test.becomes, follows, [], False, test.before),
            )
            found[criterion] = old._replace(
                clauses=[*old.clauses, row["clause"]], is_critical=old.is_critical or critical
            )
    return list(found.values())


def _pointing(run: Run, text: str) -> str:
    """The text with the number of a finding for its source in braces, such as {process:independence}."""

    def number(match: re.Match[str]) -> str:
        row = open_finding(run, match[1])
        return "no finding is open" if row is None else str(row["finding_id"])

    return _SOURCE.sub(number, text)


def _missing(run: Run, row: dict[str, str]) -> list[tuple[str, Test]]:
    """Where each test of the row looks that does not hold; of a row without sections what the bank owes."""
    if not row["sections"].split():
        return [(ELSE, OWN_DOCUMENTS)]
    every = [(_place(key), test) for key in row["sections"].split() for test in tests(key)]
    return [(place, test.of(run)) for place, test in every if not test.holds(run)]


def _lacking(run: Run, place: str, test: Test) -> str:
    return f"{test.criterion} ({place})" if test.is_execution else test.lacking(run)


def regime(run: Run) -> str:
    """What the profile is of, in its own words, without what it says in brackets; its name where there is no
    such profile."""
    rows = rows_of(run)
    return clean(rows[0]["regime"].partition(" (")[0] if rows else _profile(run), 80)


def _profile(run: Run) -> str:
    return str(run.engagement.get("profile") or regulatory_profiles.SHIPPED[0])


def rows_of(run: Run) -> list[dict[str, str]] | None:
    """The rows of the engagement's profile; None where there is no such profile."""
    own, name = run.engagement.get("crosswalk"), _profile(run)
    return (
        own
        if own is not None
        else regulatory_profiles.read(name)
        if name in regulatory_profiles.SHIPPED
        else None
    )


def _table(run: Run, rows: list[dict[str, str]], missed: list[Unmet]) -> Table:
    numbers = {each.criterion: each.number for each in missed}
    cells = [[_theme(row), row["summary"], _content(run, row, numbers), status(run, row)] for row in rows]
    return data_table(
        f"{clean(rows[0]['regime'])}: themes, and the criteria that this report meets or not",
        ["Theme", "What it asks, in our words", "Where, and what is required", "Status"],
        [[clean(cell) for cell in row] for row in cells],
        widths=[1.1, 2.2, 3.9, 1],
        states=["Status"],
        note="Evidenced: every criterion of the row is met, so it was tested and recorded. After “result” "
        "stand the findings open on it: what came out is not good. Partly: some are met. What follows from "
        "the others stands in the next table. Themes are in our words and quote no clause; the mapping is "
        "an analogy where the regime leaves generative systems out.",
    )


def _theme(row: dict[str, str]) -> str:
    return f"{row['clause']} (critical)" if row.get("critical") else row["clause"]


def _consequences(missed: list[Unmet]) -> list[Table]:
    """What follows from each criterion that is not met; nothing where all are."""
    rows = [
        [each.number, each.criterion, "; ".join(each.clauses), f"{each.becomes}: {each.follows}"]
        for each in missed
    ]
    critical = sum(each.is_critical for each in missed)
    return (
        [
            data_table(
                f"Criteria not met, and what follows: {len(rows)}, {critical} of them in critical themes",
                ["No", "Not met", "Asked by", "What follows"],
                [[clean(cell) for cell in row] for row in rows],
                widths=[0.5, 2.2, 1.8, 3.5],
                note="A limit binds how this report may be read, beside those stated before; a condition "
                "binds whom it names, beside the conditions of use.",
            )
        ]
        if rows
        else []
    )


def status(run: Run, row: dict[str, str]) -> str:
    """evidenced, partly, not evidenced, or out of scope with whose decision that is; with the findings that
    are open on what the sections look at."""
    if row["decision"]:
        return f"out of scope by decision of {row['decision']}"
    held = [(test, test.holds(run)) for key in row["sections"].split() for test in tests(key)]
    is_partly = any(holds for test, holds in held if not test.is_execution)
    word = "evidenced" if held and all(h for _, h in held) else "partly" if is_partly else "not evidenced"
    found = _open(run, row) if is_partly else []
    return f"{word}; result: {', '.join(found)} open" if found else word


def _open(run: Run, row: dict[str, str]) -> list[str]:
    begins = tuple(begin for key in row["sections"].split() for begin in RAISED_BY.get(key, ()))
    return open_findings(run, begins) if begins else []


def _content(run: Run, row: dict[str, str], numbers: dict[str, str]) -> str:
    """The criteria of the row by the chapter or annex that they look at: those met, then those not met, with
    their numbers; that a notebook was executed goes without saying."""
    met: dict[str, list[str]] = {}
    not_met: dict[str, list[str]] = {}
    for place, test in [(_place(key), test) for key in row["sections"].split() for test in tests(key)]:
        if not test.holds(run):
            number = numbers.get(_lacking(run, place, test), "")
            not_met.setdefault(place, []).append(f"{test.lacking(run)}{f' ({number})' if number else ''}")
        elif not test.is_execution:
            met.setdefault(place, []).append(test.criterion)
    places = dict.fromkeys(_place(key) for key in row["sections"].split())
    told = [f"{place}: {_told(met.get(place, []), not_met.get(place, []))}" for place in places]
    return "\n".join(told) or ELSE


def _told(met: list[str], not_met: list[str]) -> str:
    parts = (("met", met), ("not met", not_met))
    return (
        "; ".join(f"{word}: {'; '.join(dict.fromkeys(said))}" for word, said in parts if said) or "executed"
    )


def _place(key: str) -> str:
    """Where to look: the title of a chapter, or an annex."""
    return CHAPTERS[IN_CHAPTER[key]].title if key in IN_CHAPTER else ELSEWHERE[key]
