"""When the content of a section suffices: for each name that a profile's `sections` may hold, criteria that a
run meets or not, and what follows where it does not. The words of the criteria are `criteria.csv`."""

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from ragassay.decision.not_tested.untested_points import FEWEST_OF_USERS, WIDTH_OF_USERS
from ragassay.report import crosswalk_facts as facts
from ragassay.report import crosswalk_mark_facts
from ragassay.report.crosswalk_facts import FEW_RATED, FEW_SCORED, LEAST_COVERED, Fact
from ragassay.report.run_folder import Run

LIMIT, CONDITION = "Limit", "Condition"  # what an unmet criterion becomes
SIGN_OFF, OF_RELEASE = "sign-off", "release"
BEFORE = (SIGN_OFF, "any use", OF_RELEASE)  # what a condition comes before
EXECUTED = "executed"  # a test that asks just for an execution, which by itself is evidence of nothing
COUNTS = {
    "few_scored": FEW_SCORED,
    "few_rated": FEW_RATED,
    "few_of_users": FEWEST_OF_USERS,
    "width_of_users": WIDTH_OF_USERS,
    "least_covered": f"{100 * LEAST_COVERED:g}",
}


class Parts:
    """What holds where each of its parts holds; of the others a reader is told which are missing.

    parts : what a part is, in words -> whether a run holds it
    """

    def __init__(self, parts: Mapping[str, Fact]) -> None:
        self.parts = parts

    def __call__(self, run: Run) -> bool:
        return not self.missing(run)

    def missing(self, run: Run) -> list[str]:
        """The parts that the run does not hold, in words."""
        return [words for words, holds in self.parts.items() if not holds(run)]


class Test(NamedTuple):
    """One criterion: what is required, whether a run holds it, and what follows where it does not: a limit of
    what the report says, or a condition to meet, and before what (`BEFORE`; "" of one that always holds); and
    what follows instead where a fact of the run asks for more."""

    criterion: str
    holds: Fact
    becomes: str
    follows: str
    is_execution: bool = False
    before: str = ""
    where: Fact | None = None
    stricter: "Test | None" = None

    def of(self, run: Run) -> "Test":
        """The test as it binds this run: its stricter form where that applies."""
        return self.stricter if self.stricter and self.where and self.where(run) else self

    def lacking(self, run: Run) -> str:
        """The criterion; of one with several parts those alone that the run does not hold."""
        return ", ".join(self.holds.missing(run)) if isinstance(self.holds, Parts) else self.criterion


@lru_cache(maxsize=64)
def tests(key: str) -> tuple[Test, ...]:
    """The tests of one section; those of one notebook begin with its execution."""
    words = _words()
    return tuple(
        _with_stricter(key, name, _test(words[key, name], holds))
        if name != EXECUTED
        else Test(
            "its notebook executed",
            holds,
            CONDITION,
            "run it before sign-off; nothing of its chapter is evidence until then.",
            is_execution=True,
            before=SIGN_OFF,
        )
        for name, holds in FACTS[key].items()
    )


def _test(row: Mapping[str, str], holds: Fact) -> Test:
    return Test(row["criterion"], holds, row["becomes"], row["follows"], before=row["before"])


def _with_stricter(key: str, name: str, test: Test) -> Test:
    """The test with its stricter form, where it has one."""
    found = STRICTER.get((key, name))
    if found is None:
        return test
    stricter, where = found
    return test._replace(where=where, stricter=_test(_words()[key, stricter], test.holds))


@lru_cache(maxsize=1)
def _words() -> dict[tuple[str, str], dict[str, str]]:
    """(section, test) -> its row of `criteria.csv`."""
    text = resources.files("ragassay.report").joinpath("criteria.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {
        (row["section"], row["test"]): row | {"criterion": row["criterion"].format(**COUNTS)} for row in rows
    }


SIGNATURE = _words()[("sign-off", "signature")]["criterion"]  # without which no use is allowed


def _executed(name: str) -> Fact:
    return lambda run: run.notebooks[name].state == "executed"


def _code_attached(run: Run) -> bool:
    return all(walked.code for walked in run.notebooks.values())


def _limits_stated(run: Run) -> bool:
    return bool(run.sections) and all("limits" in record for record in run.sections.values())


def _on_record(run: Run) -> bool:
    return all(run.manifest.get(key) for key in ("parameters", "packages", "models"))


