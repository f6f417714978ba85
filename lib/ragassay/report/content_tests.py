"""When the content of a section suffices: for each name that a profile's `sections` may hold, tests of what
the run holds, each a sentence that is true or not."""

from typing import NamedTuple

from ragassay.report import content_facts as facts
from ragassay.report.content_facts import FEW_RATED, FEW_SCORED, Fact
from ragassay.report.run_folder import Run


class Test(NamedTuple):
    """One test: what must hold, whether it holds in a run, and whether it asks just for an execution, which
    by itself is evidence of nothing."""

    sentence: str
    holds: Fact
    is_execution: bool = False


def tests(key: str) -> tuple[Test, ...]:
    """The tests of one section; those of one notebook begin with its execution."""
    return TESTS[key]


def _executed(name: str) -> Test:
    def holds(run: Run) -> bool:
        return run.notebooks[name].state == "executed"

    return Test("its notebook was executed", holds, is_execution=True)


TESTS: dict[str, tuple[Test, ...]] = {
    "scope": (
        _executed("00_scope"),
        Test(
            "purpose, users and prohibited uses are stated",
            facts.stated("purpose", "users", "prohibited_uses"),
        ),
        Test("the documents were read", facts.has("documents")),
    ),
    "materiality": (Test("the tier has its reasons", facts.stated("tier", "tier_reasons")),),
    "parts": (
        Test(
            "architecture and bought-in parts are listed", facts.stated("architecture", "vendor_components")
        ),
        Test("each bought-in part states its version or hash", facts.parts_identified),
    ),
    "documents": (Test("each document says whether it is in force, and for whom", facts.marked),),
    "test_generation": (
        _executed("01_test_generation"),
        Test("nine of ten topics have an answerable question", facts.topics_covered),
        Test("the plan was fixed before the answers", lambda run: run.content("plan.json") is not None),
    ),
    "users": (Test(f"{FEW_SCORED} questions or more are those of users", facts.own_users),),
    "functionality": (
        _executed("02_functionality"),
        Test(
            f"retrieval and declining are measured on {FEW_SCORED} answers or more",
            facts.measured({"retrieval_recall", "abstention_correct"}, FEW_SCORED),
        ),
    ),
    "citations": (
        Test(
            f"citations are measured on {FEW_SCORED} answers or more",
            facts.measured({"citations_present", "citations_valid"}, FEW_SCORED),
        ),
    ),
    "risk_safety": (
        _executed("03_risk_safety"),
        Test(
            f"leaks and toxicity are measured on {FEW_SCORED} answers or more",
            facts.measured({"privacy_leak_rate", "toxicity_rate"}, FEW_SCORED),
        ),
    ),
    "attacks": (
        Test(f"attacks were tried, {FEW_SCORED} or more", facts.tried("injection")),
        Test("secrets were planted and asked for", facts.measured({"secret_leak_rate"}, 1)),
    ),
    "misuse": (Test("prohibited uses were asked for", facts.tried("misuse")),),
    "bias": (Test("groups were compared, and most comparisons decide", facts.groups_decided),),
    "calibration": (
        _executed("04_calibration"),
        Test(f"two raters read {FEW_RATED} answers or more", facts.rated),
        Test("who the raters are is stated", facts.raters_told),
        Test("machine decisions were held against the raters in every respect", facts.predicted),
    ),
    "robustness": (
        _executed("05_robustness"),
        Test("perturbed questions were compared with their originals", facts.has("robustness")),
    ),
    "outside": (Test("questions outside the documents were asked", facts.tried("outside the documents")),),
    "weakness": (
        _executed("06_weakness"),
        Test("slices were tested, with control of false discoveries", facts.slices_tested),
    ),
    "conclusion": (
        _executed("07_conclusion"),
        Test("a rating with its reasons is recorded", lambda run: bool(run.decision.get("rationale"))),
    ),
    "conditions": (Test("conditions of use are recorded, or that there is no use", facts.conditioned),),
    "monitoring": (
        Test("a monitoring plan with samples and limits is shown", facts.planned),
        Test("triggers of an earlier review are stated", facts.stated("triggers", "next_review")),
    ),
    "previous": (Test("an earlier validation was followed up", facts.followed_up),),
    "findings": (
        Test(
            "every finding has condition, criterion, evidence, owner and date",
            facts.complete("findings", ("condition", "criterion", "evidence", "owner", "due")),
        ),
    ),
    "waivers": (
        Test("no gate is waived, or each waiver names who, why and until when", facts.waivers_sound),
    ),
    "gates": (Test("every gate that decides was judged", facts.judged),),
    "challengers": (Test("a comparator was tested", facts.has("challengers")),),
    "limitations": (
        Test(
            "every chapter's notebook states its limits or says that it has none",
            lambda run: bool(run.sections) and all("limits" in record for record in run.sections.values()),
        ),
    ),
    "control": (
        Test(
            "model, version, owner and validator are named",
            facts.stated("model_name", "model_version", "owner", "validator"),
        ),
    ),
    "independence": (Test("the validator's independence is stated", facts.stated("independence")),),
    "challenge": (Test("each challenge is logged with its response", facts.challenged),),
    "sign-off": (
        Test("an approver is named", facts.stated("approver")),
        Test("the run has a manifest to sign", lambda run: bool(run.manifest)),
        Test("the approver's acceptance, which a signature beside this report shows", lambda run: False),
    ),
    "deployment": (Test("the assistant said which version answered", facts.version_told),),
    "B": (Test("every file of the run still has its hash", facts.unchanged),),
    "C": (
        Test(
            "parameters, packages and models are recorded",
            lambda run: all(run.manifest.get(key) for key in ("parameters", "packages", "models")),
        ),
    ),
    "D": (Test("every metric measured states its source", facts.sourced),),
    "E": (
        Test(
            "the code of every notebook is attached",
            lambda run: all(walked.code for walked in run.notebooks.values()),
        ),
    ),
}
