"""From a draft to a row of the register: cause, risk, the case shown, evidence, owner and dates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ragassay.decision.closing.earlier_findings import OPEN
from ragassay.decision.findings import finding_causes, leading_row, presuppositions, remedies, risk_matrix
from ragassay.decision.findings.example_cases import harm_of
from ragassay.decision.findings.finding_severity import DueDays
from ragassay.decision.findings.finding_texts import Draft
from ragassay.errors import TableError

SHOWN = 20  # case ids listed per finding


@dataclass(frozen=True)
class Context:
    """What every finding needs: who owns it, the engagement's date (YYYY-MM-DD), how to name its evidence,
    and the rows behind it.

    evidence_of : name of a table -> "tables/gates.parquet sha256=... cell=..."; see `evidence_namer`
    due : by when a finding of each severity is due, counted from the date
    scores, cases : to list the cases that show a finding, where given; asked : the test set, of which slices
        are made (None: all cases)
    answers : of all those cases, to show one with each finding; personal data is masked
    blame : the diagnosis of failing answers, to find causes
    playbook : symptoms with their likely causes and remedies
    taxonomy : the category of each answer
    worst : the worst answers, the gravest first, to choose the case shown
    topics : the name of each topic
    matrix : the bank's own matrix of likelihood and impact
    intake : whether text that nobody checked can enter the index, and the test that shows it
    guardrails : what the engagement's record says of them, "" where nothing
    """

    owner: str
    date: str
    evidence_of: Callable[[str], str]
    due: DueDays = field(default_factory=DueDays)
    scores: pd.DataFrame | None = None
    cases: pd.DataFrame | None = None
    asked: pd.DataFrame | None = None
    answers: pd.DataFrame | None = None
    blame: pd.DataFrame | None = None
    playbook: pd.DataFrame | None = None
    taxonomy: pd.DataFrame | None = None
    worst: pd.DataFrame | None = None
    topics: Mapping[str, str] = field(default_factory=dict)
    matrix: risk_matrix.RiskMatrix = risk_matrix.DEFAULT
    intake: presuppositions.Intake = presuppositions.NOT_STATED
    guardrails: str = ""

    @cached_property
    def diagnosed(self) -> dict[str, Mapping]:
        """Case -> its row of the diagnosis."""
        return finding_causes.diagnosed(self.blame)

    @cached_property
    def harms(self) -> dict[str, str]:
        """Case -> its class of harm, of the worst answers."""
        return harm_of(self.worst)

    @cached_property
    def asked_ids(self) -> frozenset[str]:
        """The cases of the test set, by their ids."""
        return frozenset() if self.asked is None else frozenset(self.asked["case_id"])


def finished_row(draft: Draft, context: Context, waiver: str = "") -> dict:
    """A draft with cause, risk, the case shown, evidence, owner and dates; its number comes last.

    waiver : who waived it, when and why; empty where it is open

    Raises
    ------
    TableError
        If `evidence_of` names no evidence: a finding cannot exist without it.
    """
    return {
        **draft,
        **_rated(draft, context),
        "title": presuppositions.title(draft),
        "by_itself": draft.get("by_itself", draft["severity"]),
        "condition": _condition(draft, context),
        "case_ids": (draft["lead"] if draft.get("held") else draft["failing"])[:SHOWN],
        "failing": draft["failing"],
        **_explained(draft, context),
        "evidence": _proof(draft, context),
        "owner": draft.get("owner") or context.owner,
        "due": context.due.date(context.date, draft["severity"]),
        "status": f"waived: {waiver}" if waiver else OPEN,
        "opened": context.date,
        "closed_by": "",
        "closed_evidence": "",
        "carried_from": "",
        "candidates": 0,
    }


def _condition(draft: Draft, context: Context) -> str:
    """What is; what it presupposes and the record leaves open stands before it."""
    told = presuppositions.condition(draft, context.intake)
    both = (told, draft["condition"]) if draft.get("presupposes") else (draft["condition"], told)
    return " ".join(filter(None, both))


def _explained(draft: Draft, context: Context) -> dict[str, str]:
    """The cause that the test or the diagnosis establishes, or what would establish one; what the playbook
    points to beside it, with its remedy. All of it rests on the cases that the title counts."""
    stated, source, metric = draft.get("lead", draft["failing"]), draft["source"], draft.get("metric", "")
    cause, evidence = (
        (draft["cause"], draft["cause_evidence"])
        if draft.get("cause")
        else (
            finding_causes.find_cause(
                stated, context.diagnosed, source=source, metric=metric, guardrails=context.guardrails
            )
        )
    )
    symptom = finding_causes.find_symptom(stated, context.playbook, context.asked_ids)
    points = "" if symptom is None else f"The symptoms point to this: {_pointed(symptom)}."
    return {
        "cause": cause,
        "cause_evidence": f"{evidence} {points}".strip(),
        "recommendation": remedies.recommended(
            draft,
            stated,
            context.diagnosed,
            finding_causes.is_shown(source, context.guardrails),
            presuppositions.confirmation(draft),
            {context.harms[case] for case in stated if case in context.harms},
        ),
    }


def _pointed(symptom: Mapping) -> str:
    return f"{symptom['likely_cause']} ({symptom['measured']})"


def _rated(draft: Draft, context: Context) -> dict:
    """Likelihood, impact and risk, by the bank's own matrix."""
    about, severity = (draft["source"], context.intake), draft["severity"]
    share = presuppositions.share_in_use(*about, draft["share"])
    noted = presuppositions.likelihood_note(*about) or leading_row.likelihood_note(draft["source"])
    measured = "" if np.isnan(share) else f": {100 * draft['share']:.2g} % of those tested"
    return {
        "likelihood": f"{context.matrix.likelihood(share)}{noted}{measured}",
        "impact": context.matrix.impacts[severity],
        "risk": context.matrix.risk(share, severity),
    }


def _proof(draft: Draft, context: Context) -> str:
    proof = context.evidence_of(draft["table"])
    if not proof:
        name = draft["title"]
        raise TableError(
            f"finding {name!r} has no evidence",
            expected="file, sha256 and cell",
            do=f"write what {draft['table']!r} rests on first",
        )
    return proof
