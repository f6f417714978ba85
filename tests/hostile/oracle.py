"""What must hold whatever the input: said in five parts, in time, nothing executed, nothing written beside, no row lost."""

import csv
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from hostile import payloads
from hostile.sandbox import Sandbox
from hostile.trial import HANGING, Outcome, Trial

CODES = {verb: {0, 1, 2, 3} for verb in [("run",), ("gate",)]}
USUAL = {0, 1}
PARTS = re.compile(r"^  (where|found|expected|do): |^Usage: |^Error: ", re.MULTILINE)
CONTROL = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{payloads.BIDI}\u2028\u2029\ud800-\udfff]")
RETURN = re.compile(r"\r(?!\n)")
UNFORESEEN = re.compile("stopped at something unforeseen")
FORMULA = re.compile(r"^[=@\t\r]|^[+-](?![\d.]|inf|nan|$)", re.IGNORECASE)
SPEAKS_OUTSIDE_ERRORS = {("verify",), ("doctor",)}  # exit 1 after a table of what is amiss


def flaws(trial: Trial, outcome: Outcome, sandbox: Sandbox) -> list[str]:
    """Everything that is not as it should be, in words; none for a good outcome."""
    said = outcome.out + outcome.err
    found = [*_of_the_end(trial, outcome, said), *_of_what_is_said(said)]
    found += [f"executed: {path.name}" for path in sandbox.markers.iterdir()]
    found += [f"executed: {name}" for name in outcome.after if Path(name).name == payloads.MARK]
    found += _of_files(trial, outcome)
    if outcome.code == 0:
        found += [*_of_rows(trial, outcome), *_of_formulas(trial, sandbox)]
    return found


def _of_the_end(trial: Trial, outcome: Outcome, said: str) -> list[str]:
    if outcome.code == HANGING:
        return [f"hangs: not done after {trial.bound_s:g} s"]
    found = []
    if outcome.code not in CODES.get(trial.verb, USUAL):
        found.append(f"exit code {outcome.code}")
    if "Traceback (most recent call last)" in said:
        found.append(f"traceback: {said.strip().splitlines()[-1][:200]!r}")
    elif UNFORESEEN.search(outcome.err):
        found.append(f"unforeseen: {outcome.err.strip()[:300]!r}")
    elif outcome.code == 1 and trial.verb not in SPEAKS_OUTSIDE_ERRORS and not PARTS.search(outcome.err):
        found.append(f"an error without its parts: {outcome.err.strip()[-200:]!r}")
    if trial.refused and outcome.code == 0:
        found.append("taken, where only a refusal is right")
    return found


def _of_what_is_said(said: str) -> list[str]:
    sign = CONTROL.search(said) or RETURN.search(said)
    if not sign:
        return []
    return [f"control character {sign.group()!r} in {said[max(0, sign.start() - 60) : sign.end() + 20]!r}"]


def _of_files(trial: Trial, outcome: Outcome) -> list[str]:
    """What was changed though it was there, written beside the outputs, or left behind as a draft."""
    before, after = outcome.before, outcome.after
    allowed = [f"above/work/{name}" for name in trial.outputs]
    replaces = "--replace" in trial.arguments or trial.verb == ("report",)
    found = []
    for name in sorted(before.keys() | after.keys()):
        mine = any(_covers(place, name) for place in allowed)
        if name in before and before[name] != after.get(name) and not (mine and replaces):
            found.append(f"changed though it was there: {name}")
        if name not in before and not mine:
            found.append(f"written beside the outputs: {name}")
        if name not in before and name.endswith((".draft", ".tmp")):
            found.append(f"left behind: {name}")
    return found


def _covers(place: str, name: str) -> bool:
    """Whether a place, or one that ends in *, or a folder that must be made for it, is where a file of this name is."""
    if place.endswith("*"):
        return name.startswith(place[:-1])
    return name == place or name.startswith(place.rstrip("/") + "/") or place.startswith(name + "/")


def _of_rows(trial: Trial, outcome: Outcome) -> list[str]:
    """Rows that went in against rows scored or named; what is counted is what the command itself says it took."""
    counted = re.search(r"Scores of ([\d,]+) answer", outcome.out)
    if trial.rows is None or trial.verb != ("score",) or not counted:
        return []
    taken = int(counted.group(1).replace(",", ""))
    return [] if taken == trial.rows else [f"{trial.rows} rows in, {taken} out"]


def _of_formulas(trial: Trial, sandbox: Sandbox) -> list[str]:
    """Cells of a CSV or a workbook written that a spreadsheet would calculate."""
    readers = {".csv": _cells_of_csv, ".xlsx": _cells_of_workbook}
    for name in trial.outputs:
        path = sandbox.work / name
        if path.suffix.lower() in readers and path.is_file():
            formula = next(filter(FORMULA.search, readers[path.suffix.lower()](path)), None)
            if formula is not None:
                return [f"a formula in {name}: {formula[:80]!r}"]
    return []


def _cells_of_csv(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", newline="", errors="surrogateescape") as file:
        for row in csv.reader(line.replace("\0", "") for line in file):
            yield from row


def _cells_of_workbook(path: Path) -> Iterator[str]:
    """The cells that are formulas; texts that look like one are none in a workbook."""
    import openpyxl

    for sheet in openpyxl.load_workbook(path) if zipfile.is_zipfile(path) else []:
        yield from (str(cell.value) for row in sheet.iter_rows() for cell in row if cell.data_type == "f")