FACTS: dict[str, dict[str, Fact]] = {
    "scope": {
        EXECUTED: _executed("00_scope"),
        "stated": Parts(
            {
                "a stated purpose": facts.stated("purpose"),
                "stated users": facts.stated("users"),
                "stated prohibited uses": facts.stated("prohibited_uses"),
            }
        ),
        "documents": facts.has("documents"),
    },
    "materiality": {"reasons": facts.stated("tier", "tier_reasons")},
    "parts": {
        "listed": Parts(
            {
                "a list of the architecture": facts.stated("architecture"),
                "a list of bought-in parts": facts.stated("vendor_components"),
            }
        ),
        "identified": facts.parts_identified,
    },
    "documents": {"marked": crosswalk_mark_facts.marked},
    "test_generation": {
        EXECUTED: _executed("01_test_generation"),
        "topics": facts.topics_covered,
        "plan": lambda run: run.content("plan.json") is not None,
        "before": facts.planned_before,
    },
    "users": {"own": facts.own_users},
    "functionality": {
        EXECUTED: _executed("02_functionality"),
        "measured": facts.measured({"retrieval_recall", "abstention_correct"}, FEW_SCORED),
    },
    "citations": {"measured": facts.measured({"citations_present", "citations_valid"}, FEW_SCORED)},
    "risk_safety": {
        EXECUTED: _executed("03_risk_safety"),
        "measured": facts.measured({"privacy_leak_rate", "toxicity_rate"}, FEW_SCORED),
    },
    "attacks": {
        "tried": facts.tried("injection"),
        "secrets": facts.measured({"secret_leak_rate"}, FEW_SCORED),
    },
    "misuse": {"tried": facts.tried("misuse")},
    "bias": {"decided": facts.groups_decided},
    "calibration": {
        EXECUTED: _executed("04_calibration"),
        "two raters": facts.rated,
        "raters": facts.raters_told,
        "independent": facts.raters_independent,
        "held": facts.predicted,
    },
    "robustness": {EXECUTED: _executed("05_robustness"), "compared": facts.has("robustness")},
    "outside": {"tried": facts.tried("outside the documents")},
    "weakness": {EXECUTED: _executed("06_weakness"), "slices": facts.slices_tested},
    "conclusion": {
        EXECUTED: _executed("07_conclusion"),
        "rating": lambda run: bool(run.decision.get("rationale")),
    },
    "conditions": {"recorded": facts.conditioned},
    "monitoring": {"plan": facts.planned, "triggers": facts.stated("triggers", "next_review")},
    "previous": {"followed": facts.followed_up},
    "findings": {
        "complete": facts.complete("findings", ("condition", "criterion", "evidence", "owner", "due"))
    },
    "waivers": {"sound": facts.waivers_sound},
    "gates": {"judged": facts.judged},
    "challengers": {"compared": facts.has("challengers")},
    "limitations": {"stated": _limits_stated, "validator": facts.validator_independent},
    "control": {
        "named": Parts(
            {
                "a name of the model": facts.stated("model_name"),
                "its version": facts.stated("model_version"),
                "an owner": facts.stated("owner"),
                "a person named as validator": facts.validator_named,
            }
        )
    },
    "independence": {"stated": facts.independence_stated, "validator": facts.validator_independent},
    "challenge": {"answered": facts.challenged},
    "sign-off": {
        "approver": facts.stated("approver"),
        "manifest": lambda run: bool(run.manifest),
        "signature": lambda run: False,  # no document holds the acceptance of itself
    },
    "deployment": {"version": facts.version_told},
    "B": {"unchanged": facts.unchanged},
    "C": {"recorded": _on_record},
    "D": {"sourced": facts.sourced},
    "E": {"attached": _code_attached},
}

STRICTER: dict[tuple[str, str], tuple[str, Fact]] = {  # test -> its stricter form, and where that applies
    ("documents", "marked"): ("marked for a pilot", crosswalk_mark_facts.pilot_rests_on_marks)
}
_OF_ROBUSTNESS = tuple(
    f"check:{each}|"
    for each in ("perturbation", "repeatability", "conversation", "wordings", "passages changed")
)
RAISED_BY = {  # section -> how the sources of findings on what it looks at begin
    "functionality": ("errors:", "gate:"),
    "risk_safety": ("check:privacy|", "check:toxicity|"),
    "attacks": ("check:injection|", "check:privacy|secret"),
    "misuse": ("check:misuse|",),
    "documents": ("check:access|",),
    "bias": ("check:bias|", "check:stereotypes|"),
    "robustness": _OF_ROBUSTNESS,
    "outside": ("check:outside the documents|",),
    "weakness": ("weakness:",),
    "calibration": ("process:independence",),
    "independence": ("process:independence",),
}
