"""The crosswalk: what a regime asks for, theme by theme, and what follows where a run does not meet it.

A row of a profile names sections; `criteria.csv` holds the criteria of each section: what is required, the
fact that shows it (`crosswalk_facts`), and what follows where it is not met.
"""

import csv
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ragassay import regulatory_profiles
from ragassay.report import crosswalk_facts
from ragassay.report.block_builders import data_table, gap, paragraph
from ragassay.report.blocks import Chapter, Table
from ragassay.report.chapters import CHAPTERS
from ragassay.report.run_folder import Run
from ragassay.show import clean
from ragassay.tables import SEVERITIES

TITLE = "Regulatory crosswalk"
SIGN_OFF = "sign-off"
BEFORE = (SIGN_OFF, "any use", "release")  # what a condition comes before
ELSE = "the bank's own documents"
PLACES = {"control": "Document control", "sign-off": "Sign-off"} | {
    name: place.title for name, place in CHAPTERS.items()
}
MOST_NAMED = 2  # criteria named on the summary
NOTE = (
    "Evidenced: every criterion of the row is met, so it was tested and recorded. After “result” stand the "
    "findings open on it. Partly: some are met. Themes are in our words and quote no clause; the mapping is "
    "an analogy where the regime leaves generative systems out."
)
NOTE_OF_CONSEQUENCES = "A limit binds how this report may be read; a condition binds whom it names."
RAISED = {  # section -> which findings are on what it looks at, by their columns
    "functionality": [{"rule": "error"}, {"rule": "gate"}],
    "risk_safety": [{"rule": "check", "name": name} for name in ("personal_data", "names", "toxicity")],
    "attacks": [
        {"rule": "check", "name": name}
        for name in ("injection", "planted_injection", "planted_words", "planted_link", "planted_secret")
    ],
    "misuse": [{"rule": "check", "name": "misuse"}],
    "documents": [{"rule": "check", "name": name} for name in ("staff_only", "superseded")],
    "bias": [{"rule": "check", "name": name} for name in ("bias", "bias_swap", "stereotypes")],
    "robustness": [
        {"rule": "check", "name": name}
        for name in ("perturbation", "repeatability", "conversation", "wordings", "passages_changed")
    ],
    "outside": [{"rule": "check", "name": name} for name in ("outside_documents", "evidence_removed")],
    "weakness": [{"rule": "slice"}],
    "calibration": [{"rule": "process", "name": "independence"}],
    "independence": [{"rule": "process", "name": "independence"}],
}


@dataclass(frozen=True)
class Criterion:
    """One row of `criteria.csv`; `before` is one of BEFORE, or empty for what always binds."""

    section: str
    chapter: str
    criterion: str
    fact: str
    becomes: str
    before: str
    follows: str

    @property
    def place(self) -> str:
        """Where to look: the title of a chapter, or an annex."""
        return PLACES.get(self.chapter, f"[Annex](#{self.chapter})")

    @property
    def is_execution(self) -> bool:
        """Whether it just asks for an execution, which by itself is evidence of nothing."""
        return self.fact.startswith("executed")


OWN_DOCUMENTS = Criterion(
    "", "", ELSE, "never", "Condition", SIGN_OFF, "the bank evidences these themes before sign-off."
)


@dataclass
class Unmet:
    """A criterion that the run does not meet: its number, the themes that ask for it, and whether one of them
    is critical for the profile."""

    number: str
    criterion: str
    becomes: str
    before: str
    follows: str
    clauses: list[str] = field(default_factory=list)
    is_critical: bool = False


@lru_cache(maxsize=1)
def criteria() -> dict[str, list[Criterion]]:
    """Section -> its criteria."""
    text = (Path(__file__).parent / "criteria.csv").read_text(encoding="utf-8")
    found: dict[str, list[Criterion]] = {}
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["section"], []).append(Criterion(**row))
    return found


def chapter(run: Run) -> Chapter:
    """The crosswalk of the engagement's profile.

    A row is evidenced when every criterion of its sections holds, partly when some do, not evidenced when
    none does or it names no section; that a notebook was executed is needed, and evidence of nothing. A bank
    that decides a row is out of scope writes by whom in the column `decision`, and marks the themes that
    are critical for it in the column `critical`.
    """
    name, rows = _profile(run), rows_of(run)
    if rows is None:
        known = ", ".join(regulatory_profiles.SHIPPED)
        return Chapter("", TITLE, "crosswalk", [gap(f"There is no profile {clean(name, 80)} ({known}).")])
    source = "shipped with this kit" if name in regulatory_profiles.SHIPPED else clean(name, 120)
    missed = unmet(run, rows)
    return Chapter(
        "",
        TITLE,
        "crosswalk",
        [
            paragraph(f"Profile: {regime(run)}; {source}."),
            _themes(run, rows, missed),
            *([_consequences(missed)] if missed else []),
        ],
    )


def status(run: Run, row: dict[str, str]) -> str:
    """evidenced, partly, not evidenced, or out of scope with whose decision that is; with the findings that
    are open on what the sections look at."""
    if row["decision"]:
        return f"out of scope by decision of {row['decision']}"
    held = [(each, crosswalk_facts.holds(run, each.fact)) for each in _asked(row)]
    is_partly = any(is_met for each, is_met in held if not each.is_execution)
    word = "evidenced" if held and all(met for _, met in held) else "partly" if is_partly else "not evidenced"
    found = _open_findings(run, row) if is_partly else []
    return f"{word}; result: {', '.join(found)} open" if found else word


