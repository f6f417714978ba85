"""When the content of a section suffices: for each name that a profile's `sections` may hold, tests of what
the run holds, each a sentence that is true or not."""

from collections.abc import Callable
from typing import NamedTuple

from ragassay.own_registers import ANSWER
from ragassay.report.blocks import Table, plain
from ragassay.report.run_folder import STATED, Run
from ragassay.show import MISSING

CHALLENGES = "Challenge log"  # the caption under which notebook 07 shows it
FEW_RATED = 50  # answers that two raters must have read
FEW_SCORED = 30  # answers that a measure must rest on


class Test(NamedTuple):
    """One test: what must hold, whether it holds in a run, and whether it asks just for an execution."""

    sentence: str
    holds: Callable[[Run], bool]
    is_execution: bool = False


def tests(key: str) -> tuple[Test, ...]:
    """The tests of one section; those of one notebook begin with its execution."""
    return TESTS[key]


def _stated(*keys: str) -> Callable[[Run], bool]:
    def holds(run: Run) -> bool:
        return all(run.engagement.get(key) not in (None, "", [], {}, STATED) for key in keys)

    return holds


def _executed(name: str) -> Test:
    def holds(run: Run) -> bool:
        return run.notebooks[name].state == "executed"

    return Test("its notebook was executed", holds, is_execution=True)


def _measured(names: set[str], least: int) -> Callable[[Run], bool]:
    """Whether the scorecard holds each of these with an interval over at least so many cases."""

    def holds(run: Run) -> bool:
        card = run.rows("scorecard")
        if not len(card):
            return False
        sound = card[(card["n"] >= least) & card["low"].notna() & card["high"].notna()]
        return names <= set(sound["metric"])

    return holds


def _has(table: str) -> Callable[[Run], bool]:
    return lambda run: len(run.rows(table)) > 0


def _rated(run: Run) -> bool:
    labels = run.rows("labels")
    if not len(labels):
        return False
    raters = labels.groupby("case_id")["rater"].nunique()
    return int((raters >= 2).sum()) >= FEW_RATED


def _topics_covered(run: Run) -> bool:
    asked, chunks = run.rows("cases"), run.rows("chunks.strata")
    if not len(asked) or not len(chunks) or "topic" not in chunks:
        return False
    answerable = asked[asked["answerable"].astype(bool)]
    return answerable["topic"].nunique() >= 0.9 * chunks["topic"].nunique()


def _complete(table: str, columns: tuple[str, ...]) -> Callable[[Run], bool]:
    """Whether the table is there and no row of it lacks one of these columns."""

    def holds(run: Run) -> bool:
        rows = run.rows(table)
        is_there = run.content(f"tables/{table}.parquet") is not None and set(columns) <= set(rows)
        return is_there and bool((rows[list(columns)].astype(str).map(str.strip) != "").all(axis=None))

    return holds


def _judged(run: Run) -> bool:
    gates = run.rows("gates")
    gates = gates[gates["decides"].astype(bool)] if "decides" in gates else gates
    return len(gates) > 0 and bool((gates["outcome"] != "incomplete").all())


def _unchanged(run: Run) -> bool:
    return bool(run.states) and all(state == "same" for _, state in run.states)


def _challenged(run: Run) -> bool:
    """Whether a notebook shows the challenge log, each entry with its response."""
    tables = (item for item in run.shown if isinstance(item, Table))
    log = next((item for item in tables if item.caption == CHALLENGES), None)
    if log is None or ANSWER not in (names := [plain(name) for name in log.columns]):
        return False
    answers = [plain(row[names.index(ANSWER)]).strip() for row in log.rows]
    return bool(answers) and all(answer not in ("", MISSING) for answer in answers)


TESTS: dict[str, tuple[Test, ...]] = {
    "scope": (
        _executed("00_scope"),
        Test("purpose, users and prohibited uses are stated", _stated("purpose", "users", "prohibited_uses")),
        Test("the documents were read", _has("documents")),
    ),
    "test_generation": (
        _executed("01_test_generation"),
        Test("nine of ten topics have an answerable question", _topics_covered),
        Test("the plan was fixed before the answers", lambda run: run.content("plan.json") is not None),
    ),
    "functionality": (
        _executed("02_functionality"),
        Test(
            f"retrieval and declining are measured on {FEW_SCORED} answers or more",
            _measured({"retrieval_recall", "abstention_correct"}, FEW_SCORED),
        ),
    ),
    "risk_safety": (
        _executed("03_risk_safety"),
        Test(
            f"leaks and toxicity are measured on {FEW_SCORED} answers or more",
            _measured({"privacy_leak_rate", "toxicity_rate"}, FEW_SCORED),
        ),
        Test("attacks were tried", _has("checks.injection")),
    ),
    "calibration": (
        _executed("04_calibration"),
        Test(f"two raters read {FEW_RATED} answers or more", _rated),
        Test("machine decisions were held against the raters", _has("verdicts")),
    ),
    "robustness": (
        _executed("05_robustness"),
        Test("perturbed questions were compared with their originals", _has("robustness")),
    ),
    "weakness": (_executed("06_weakness"), Test("slices were searched", _has("weakness"))),
    "conclusion": (
        _executed("07_conclusion"),
        Test("a rating with its reasons is recorded", lambda run: bool(run.decision.get("rationale"))),
    ),
    "findings": (
        Test(
            "every finding has condition, criterion, evidence, owner and date",
            _complete("findings", ("condition", "criterion", "evidence", "owner", "due")),
        ),
    ),
    "gates": (Test("every gate that decides was judged", _judged),),
    "challengers": (Test("a comparator was tested", _has("challengers")),),
    "limitations": (
        Test(
            "every chapter's notebook states its limits or says that it has none",
            lambda run: bool(run.sections) and all("limits" in record for record in run.sections.values()),
        ),
    ),
    "control": (
        Test(
            "model, version, owner and validator are named",
            _stated("model_name", "model_version", "owner", "validator"),
        ),
    ),
    "independence": (Test("the validator's independence is stated", _stated("independence")),),
    "challenge": (Test("each challenge is logged with its response", _challenged),),
    "sign-off": (
        Test("an approver is named", _stated("approver")),
        Test("the run has a manifest to sign", lambda run: bool(run.manifest)),
    ),
    "B": (Test("every file of the run still has its hash", _unchanged),),
    "C": (
        Test(
            "parameters, packages and models are recorded",
            lambda run: all(run.manifest.get(key) for key in ("parameters", "packages", "models")),
        ),
    ),
    "D": (Test("every formula stands with its source", lambda run: True),),
    "E": (
        Test(
            "the code of every notebook is attached",
            lambda run: all(walked.code for walked in run.notebooks.values()),
        ),
    ),
}
