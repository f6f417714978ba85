"""What a run holds of marks of its documents, and whether a pilot rests on them."""

from ragassay.decision.closing.earlier_findings import OPEN
from ragassay.decision.pilot import pilot_document_marks
from ragassay.decision.recommendation import PILOT
from ragassay.report.run_folder import Run


def marked(run: Run) -> bool:
    """Whether every document says whether it is in force, and for whom it is."""
    documents = run.rows("documents")
    return not documents.empty and not pilot_document_marks.unmarked(documents)


def pilot_rests_on_marks(run: Run) -> bool:
    """Whether a pilot is recommended of which a control, or what ends it, rests on marks of documents."""
    findings = run.rows("findings")
    if run.decision.get("recommendation") != PILOT or "status" not in findings:
        return False
    return pilot_document_marks.rests_on_marks(findings[findings["status"] == OPEN].to_dict("records"))