def unmet(run: Run, rows: list[dict[str, str]]) -> list[Unmet]:
    """The criteria that the run does not meet, each once, numbered in the order of the rows; none of a row
    that is out of scope."""
    found: dict[str, Unmet] = {}
    for row in rows:
        asked = [] if row["decision"] else _asked(row) or [OWN_DOCUMENTS]
        for each in asked:
            if crosswalk_facts.holds(run, each.fact):
                continue
            number = f"C{len(found) + 1}"
            new = Unmet(number, each.criterion, each.becomes, each.before, each.follows)
            entry = found.setdefault(each.criterion, new)
            entry.clauses.append(row["clause"])
            entry.is_critical |= bool(row.get("critical"))
    return list(found.values())


def conditions(run: Run) -> dict[str, list[Unmet]]:
    """Before what (`BEFORE`) -> the conditions that hold until then; only those that there are."""
    missed = unmet(run, rows_of(run) or [])
    grouped = {before: [each for each in missed if each.before == before] for before in BEFORE}
    return {before: those for before, those in grouped.items() if those}


def conditions_text(found: list[Unmet]) -> str:
    """Conditions by number and in words."""
    return "; ".join(f"{each.number} ({each.criterion})" for each in found)


def conditions_line(run: Run) -> str:
    """The conditions of the crosswalk by what they come before; "" where there are none."""
    parts = [f"before {before} {conditions_text(those)}" for before, those in conditions(run).items()]
    return f"Conditions of the crosswalk ([chapter](#crosswalk)): {'; '.join(parts)}." if parts else ""


def critical_line(run: Run) -> list[str]:
    """How many criteria are not met in themes critical for the profile, as a line of the summary; none where
    all are met."""
    found = [each for each in unmet(run, rows_of(run) or []) if each.is_critical]
    if not found:
        return []
    named = "; ".join(each.criterion for each in found[:MOST_NAMED])
    more = f"; {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return [f"Not met in themes critical for {regime(run)}: {named}{more} ([chapter](#crosswalk))."]


def regime(run: Run) -> str:
    """What the profile is of, in its own words, without what it says in brackets; its name where there is no
    such profile."""
    rows = rows_of(run)
    return clean(rows[0]["regime"].partition(" (")[0] if rows else _profile(run), 80)


def rows_of(run: Run) -> list[dict[str, str]] | None:
    """The rows of the engagement's profile; None where there is no such profile."""
    own, name = run.engagement.get("crosswalk"), _profile(run)
    if own is not None:
        return own
    return regulatory_profiles.read(name) if name in regulatory_profiles.SHIPPED else None


def _profile(run: Run) -> str:
    return str(run.engagement.get("profile") or regulatory_profiles.SHIPPED[0])


def _asked(row: dict[str, str]) -> list[Criterion]:
    return [each for section in row["sections"].split() for each in criteria()[section]]


def _open_findings(run: Run, row: dict[str, str]) -> list[str]:
    """The numbers of the open findings on what the row's sections look at, the gravest first."""
    wanted = [columns for section in row["sections"].split() for columns in RAISED.get(section, [])]
    named = {
        each["finding_id"]
        for each in run.rows("finding_sources").to_dict("records")
        if any(all(each.get(key) == value for key, value in columns.items()) for columns in wanted)
    }
    found = [each for each in run.rows("findings").to_dict("records") if each["finding_id"] in named]
    found = [each for each in found if each.get("status") == "open"]
    ranked = [
        (SEVERITIES.index(each["severity"]), len(each["finding_id"]), each["finding_id"]) for each in found
    ]
    return [name for _, _, name in sorted(ranked)]


def _themes(run: Run, rows: list[dict[str, str]], missed: list[Unmet]) -> Table:
    numbers = {each.criterion: each.number for each in missed}
    cells = [
        [
            f"{row['clause']} (critical)" if row.get("critical") else row["clause"],
            row["summary"],
            _content(run, row, numbers),
            status(run, row),
        ]
        for row in rows
    ]
    return data_table(
        f"{clean(rows[0]['regime'])}: themes, and the criteria that this report meets or not",
        ["Theme", "What it asks, in our words", "Where, and what is required", "Status"],
        [[clean(cell) for cell in row] for row in cells],
        widths=[1.1, 2.2, 3.9, 1],
        states=["Status"],
        note=NOTE,
    )


def _content(run: Run, row: dict[str, str], numbers: dict[str, str]) -> str:
    """The criteria of the row by the chapter or annex that they look at: those met, then those not met, with
    their numbers; that a notebook was executed goes without saying."""
    places: dict[str, dict[str, list[str]]] = {}
    for each in _asked(row):
        lines = places.setdefault(each.place, {"met": [], "not met": []})
        if not crosswalk_facts.holds(run, each.fact):
            number = numbers.get(each.criterion)
            lines["not met"].append(f"{each.criterion} ({number})" if number else each.criterion)
        elif not each.is_execution:
            lines["met"].append(each.criterion)
    told = []
    for place, lines in places.items():
        parts = [f"{word}: {'; '.join(those)}" for word, those in lines.items() if those]
        told.append(f"{place}: {'; '.join(parts) or 'executed'}")
    return "\n".join(told) or ELSE


def _consequences(missed: list[Unmet]) -> Table:
    """What follows from each criterion that is not met."""
    rows = [
        [each.number, each.criterion, "; ".join(each.clauses), f"{each.becomes}: {each.follows}"]
        for each in missed
    ]
    critical = sum(each.is_critical for each in missed)
    return data_table(
        f"Criteria not met, and what follows: {len(rows)}, {critical} of them in critical themes",
        ["No", "Not met", "Asked by", "What follows"],
        [[clean(cell) for cell in row] for row in rows],
        widths=[0.5, 2.2, 1.8, 3.5],
        note=NOTE_OF_CONSEQUENCES,
    )
